"""What the worker does beside speaking: voices to be made, files to be written; in order, voices first. Main loop only.

An errand that was stopped ends at once, also when the engine needs a moment more to leave it; its file goes then.
"""

from collections.abc import Callable

from pocketvoice.errors import InputError
from pocketvoice.worker.child.engine_jobs import Clone, ExportFile, ExportOn, Job
from pocketvoice.worker.messages import (
    MAX_SPEED,
    MIN_SPEED,
    CloneVoice,
    ErrorInfo,
    Event,
    Export,
    Failed,
    Finished,
    Stopped,
)


class BackgroundJobs:
    """Those that have not ended."""

    def __init__(self, send: Callable[[Event], None], job: Callable[[], Job | None]) -> None:
        """`job` tells what the engine is at."""
        self._send = send
        self._engine_job = job
        self._clones: list[CloneVoice] = []
        self._exports: list[ExportFile] = []

    def __bool__(self) -> bool:
        return bool(self._clones or self._exports)

    @property
    def has_clones(self) -> bool:
        """Whether voices are to be made."""
        return bool(self._clones)

    def add(self, request: CloneVoice | Export) -> None:
        """Takes one in; raises InputError."""
        if isinstance(request, CloneVoice):
            self._clones.append(request)
        else:
            within(request.speed, MIN_SPEED, MAX_SPEED, "speed")
            self._exports.append(ExportFile(request))

    def job(self) -> Job | None:
        """The next one, for the engine."""
        if self._clones:
            return Clone(self._clones[0])
        return ExportOn(self._exports[0], self._send) if self._exports else None

    def stop(self, request_id: str) -> None:
        """Ends one, if it is one."""
        self._end(request_id, Stopped(request_id))

    def fail_all(self, error: ErrorInfo) -> None:
        """There is no model for them."""
        ids = [clone.request_id for clone in self._clones]
        ids += [export.request.request_id for export in self._exports]
        for request_id in ids:
            self._end(request_id, Failed(request_id, error))

    def on_done(self, job: Clone | ExportOn, error: ErrorInfo | None) -> None:
        """The engine has left one: it is complete, has failed, was stopped, or made way for speech."""
        request_id = job.request_id
        is_open = self._is_open(request_id)
        if isinstance(job, ExportOn) and not is_open:
            job.export.drop()  # stopped while it was being written
        if not is_open:
            return
        if error is not None:
            self._end(request_id, Failed(request_id, error))
        elif isinstance(job, ExportOn):
            if job.export.is_complete:
                self._end(request_id, Finished(request_id, job.export.stats()))
        else:
            if job.made is not None:
                self._send(job.made)
            self._end(request_id, Finished(request_id))

    def _is_open(self, request_id: str) -> bool:
        return any(one.request_id == request_id for one in self._clones) or any(
            one.request.request_id == request_id for one in self._exports
        )

    def _end(self, request_id: str, event: Event) -> None:
        if not self._is_open(request_id):
            return
        job = self._engine_job()
        is_at_work = job is not None and job.request_id == request_id
        if job is not None and is_at_work:
            job.stop.set()
        for export in self._exports:
            if export.request.request_id == request_id and not is_at_work:
                export.drop()
        self._clones = [one for one in self._clones if one.request_id != request_id]
        self._exports = [one for one in self._exports if one.request.request_id != request_id]
        self._send(event)


def within(value: float, least: float, most: float, what: str) -> float:
    """The value; raises InputError if it is not between the two."""
    if not least <= value <= most:  # NaN too
        raise InputError(f"The {what} must be from {least:g} to {most:g}, not {value:g}.")
    return value
