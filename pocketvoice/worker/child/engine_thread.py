"""The engine's thread: does one job after the other, and says how each ended. Its priority is lowered, the sound's is not."""

import logging
import os
import queue
import sys
import threading
from collections.abc import Callable

from pocketvoice.errors import GenerationError, PocketVoiceError
from pocketvoice.worker.child.jobs.job import Job
from pocketvoice.worker.child.model_host import ModelHost
from pocketvoice.worker.messages import ErrorInfo

log = logging.getLogger(__name__)

_FAILED = "The model failed while speaking: try again."


class EngineThread:
    """Owned by the main loop, which gives it one job at a time."""

    def __init__(self, host: ModelHost, on_done: Callable[[Job, ErrorInfo | None], None], nice: int) -> None:
        """`on_done` is called on the engine's thread."""
        self._host = host  # engine's thread, but for its pace
        self._on_done = on_done  # set once
        self._nice = nice  # set once
        self._jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self.job: Job | None = None
        """What it works on; main loop only, which clears it when the job is done."""
        threading.Thread(target=self._run, name="engine", daemon=True).start()

    def begin(self, job: Job) -> None:
        """Gives it a job; it must have none."""
        assert self.job is None, "the engine does one thing at a time"
        self.job = job
        self._jobs.put(job)

    def _run(self) -> None:
        lower_priority(self._nice)
        while True:
            job = self._jobs.get()
            error: ErrorInfo | None = None
            try:
                job.run(self._host)
            except BaseException as exc:  # outermost loop of a thread
                if not isinstance(exc, PocketVoiceError):
                    log.exception("the engine failed")
                error = ErrorInfo.from_exception(exc, _FAILED, kind=GenerationError.__name__)
            self._on_done(job, error)
            del job, error  # a speech's sound is not kept until the next job comes


def lower_priority(nice: int) -> None:
    """Of this thread and those it starts (Linux), elsewhere of the process: the rest of the computer comes first."""
    try:
        if sys.platform == "win32":
            import ctypes

            below_normal = 0x4000
            kernel = ctypes.windll.kernel32
            kernel.SetPriorityClass(kernel.GetCurrentProcess(), below_normal)
        else:
            os.nice(nice)
    except OSError as exc:
        log.debug("the priority can't be lowered: %s", exc)
