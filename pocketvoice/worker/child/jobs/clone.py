"""A voice file is made of a clip. The job runs on the engine's thread, the request belongs to the main loop."""

from pathlib import Path

from pocketvoice.errors import OutputError
from pocketvoice.worker.child.jobs.job import BackgroundRequest, Job, Send
from pocketvoice.worker.child.model_host import ModelHost
from pocketvoice.worker.child.scheduler import Kind
from pocketvoice.worker.messages import CloneVoice, Event, VoiceCloned


class VoiceFile(BackgroundRequest):
    """The request, and the voice once it is made."""

    kind = Kind.CLONE

    def __init__(self, request: CloneVoice) -> None:
        super().__init__(request.request_id)
        self.request = request  # set once
        self.made: VoiceCloned | None = None  # written by the engine's thread

    def job(self, send: Send) -> Job:
        return Clone(self)

    @property
    def is_done(self) -> bool:
        return self.made is not None

    def result(self) -> Event | None:
        return self.made


class Clone(Job):
    """Makes the file; takes it away again if the request was stopped meanwhile. It can't be left in the middle."""

    kind = Kind.CLONE

    def __init__(self, voice: VoiceFile) -> None:
        super().__init__(voice.request_id)
        self._voice = voice

    def run(self, host: ModelHost) -> None:
        path = self._voice.request.path
        if not Path(path).absolute().parent.is_dir():
            raise OutputError(f"Can't write {path}: its folder does not exist.")
        notes = host.export_voice(self._voice.request.source, path, self._voice.request.truncate)
        self._voice.made = VoiceCloned(self.request_id, path, notes)
        if self.stop.is_set():
            Path(path).unlink(missing_ok=True)
