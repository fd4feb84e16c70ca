"""What the worker does beside speaking: voices to be made, texts to be spoken into clients' hands, files to be written.

All that have not ended, whatever their kind: which is next is the scheduler's. One that is stopped ends at once, also when the
engine needs a moment more to leave it. Main loop only.
"""

from collections.abc import Callable

from pocketvoice.worker.child.jobs.clone import VoiceFile
from pocketvoice.worker.child.jobs.export import ExportFile
from pocketvoice.worker.child.jobs.job import BackgroundRequest, Job, Send
from pocketvoice.worker.child.jobs.synthesis import Synthesis
from pocketvoice.worker.child.scheduler import Kind, Turn, Work
from pocketvoice.worker.messages import (
    MAX_SPEED,
    MAX_SYNTHESIS_SPEED,
    MIN_SPEED,
    MIN_SYNTHESIS_SPEED,
    CloneVoice,
    ErrorInfo,
    Event,
    Export,
    Failed,
    Finished,
    Stopped,
    Synthesize,
    Taken,
    within,
)


class BackgroundJobs:
    """The requests beside speech that have not ended, in the order in which they came."""

    def __init__(self, send: Send, engine_job: Callable[[], Job | None]) -> None:
        """`engine_job` tells what the engine is at."""
        self._send = send
        self._engine_job = engine_job
        self._open: dict[str, BackgroundRequest] = {}
        self.last_turn_was_new = False
        """Whether the last turn of a synthesis was its first: see `Demand`."""

    def __bool__(self) -> bool:
        return bool(self._open)

    def add(self, request: CloneVoice | Export | Synthesize) -> None:
        """Takes one in; raises InputError."""
        self._open[request.request_id] = _of(request)

    def took(self, request: Taken) -> None:
        """The client has used some of a synthesis; nothing if it has ended."""
        synthesis = self._open.get(request.target_id)
        if isinstance(synthesis, Synthesis):
            synthesis.taken = max(synthesis.taken, request.position)

    def of(self, kind: Kind) -> tuple[str, ...]:
        """The ids of those of a kind."""
        return tuple(one.request_id for one in self._open.values() if one.kind is kind)

    def turns(self) -> tuple[Turn, ...]:
        """The syntheses, for the scheduler."""
        return tuple(one.turn() for one in self._open.values() if isinstance(one, Synthesis))

    def job(self, work: Work) -> Job:
        """The next job of one of them."""
        request = self._open[work.request_id]
        if isinstance(request, Synthesis):
            self.last_turn_was_new = request.is_new
        return request.job(self._send)

    def stop(self, request_id: str) -> None:
        """Ends one, if it is one."""
        request = self._open.get(request_id)
        if request is not None:
            self._end(request, Stopped(request_id, stats=request.stats()))

    def fail_all(self, error: ErrorInfo) -> None:
        """There is no model for them."""
        for request in list(self._open.values()):
            self._end(request, Failed(request.request_id, error))

    def on_done(self, job: Job, error: ErrorInfo | None) -> None:
        """The engine has left one: it is complete, has failed, was stopped, or made way for another."""
        request = self._open.get(job.request_id)
        if request is None:
            job.clean_up()  # it was stopped while it was at work
        elif error is not None:
            self._end(request, Failed(request.request_id, error))
        elif request.is_done:
            result = request.result()
            if result is not None:
                self._send(result)
            self._end(request, Finished(request.request_id, request.stats()))

    def _end(self, request: BackgroundRequest, event: Event) -> None:
        """The one place where one ends."""
        del self._open[request.request_id]
        job = self._engine_job()
        if job is not None and job.request_id == request.request_id:
            job.stop.set()
        else:
            request.drop()
        self._send(event)


def _of(request: CloneVoice | Export | Synthesize) -> BackgroundRequest:
    """What is kept of a request until its end; raises InputError."""
    match request:
        case CloneVoice():
            return VoiceFile(request)
        case Export():
            within(request.speed, MIN_SPEED, MAX_SPEED, "speed")
            return ExportFile(request)
        case Synthesize():
            within(request.speed, MIN_SYNTHESIS_SPEED, MAX_SYNTHESIS_SPEED, "speed")
            return Synthesis(request)
