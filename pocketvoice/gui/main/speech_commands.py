"""Speaking: what the buttons, menus and keys of the speech do. They read the reader and tell the speech controller.

Main thread only.
"""

from collections.abc import Callable
from functools import partial

from pocketvoice.gui.controllers import model_list
from pocketvoice.gui.controllers.messages import Messages, Remedy, Topic
from pocketvoice.gui.controllers.models import ModelController, ModelPhase
from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.controllers.speech import SpeechController
from pocketvoice.gui.controllers.texts import Texts
from pocketvoice.gui.main.reader import NOTHING_TO_READ, Reader
from pocketvoice.gui.widgets.transfer import clipboard_text


class SpeechCommands:
    """Begins and steers the speech of the reader's text. What needs no reader is the controller's own."""

    def __init__(
        self,
        reader: Reader,
        speech: SpeechController,
        models: ModelController,
        settings: SettingsController,
        texts: Texts,
        messages: Messages,
        voice: Callable[[], str | None],
        show_text: Callable[[str], None],
    ) -> None:
        """`voice` says with which voice to speak (None is the model's default), `show_text` puts a text into the reader."""
        self._reader = reader
        self._speech = speech
        self._models = models
        self._settings = settings
        self._texts = texts
        self._messages = messages
        self._voice = voice
        self._show_text = show_text
        self._ended_at = -1  # where the last speech broke off
        self._spoken_to = -1  # the end of the text when all of it was to be spoken
        speech.heard_out.connect(self._on_heard_out)
        reader.cursorPositionChanged.connect(self._on_cursor)
        reader.textChanged.connect(speech.forget_times)
        reader.textChanged.connect(partial(messages.over, Topic.EMPTY))

    def play(self) -> None:
        """Speaks if nothing is spoken; else pauses, or goes on. The reader gets the keyboard: there Space pauses."""
        if self._speech.view.active:
            self._speech.toggle_pause()
        else:
            self.speak()
        self._reader.setFocus()

    def speak(self) -> None:
        """Speaks the selection, or from the cursor on; from the start where only spaces follow the cursor."""
        text, selection = self._reader.text(), self._reader.selection()
        if selection is not None and text[slice(*selection)].strip():
            self._speak(text[slice(*selection)], offset=selection[0])
            return
        caret = self._reader.caret()
        self._speak(text, start=caret if text[caret:].strip() else 0)

    def speak_all(self) -> None:
        """Speaks the whole text."""
        self._speak(self._reader.text())

    def speak_clipboard(self) -> None:
        """Shows the text on the clipboard and speaks it."""
        text = clipboard_text()
        if not text.strip():
            self._messages.say("There is no text on the clipboard: copy some first.", topic=Topic.EMPTY)
            return
        if text != self._reader.text():
            self._show_text(text)
        self._speak(text)

    def seek_share(self, share: float) -> None:
        """Goes to the sentence at a share of the text, 0 to 1; at rest the cursor goes there."""
        index = int(share * len(self._reader.text()))
        if self._speech.view.active:
            self._speech.seek(index)
        else:
            self._speech.forget_times()
            self._reader.set_caret(index)

    def show_end(self, at: int) -> None:
        """Puts the cursor where the speech broke off; -1 is nowhere, for it was heard to its end."""
        self._ended_at = at
        if at >= 0:
            self._reader.set_caret(at)

    def _on_heard_out(self) -> None:
        """A document that was still being read when its speech began has grown since: it is spoken on."""
        text, reached = self._reader.text(), self._spoken_to
        self._spoken_to = -1
        if 0 <= reached < len(text) and text[reached:].strip():
            self._speak(text, start=reached)

    def _on_cursor(self) -> None:
        if self._reader.caret() != self._ended_at:
            self._speech.forget_times()

    def faster(self) -> None:
        """Speaks faster by a tenth."""
        self.set_speed(self._speech.stepped_speed(+1))

    def slower(self) -> None:
        """Speaks slower by a tenth."""
        self.set_speed(self._speech.stepped_speed(-1))

    def normal_speed(self) -> None:
        """Speaks at the speed of the model."""
        self.set_speed(1.0)

    def set_speed(self, speed: float) -> None:
        """Sets the speed, and remembers it."""
        self._speech.set_speed(speed)
        self._settings.change(speed=self._speech.view.speed)

    def set_volume(self, volume: float) -> None:
        """Sets the volume, and remembers it."""
        self._speech.set_volume(volume)
        self._settings.change(volume=self._speech.view.volume)

    def _speak(self, text: str, *, start: int = 0, offset: int = 0) -> None:
        if not text.strip():
            self._messages.say(NOTHING_TO_READ, topic=Topic.EMPTY)
            return
        letters = model_list.unknown_letters(text[start:], self._models.language)
        if self._models.view.phase is ModelPhase.MISSING:
            self._models.recover()  # what failed may work by now; if not, it says why
        self._texts.remember(self._reader.text(), offset + start, self._reader.outline())
        self._spoken_to = len(text) if len(text) == len(self._reader.text()) else -1
        self._speech.speak(text, start=start, offset=offset, voice=self._voice())
        if letters is not None:
            self._messages.say(letters.sentence, (Remedy.CHOOSE_MODEL,), Topic.READING)
