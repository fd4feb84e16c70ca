"""Opens documents: on a thread, piece by piece, so that the first words are there at once and the window never waits.

Knows no widgets. Main thread only; the reading is done on a thread of its own, of which there is one at a time.
"""

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from pocketvoice.documents import Block, Document
from pocketvoice.errors import InputError, PocketVoiceError
from pocketvoice.gui.controllers.messages import Messages, Topic
from pocketvoice.gui.controllers.outline import Assembly, Outline, Piece
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.controllers.texts import Texts

MOST_CHARACTERS = 20_000_000
"""Of a text in the window; a long novel has two million."""
_FIRST_S, _NEXT_S = 0.03, 0.1  # so long blocks are collected before they are shown
_PIECE_LETTERS = 200_000  # or so many of them
_SLOW_S = 0.4  # after so long it is shown how far it is

Result = TypeVar("Result")

_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Kept:
    """A document that was opened before: its text, and where it was left off."""

    text: str
    place: int
    outline: Outline


class DocumentOpener(QObject):
    """Reads one document, or several that follow each other."""

    began = Signal(str)  # the title: a document comes, its text follows
    grew = Signal(object)  # Piece
    finished = Signal(object)  # Outline: all of it is there
    found = Signal(object)  # Kept, instead of all these
    progressed = Signal(str, object)  # a sentence, and the fraction done; None while that is not known
    ended = Signal()

    def __init__(self, messages: Messages, tasks: Tasks, texts: Texts) -> None:
        super().__init__()
        self._messages = messages
        self._tasks = tasks
        self._texts = texts
        self._cancel = threading.Event()  # set once for each opening
        self._number = 0  # of the opening that counts
        self._paths: dict[str, Path] = {}  # by the id of the document
        self.is_open = False
        """Whether a document is coming in just now."""

    def open(self, paths: Sequence[str], then: Callable[[], None] | None = None) -> None:
        """Reads these files, instead of those that are being read. `then` is called when there is text, and time to begin."""
        self.cancel()
        self._cancel = threading.Event()
        self._number += 1
        self.is_open = True
        self._tasks.start(self._open([Path(path) for path in paths], self._number, self._cancel, then))

    def cancel(self) -> None:
        """Reads no further; what was read stays, and is told to be all."""
        self._cancel.set()

    def abandon(self) -> None:
        """Reads no further and tells nothing more: another text is there."""
        self._cancel.set()
        self._number += 1
        if self.is_open:
            self._over()

    def _over(self) -> None:
        self.is_open = False
        self._texts.hold(False)
        self.ended.emit()

    async def _open(
        self, paths: Sequence[Path], number: int, cancel: threading.Event, then: Callable[[], None] | None
    ) -> None:
        self._texts.hold(True)
        run = _Opening(self, cancel, then)
        try:
            outline = await run.read(paths)
            if outline is not None and number == self._number:
                _logger.info("opened %s", ", ".join(path.name for path in paths))
                self.finished.emit(outline)
                run.call_then()
        finally:
            cancel.set()  # the thread ends too if this task was ended
            run.close()
            if number == self._number:
                self._over()

    def opened(self, document: Document, path: Path) -> None:
        """A document was found in a file."""
        self._paths[document.id] = path

    def path_of(self, document: str) -> Path | None:
        """The file of a document that was opened since the start, by its id; None if it is not known, or gone."""
        path = self._paths.get(document)
        return path if path is not None and path.is_file() else None

    def tell(self, error: PocketVoiceError) -> None:
        """Says why a file could not be opened, or not to its end."""
        self._messages.show_error(error, topic=Topic.FILE)

    def kept(self, document: Document) -> Kept | None:
        """The document as it was left, if it was opened before."""
        text = self._texts.of_document(document.id)
        if text is None:
            return None
        found, place = self._texts.read(text)
        return Kept(found, place, self._texts.outline(text, len(found))) if found else None


class _Opening:
    """One opening: what its thread and the window's thread hand to each other."""

    def __init__(
        self, opener: DocumentOpener, cancel: threading.Event, then: Callable[[], None] | None
    ) -> None:
        self._opener = opener
        self._cancel = cancel
        self._then = then
        self._loop = asyncio.get_running_loop()
        self._assembly = Assembly()  # on the thread alone while a file is read
        self._pieces: deque[tuple[str, Piece, float]] = deque()  # from the thread, in order
        self._has_begun = False
        self._sentence, self._fraction = "", 0.0
        self._is_slow = False
        self._waiting = self._loop.call_later(_SLOW_S, self._on_slow)

    def close(self) -> None:
        """Tells no more how far it is."""
        self._waiting.cancel()

    async def read(self, paths: Sequence[Path]) -> Outline | None:
        """All files, one after the other; what is known of their text, None if there is none."""
        outlines: list[Outline] = []
        for path in paths:
            if self._cancel.is_set():
                break
            self._sentence = f"Opening {path.name}…"
            outline = await self._read_one(path, is_only=len(paths) == 1)
            if outline is not None:
                outlines.append(outline)
        if not self._has_begun:
            return None
        first = outlines[0] if outlines else Outline()
        chapters = tuple(chapter for outline in outlines for chapter in outline.chapters)
        document = first.document if len(outlines) == 1 else ""
        return Outline(document, first.title, tuple(self._assembly.headings), chapters)

    async def _read_one(self, path: Path, *, is_only: bool) -> Outline | None:
        try:
            document = await self._on_thread(lambda: _opened(path))
        except PocketVoiceError as error:
            self._opener.tell(error)
            return None
        self._opener.opened(document, path)
        kept = self._opener.kept(document) if is_only else None
        if kept is not None:
            document.close()
            if not self._cancel.is_set():
                self._opener.found.emit(kept)
                self.call_then()
            return None
        try:
            try:
                await self._on_thread(lambda: self._read_document(document))
            finally:
                self._show_pieces()
            if self._cancel.is_set():
                return Outline("", document.title)
            chapters = await self._on_thread(lambda: self._assembly.chapters(document))
        except PocketVoiceError as error:
            self._opener.tell(error)
            return Outline("", document.title)
        finally:
            document.close()
        return Outline(document.id, document.title, (), chapters)

    async def _on_thread(self, work: Callable[[], Result]) -> Result:
        return await self._loop.run_in_executor(None, work)

    # ------------------------------------------------------------ on the thread

    def _read_document(self, document: Document) -> None:
        """Hands over the text in pieces of what was read in a moment. Raises DocumentError, and InputError if it is too much."""
        self._assembly.begin()
        batch: list[Block] = []
        letters, due = 0, time.monotonic() + _FIRST_S
        for block in document.blocks():
            batch.append(block)
            letters += len(block.text)
            if time.monotonic() < due and letters < _PIECE_LETTERS:
                continue
            self._put(document, batch)
            batch, letters, due = [], 0, time.monotonic() + _NEXT_S
            if self._cancel.is_set():
                return
            if self._assembly.length > MOST_CHARACTERS:
                raise InputError(
                    f"{document.name} is too long: only {MOST_CHARACTERS // 1_000_000} million letters of it are shown. Split it."
                )
        if batch:
            self._put(document, batch)

    def _put(self, document: Document, batch: list[Block]) -> None:
        fraction = batch[-1].place.part / max(len(document.parts), 1)
        self._pieces.append((document.title, self._assembly.piece(batch), fraction))
        self._loop.call_soon_threadsafe(self._show_pieces)

    # ------------------------------------------------------------ on the window's thread

    def _show_pieces(self) -> None:
        while self._pieces:
            self._show(*self._pieces.popleft())

    def _show(self, title: str, piece: Piece, fraction: float) -> None:
        if self._cancel.is_set():
            return
        if not self._has_begun:
            self._has_begun = True
            self._opener.began.emit(title)
        self._opener.grew.emit(piece)
        self._fraction = fraction
        if self._is_slow:
            self._opener.progressed.emit(self._sentence, fraction or None)
            self.call_then()

    def _on_slow(self) -> None:
        """It takes a while: how far it is is shown, and what is there is enough to begin with."""
        self._is_slow = True
        self._opener.progressed.emit(self._sentence, self._fraction or None)
        if self._has_begun:
            self.call_then()

    def call_then(self) -> None:
        """Says once that there is text."""
        then, self._then = self._then, None
        if then is not None:
            then()


def _opened(path: Path) -> Document:
    from pocketvoice.documents import open_document  # and what it needs: loaded on the thread

    return open_document(path)
