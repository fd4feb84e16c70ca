"""Asks, where that is wanted, when the paragraph being spoken is in another language than the voice: switch, or not now.

The guess is made on a thread: its tables take half a second to load. Main thread only otherwise; nothing is asked as long as
models of one language are installed.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from pocketvoice.gui.controllers import model_list
from pocketvoice.gui.controllers.messages import Messages, Remedy, Topic
from pocketvoice.gui.controllers.models import ModelController, ModelView
from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.controllers.speech import Phase, SpeechController, SpeechView
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.main.reader import Reader
from pocketvoice.gui.voices.languages import language_title
from pocketvoice.hub import catalogue
from pocketvoice.text.normalise.chunks import PARAGRAPH

_NEAR = 4000
"""Characters before and behind the sentence in which its paragraph begins and ends."""
_LONG_LINE = 80
"""Characters: such a line is a paragraph by itself."""


@dataclass(frozen=True)
class _Offer:
    """What was asked."""

    model: str
    code: str
    start: int
    """Of the paragraph, in the reader's text."""


class OtherLanguage(QObject):
    """Watches the speech, and switches the model and the voice if the user says so."""

    def __init__(
        self,
        reader: Reader,
        speech: SpeechController,
        models: ModelController,
        settings: SettingsController,
        messages: Messages,
        tasks: Tasks,
        action: QAction,
        choose_model: Callable[[str], None],
        voice_with: Callable[[str], str],
        speak: Callable[[], None],
    ) -> None:
        """`choose_model` loads one, `voice_with` says whose voice it has then, `speak` speaks from the cursor on."""
        super().__init__()
        self._reader = reader
        self._speech = speech
        self._models = models
        self._settings = settings
        self._messages = messages
        self._tasks = tasks
        self._action = action
        self._choose_model = choose_model
        self._voice_with = voice_with
        self._speak = speak
        self._installed: dict[str, str] = {}  # code of a language -> the model for it
        self._ready: object = None  # the model for which that was looked up
        self._paragraph = (-1, -1)  # the one looked at last
        self._speech_number = 0
        self._refused: set[str] = set()  # languages, during one speech
        self._offer: _Offer | None = None
        self._switching: _Offer | None = None
        action.setChecked(settings.now.asks_language)
        action.setEnabled(False)
        models.changed.connect(self._on_model)
        speech.changed.connect(self._on_speech)
        speech.rested.connect(self._on_rest)

    def toggle(self) -> None:
        """Whether it asks at all."""
        self._settings.change(asks_language=self._action.isChecked())
        self._paragraph = (-1, -1)
        if self._action.isChecked():
            self._on_speech(self._speech.view)
        else:
            self._withdraw()

    def switch(self) -> None:
        """Reads the paragraph, and what follows, with the model of its language."""
        offer = self._offer
        self._withdraw()
        if offer is None:
            return
        self._switching = offer
        self._speech.stop()
        self._choose_model(offer.model)

    def not_now(self) -> None:
        """Asks no more for this language until another speech begins."""
        if self._offer is not None:
            self._refused.add(self._offer.code)
        self._withdraw()

    def _withdraw(self) -> None:
        self._offer = None
        self._messages.over(Topic.LANGUAGE)

    # ------------------------------------------------------------ the models

    def _on_model(self, view: ModelView) -> None:
        if view.ready is not None and view.ready is not self._ready:
            self._ready = view.ready
            self._tasks.start(self._look_up())
        switching = self._switching
        if switching is None or view.is_changing:
            return
        self._switching = None
        if view.ready is not None and view.ready.language == switching.model:  # else a message says why
            self._reader.set_caret(switching.start)
            self._speak()

    async def _look_up(self) -> None:
        """On a thread: the list stands in small files."""
        found = await asyncio.get_running_loop().run_in_executor(None, model_list.installed_by_language)
        self._installed = found
        self._action.setEnabled(len(found) > 1)

    def _current(self) -> str:
        return catalogue.language_code(self._models.language)

    # ------------------------------------------------------------ the speech

    def _on_rest(self) -> None:
        self._refused.clear()
        self._paragraph = (-1, -1)
        self._speech_number += 1
        if self._switching is None:
            self._withdraw()

    def _on_speech(self, view: SpeechView) -> None:
        is_wanted = self._settings.now.asks_language and len(self._installed) > 1 and self._switching is None
        if not is_wanted or view.phase is not Phase.SPEAKING or view.span is None:
            return
        start, stop = self._paragraph
        if start <= view.span[0] < stop:
            return
        self._paragraph = _paragraph_at(self._reader.text(), view.span[0])
        if self._offer is not None:  # it was about the paragraph before
            self._withdraw()
        self._tasks.start(self._look_at(self._paragraph, self._speech_number))

    async def _look_at(self, paragraph: tuple[int, int], speech: int) -> None:
        from pocketvoice.text.normalise.guess import guessed_language

        text, candidates = self._reader.text()[slice(*paragraph)], tuple(self._installed)
        loop = asyncio.get_running_loop()
        code = await loop.run_in_executor(None, guessed_language, text, candidates)
        is_over = paragraph != self._paragraph or speech != self._speech_number
        if is_over or code is None or code == self._current() or code in self._refused:
            return
        model = self._installed[code]
        self._offer = _Offer(model, code, paragraph[0])
        self._messages.say(
            f"This paragraph looks {language_title(code)}. Read it with {self._voice_with(model)}?",
            (Remedy.SWITCH, Remedy.NOT_NOW),
            Topic.LANGUAGE,
        )


def _paragraph_at(text: str, at: int) -> tuple[int, int]:
    """The long line that holds the place; else what stands there between blank lines."""
    stop = text.find("\n", at)
    line = text.rfind("\n", 0, at) + 1, stop if stop >= 0 else len(text)
    if line[1] - line[0] >= _LONG_LINE:
        return line
    first = max(0, at - _NEAR)
    before = [match.end() for match in PARAGRAPH.finditer(text, first, at)]
    after = PARAGRAPH.search(text, at, at + _NEAR)
    return before[-1] if before else first, after.start() if after else min(len(text), at + _NEAR)
