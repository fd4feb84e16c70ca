"""Several engines speak pieces at a time: one in this process, the others in processes of their own, each on a thread here.

An engine is given one task after the other; a process that dies hands its task to the others. The results do not depend on who
spoke what. Processes end by themselves when this one does: their standard input closes.
"""

import json
import logging
import os
import queue
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pocketvoice import errors
from pocketvoice.book.fit import Take
from pocketvoice.book.pieces import Task
from pocketvoice.errors import Cancelled, GenerationError, PocketVoiceError

log = logging.getLogger(__name__)

_END_S = 5.0  # a process that was told to end gets so long


class Engine(Protocol):
    """Speaks one piece at a time, on a thread of the crew's."""

    def speak(self, task: Task) -> Take:
        """Speaks a take and keeps it; raises `EngineGone` if it can't any more."""
        ...

    def stop(self) -> None:
        """From another thread: leaves what it is at, soon."""
        ...


class EngineGone(Exception):
    """The engine's process has died."""


class EngineProcess:
    """An engine in a process of its own, which speaks JSON lines: its set-up, then tasks in, takes out."""

    def __init__(self, command: Sequence[str], setup: dict[str, Any]) -> None:
        self._command = list(command)
        self._setup = setup
        self._process: subprocess.Popen[str] | None = None
        self._stopped = False

    def speak(self, task: Task) -> Take:
        """Starts the process with the first task."""
        process = self._process or self._start()
        answer = self._ask(process, task.to_json())
        return Take(answer["number"], answer["ended"], answer["speech_s"])

    def stop(self) -> None:
        self._stopped = True
        process = self._process
        if process is not None:
            process.kill()  # whole pieces are on the disk

    def close(self) -> None:
        """Ends the process."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.close()
        except OSError:
            process.kill()
        try:
            process.wait(timeout=_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    def _start(self) -> "subprocess.Popen[str]":
        # Ctrl-C is for this process, which ends the other in its own way.
        apart: dict[str, Any] = (
            {"start_new_session": True} if os.name == "posix" else {"creationflags": 0x200}
        )
        process = self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            **apart,
        )
        self._ask(process, json.dumps(self._setup))
        return process

    def _ask(self, process: "subprocess.Popen[str]", line: str) -> dict[str, Any]:
        assert process.stdin is not None
        assert process.stdout is not None
        if self._stopped:
            process.kill()
            raise Cancelled("The book was stopped.")
        try:
            process.stdin.write(line + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except (OSError, ValueError) as exc:
            raise EngineGone from exc
        if not answer.endswith("\n"):
            raise Cancelled("The book was stopped.") if self._stopped else EngineGone
        data: dict[str, Any] = json.loads(answer)
        if "error" in data:
            raise _error_of(data)
        return data


def told(error: PocketVoiceError) -> dict[str, str]:
    """An error as a process tells it."""
    return {"error": error.message, "kind": type(error).__name__, "detail": error.detail}


def _error_of(data: dict[str, Any]) -> PocketVoiceError:
    kind = getattr(errors, str(data.get("kind")), GenerationError)
    error: PocketVoiceError = kind(str(data["error"]), detail=str(data.get("detail", "")))
    return error


@dataclass(frozen=True)
class Done:
    """A task and what came of it."""

    task: Task
    take: Take


class Crew:
    """The engines of a book. Its calls belong to one thread."""

    def __init__(self, engines: Sequence[Engine]) -> None:
        self._engines = list(engines)

    def speak(self, tasks: Iterable[Task]) -> Generator[Done, None, None]:
        """All takes, each when it is kept, in the order in which they get ready. Raises what an engine raised.

        Closing it, or an error, stops all engines before it returns.
        """
        waiting = _Waiting(tasks)
        results: queue.SimpleQueue[Done | BaseException | None] = queue.SimpleQueue()
        threads = [
            threading.Thread(target=_work, args=(engine, waiting, results.put), name="book", daemon=True)
            for engine in self._engines
        ]
        missing, running = len(waiting), len(threads)
        for thread in threads:
            thread.start()
        try:
            while missing:
                result = results.get()
                if isinstance(result, Done):
                    missing -= 1
                    yield result
                elif result is None:
                    running -= 1
                    if not running and missing:
                        raise GenerationError(
                            "All engines of the book have ended: run the same command again, it goes on where it is."
                        )
                else:
                    raise result
        except BaseException:
            waiting.end()
            for engine in self._engines:
                engine.stop()
            raise
        finally:
            waiting.end()
            for thread in threads:
                thread.join()


class _Waiting:
    """The tasks that no engine has taken yet; for the threads of all engines."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._tasks = deque(tasks)  # guarded by _changed
        self._ended = False  # guarded by _changed
        self._changed = threading.Condition()

    def __len__(self) -> int:
        return len(self._tasks)

    def next(self) -> Task | None:
        """The next one; while others are being spoken waits whether one of these comes back. None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended or self._tasks)
            return None if self._ended else self._tasks.popleft()

    def give_back(self, task: Task) -> None:
        with self._changed:
            self._tasks.appendleft(task)
            self._changed.notify()

    def end(self) -> None:
        with self._changed:
            self._ended = True
            self._changed.notify_all()


def _work(engine: Engine, waiting: _Waiting, put: Callable[[Done | BaseException | None], None]) -> None:
    """A thread: one engine's tasks until there are none."""
    try:
        while (task := waiting.next()) is not None:
            try:
                put(Done(task, engine.speak(task)))
            except EngineGone:
                log.warning("An engine of the book has ended; the others go on.")
                waiting.give_back(task)
                break
    except BaseException as exc:  # the outermost loop of a thread: the crew's caller gets it
        put(exc)
    put(None)
