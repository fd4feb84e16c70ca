"""Keeps the text in the reader, where it was left off, and the texts before it: on the disk soon after each change.

Main thread only; the disk is written on a thread, one write at a time. Knows no widgets.
"""

import asyncio
import dataclasses
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from pocketvoice.errors import PocketVoiceError
from pocketvoice.gui.controllers import text_store
from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.gui.controllers.outline import Outline
from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.controllers.text_store import KeptText, KeptTexts
from pocketvoice.settings import MOST_RECENT_TEXTS

_SOON_MS = 1000


class Texts(QObject):
    """The texts that outlive the program, however that ends."""

    def __init__(self, messages: Messages, tasks: Tasks, settings: SettingsController) -> None:
        super().__init__()
        self._messages = messages
        self._tasks = tasks
        self._settings = settings
        self._current: Callable[[], tuple[str, int, Outline]] | None = None
        self._new: dict[str, str] = {}  # texts that may not be on the disk yet, by name
        self._outlines: dict[str, Outline] = {}  # of texts that came from documents, by name
        self._is_held = False
        self._draft_text: str | None = None  # the one that `_state.draft` stands for
        self._state = self._saved = text_store.load()
        self._is_told = False  # that it can't be saved
        self._writing = asyncio.Lock()
        # It is not started anew by each change: while a text is read or written there is always another.
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SOON_MS)
        self._soon.timeout.connect(lambda: self._tasks.start(self._save()))
        self._take_from_settings()

    @property
    def recent(self) -> tuple[KeptText, ...]:
        """Texts that were spoken or replaced, the newest first."""
        return self._state.recent

    def follow(self, current: Callable[[], tuple[str, int, Outline]]) -> None:
        """`current` gives the text in the reader, the index at which it is left off, and its outline; from now on that is kept."""
        self._current = current

    def hold(self, is_held: bool) -> None:
        """While held, what stands in the reader is not kept: a document comes into it piece by piece."""
        self._is_held = is_held
        if not is_held:
            self.touch()

    def of_document(self, document: str) -> KeptText | None:
        """The kept text of a document, by its id."""
        everything = (*self._state.recent, *((self._state.draft,) if self._state.draft else ()))
        return next((text for text in everything if document and text.document == document), None)

    def outline(self, text: KeptText, length: int) -> Outline:
        """What is known of a kept text of so many characters beside its letters."""
        return self._outlines.get(text.name) or text_store.read_outline(text, length)

    def draft(self) -> tuple[str, int, Outline]:
        """The text that stood in the reader, and where it was left off; a text that can't be read is told of."""
        draft = self._state.draft
        if draft is None:
            return "", 0, Outline()
        text, place = self.read(draft)
        return text, place, self.outline(draft, len(text))

    def read(self, text: KeptText) -> tuple[str, int]:
        """A kept text and where it was left off; ("", 0), and a message, if it can't be read."""
        try:
            found = self._new[text.name] if text.name in self._new else text_store.read(text)
        except PocketVoiceError as error:
            self._messages.show_error(error)
            return "", 0
        return found, min(text.place, len(found))

    def touch(self) -> None:
        """The text in the reader or its place has changed: it is saved soon."""
        if not self._soon.isActive() and not self._is_held:
            self._soon.start()

    def remember(self, text: str, place: int = 0, outline: Outline | None = None) -> None:
        """Puts a text on top of the recent ones."""
        text_or_spaces, text = text, text.strip()
        if not text:
            return
        place -= len(text_or_spaces) - len(text_or_spaces.lstrip())
        is_whole = (
            outline is not None and outline.title and text == text_or_spaces
        )  # else its places would not fit
        new = text_store.kept(text, max(place, 0), outline if is_whole else None)
        self._new[new.name] = text
        if outline is not None and is_whole:
            self._outlines[new.name] = outline
        others = [other for other in self._state.recent if other.name != new.name]
        recent = tuple([new, *others][:MOST_RECENT_TEXTS])
        self._state = dataclasses.replace(self._state, recent=recent)
        self.touch()

    def save_now(self) -> None:
        """Writes what has changed at once, for the end of the program. What goes wrong is in the log."""
        self._soon.stop()
        self._take_draft()
        self._write(self._state, dict(self._new), dict(self._outlines))

    async def _save(self) -> None:
        async with self._writing:
            self._take_draft()
            state, new, outlines = self._state, dict(self._new), dict(self._outlines)
            loop = asyncio.get_running_loop()
            error = await loop.run_in_executor(None, self._write, state, new, outlines)
        if error is not None and not self._is_told:
            self._is_told = True
            self._messages.show_error(error)
        if error is None:
            self._is_told = False
            kept = {text.name for text in self._state.recent} | {self._state.draft and self._state.draft.name}
            self._new = {name: text for name, text in self._new.items() if name in kept and name not in new}
            self._outlines = {name: one for name, one in self._outlines.items() if name in kept}

    def _write(
        self, state: KeptTexts, new: dict[str, str], outlines: dict[str, Outline]
    ) -> PocketVoiceError | None:
        """On any thread; the error if it could not be saved."""
        if state == self._saved:
            return None
        try:
            text_store.save(state, new, outlines)
        except PocketVoiceError as error:
            return error
        self._saved = state
        return None

    def _take_draft(self) -> None:
        """What stands in the reader now; its place is also that of the same text among the recent ones."""
        if self._current is None or self._is_held:
            return
        text, place, outline = self._current()
        if not text:
            self._draft_text, self._state = text, dataclasses.replace(self._state, draft=None)
            return
        draft = self._state.draft
        if draft is None or text != self._draft_text:
            draft = text_store.kept(text, outline=outline)
            self._new[draft.name] = text
            if outline.title:
                self._outlines[draft.name] = outline
        draft = dataclasses.replace(draft, place=place)
        recent = tuple(draft if one.name == draft.name else one for one in self._state.recent)
        self._draft_text, self._state = text, KeptTexts(draft, recent)

    def _take_from_settings(self) -> None:
        """What an earlier version kept among the settings."""
        old = self._settings.now
        if not old.draft and not old.recent_texts:
            return
        for text in reversed(old.recent_texts):
            self.remember(text)
        if old.draft and self._state.draft is None:
            draft = text_store.kept(old.draft)
            self._new[draft.name] = old.draft
            self._state = dataclasses.replace(self._state, draft=draft)
        self.save_now()
        if self._saved == self._state:
            self._settings.change(draft="", recent_texts=())
