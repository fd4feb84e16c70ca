"""A recording with a fake recorder, and what it tells."""

from pocketvoice.errors import PocketVoiceError
from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.voices.new.recording import MicrophoneRecording, RecordPhase
from tests.gui.conftest import settle, until
from tests.gui.voices.new.fake_recorder import FakeRecorder, Recorders


class Told:
    """A recording, and what it told."""

    def __init__(self) -> None:
        self.messages = Messages()
        self.tasks = Tasks(self.messages.show_error)
        self.recorders = Recorders()
        self.recording = MicrophoneRecording(self.tasks, load_recorder=self.recorders.load)
        self.errors: list[PocketVoiceError] = []
        self.full = 0
        self.recording.failed.connect(self.errors.append)
        self.recording.full.connect(self._on_full)

    def _on_full(self) -> None:
        self.full += 1

    async def listening(self, count: int = 1) -> FakeRecorder:
        await until(lambda: len(self.recorders.made) == count)
        await settle()
        return self.recorders.made[-1]

    async def until_phase(self, phase: RecordPhase) -> None:
        await until(lambda: self.recording.view.phase is phase)
