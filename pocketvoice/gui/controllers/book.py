"""Makes audiobooks: `pocketvoice book` in a process of its own, beside the worker, so that reading goes on meanwhile.

Knows no widgets. Main thread only; a thread reads what the process tells. The process ends with this one: it holds our pipe.
"""

import asyncio
import hashlib
import html
import json
import logging
import os
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from PySide6.QtCore import QObject, Signal

from pocketvoice import paths
from pocketvoice.book.durations import time_left
from pocketvoice.errors import GenerationError, from_os_error
from pocketvoice.gui.controllers.documents import DocumentOpener
from pocketvoice.gui.controllers.messages import Messages, Topic
from pocketvoice.gui.controllers.outline import Outline
from pocketvoice.gui.controllers.tasks import Tasks

_PATIENCE_S = 5.0
_LOWER = 10  # on the scale of `nice`: what is being read comes first
_MARK = "pocketvoice: "

_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class BookRequest:
    """What is to be made."""

    source: Path
    """The document."""
    target: Path
    """The file, or the folder for a file a chapter."""
    language: str | None
    """The model, by name."""
    config: str | None
    """The user's own model instead."""
    voice: str | None
    """Name, id or path; None is the model's own."""
    title: str | None = None
    """Instead of the document's own."""
    folder_format: str | None = None
    """Of the files in a folder, without a dot; None where `target` is a file."""
    subtitles: bool = False

    def arguments(self) -> list[str]:
        """As `pocketvoice book` takes them."""
        given = ["book", str(self.source), "--output", str(self.target), "--json", "--until-stdin-ends"]
        options = {
            "--language": self.language, "--config": self.config, "--voice": self.voice, "--title": self.title,
            "--format": self.folder_format,
        }  # fmt: skip
        given += [f"{option}={value}" for option, value in options.items() if value]
        return [*given, *(["--subtitles", "srt"] if self.subtitles else [])]


class BookMaker(QObject):
    """Makes one audiobook at a time."""

    progressed = Signal(str, object)  # a sentence, and the fraction done; None while that is not known
    ended = Signal()

    def __init__(self, messages: Messages, tasks: Tasks, opener: DocumentOpener) -> None:
        super().__init__()
        self._messages = messages
        self._tasks = tasks
        self._opener = opener
        self._process: subprocess.Popen[str] | None = None
        self._cancelled = False
        self.busy = False

    def source_of(self, text: str, outline: Outline) -> tuple[Path, str | None]:
        """The document to be made a book, and its title where the file does not know it.

        The file that the text came from; without one a page of the text with its headings is written. Raises OutputError.
        """
        path = self._opener.path_of(outline.document) if outline.document else None
        if path is not None:
            return path, None
        page = page_of(text, outline).encode("utf-8", "replace")
        folder = _pages_folder()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as exc:
            raise from_os_error(exc, folder) from exc
        path = folder / f"{hashlib.sha256(page).hexdigest()[:16]}.html"
        with paths.atomic_write(path) as file:
            file.write(page)
        return path, outline.title or None

    def make(self, request: BookRequest) -> None:
        """Begins a book, or goes on with one that was stopped."""
        if self.busy:
            self._messages.warn("An audiobook is being made: wait for it, or stop it.", topic=Topic.BOOK)
            return
        self._messages.over(Topic.BOOK)
        self.busy, self._cancelled = True, False
        self.progressed.emit(f"Beginning {request.target.name}…", None)
        self._tasks.start(self._make(request))

    def cancel(self) -> None:
        """Stops it; what was spoken is kept, and made again under the same name it goes on."""
        self._cancelled = True
        process = self._process
        if process is not None and process.stdin is not None:
            process.stdin.close()  # it ends within a moment

    def close(self) -> None:
        """The program ends."""
        process = self._process
        self.cancel()
        if process is not None:
            try:
                process.wait(_PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()

    async def _make(self, request: BookRequest) -> None:
        loop = asyncio.get_running_loop()

        def tell(event: dict[str, Any]) -> None:
            loop.call_soon_threadsafe(self._on_event, event)

        try:
            process = self._process = _started(request)
            if self._cancelled:
                self.cancel()
            last, sentence, code = await loop.run_in_executor(None, lambda: _listened(process, tell))
        finally:
            self._process = None
            self.busy = False
            self.ended.emit()
        self._show_end(request, last, sentence, code)

    def _on_event(self, event: dict[str, Any]) -> None:
        if self.busy and event.get("event") == "progress":
            left_s = event["left_s"]
            left = "" if left_s is None else f", {time_left(left_s)} left"
            self.progressed.emit(f"{event['text']}{left}", event["fraction"])

    def _show_end(self, request: BookRequest, last: dict[str, Any], sentence: str, code: int) -> None:
        if last.get("event") == "done":
            notes = " ".join(note.strip() for note in last["notes"][:1])
            if request.source.parent == _pages_folder():
                request.source.unlink(missing_ok=True)
            self._messages.say(f"The audiobook was saved as {request.target}. {notes}".strip())
        elif self._cancelled:
            self._messages.say(
                f"The audiobook {request.target.name} was stopped: made again under this name, it goes on where it was.",
                topic=Topic.BOOK,
            )
        else:
            said = (
                sentence
                or "The audiobook was broken off: make it again under the same name, it goes on where it was."
            )
            self._messages.show_error(GenerationError(said, detail=f"exit code {code}"), topic=Topic.BOOK)


def _started(request: BookRequest) -> "subprocess.Popen[str]":
    flags: dict[str, Any] = {} if os.name == "posix" else {"creationflags": 0x4000}  # below normal priority
    process = subprocess.Popen(
        paths.program(*request.arguments()), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, encoding="utf-8", errors="replace", **flags,
    )  # fmt: skip
    if os.name == "posix":
        os.setpriority(os.PRIO_PROCESS, process.pid, _LOWER)
    return process


def _listened(
    process: "subprocess.Popen[str]", tell: Callable[[dict[str, Any]], None]
) -> tuple[dict[str, Any], str, int]:
    """On a thread: the last event, the error's sentence, and the exit code."""
    said: list[str] = []
    assert process.stdout is not None
    assert process.stderr is not None
    errors = threading.Thread(target=_collect, args=(process.stderr, said), daemon=True)
    errors.start()
    last: dict[str, Any] = {}
    for line in process.stdout:
        if line.startswith("{"):
            last = json.loads(line)
            tell(last)
    code = process.wait()
    errors.join()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None and not stream.closed:
            stream.close()
    for line in said:
        _logger.info("book: %s", line)
    sentence = next((line.removeprefix(_MARK) for line in reversed(said) if line.startswith(_MARK)), "")
    return last, sentence, code


def _collect(stream: IO[str], said: list[str]) -> None:
    said.extend(line.rstrip() for line in stream)


def _pages_folder() -> Path:
    """Where pages are written of texts that come from no file."""
    return paths.user_cache_dir() / "books"


def page_of(text: str, outline: Outline) -> str:
    """A text with its headings as a web page, which `documents` reads."""
    parts = [f"<html><head><title>{html.escape(outline.title)}</title></head><body><article>"]
    headings = {heading.start: heading for heading in outline.headings}
    start = 0
    for line in text.splitlines(keepends=True):
        said = html.escape(line.strip())
        if said:
            heading = headings.get(start)
            tag = f"h{min(max(heading.level, 1), 6)}" if heading is not None else "p"
            parts.append(f"<{tag}>{said}</{tag}>")
        start += len(line)
    return "\n".join([*parts, "</article></body></html>"])
