"""How the text is read: shows the spoken form of the selection, and keeps pronunciations. Main thread only; no dialog blocks.

What reads texts, and the dialogs about it, are imported when they are first wanted: the window opens without them.
"""

import asyncio
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from pocketvoice.gui.controllers.messages import Messages, Topic
from pocketvoice.gui.controllers.models import ModelController
from pocketvoice.gui.controllers.pronunciations import Pronunciations
from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.controllers.speech import SpeechController
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.main.actions import Actions
from pocketvoice.gui.main.reader import NOTHING_TO_READ, Reader
from pocketvoice.gui.voices.languages import language_title
from pocketvoice.gui.widgets.dialogs import file_dialog
from pocketvoice.hub import catalogue

if TYPE_CHECKING:
    from pocketvoice.gui.main.pronounce import PronunciationsDialog
    from pocketvoice.text.normalise import PronunciationRule, Spoken

_MOST_SHOWN = 20_000
"""Characters whose spoken form is shown at once."""
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_TABLES = "Tables (*.csv)"


class ReadingCommands:
    """What the menu offers beside speaking."""

    def __init__(
        self,
        dialog_parent: QWidget,
        reader: Reader,
        speech: SpeechController,
        models: ModelController,
        pronunciations: Pronunciations,
        settings: SettingsController,
        messages: Messages,
        tasks: Tasks,
        voice: Callable[[], str | None],
        voice_name: Callable[[str], str],
        actions: Actions,
    ) -> None:
        """`voice` says with which voice is spoken (None is the model's default), `voice_name` what people call it."""
        self._dialog_parent = dialog_parent
        self._reader = reader
        self._speech = speech
        self._models = models
        self._pronunciations = pronunciations
        self._settings = settings
        self._messages = messages
        self._tasks = tasks
        self._voice = voice
        self._voice_name = voice_name
        self._emoji = actions["emoji"]
        self._emoji.setChecked(settings.now.names_emoji)

    # ------------------------------------------------------------ how this is read

    def how_read(self) -> None:
        """Shows the spoken form of the selection, or of the text from the cursor on."""
        text, selection = self._reader.text(), self._reader.selection()
        start, stop = selection or (self._reader.caret(), len(text))
        if not text[start:stop].strip():
            start, stop = 0, len(text)
        source = text[start : min(stop, start + _MOST_SHOWN)]
        if not source.strip():
            self._messages.say(NOTHING_TO_READ, topic=Topic.EMPTY)
            return
        what = "The selection" if selection else "The text from the cursor on"
        more = "" if stop - start <= _MOST_SHOWN else f" (its first {_MOST_SHOWN} characters)"
        self._tasks.start(self._show_reading(source, f"{what}{more}, read in "))

    async def _show_reading(self, source: str, title: str) -> None:
        """On a thread: a language's tables are read at first, and a page of numbers takes a while."""
        from pocketvoice.gui.main.how_read import HowReadDialog
        from pocketvoice.text.normalise import PronunciationRules, Style, normalise

        code = self._language() or "en"
        rules = PronunciationRules(self._pronunciations.rules).for_voice(self._current_voice())
        style = Style(emoji="named" if self._settings.now.names_emoji else "skipped")
        work: Callable[[], Spoken] = partial(normalise, source, code, rules, style=style)
        spoken = await asyncio.get_running_loop().run_in_executor(None, work)
        HowReadDialog(source, spoken, f"{title}{language_title(code)}:", self._dialog_parent).open()

    def toggle_emoji(self) -> None:
        """Emoji are called by their names, or skipped; what is being spoken is spoken anew."""
        self._settings.change(names_emoji=self._emoji.isChecked())
        self._speech.speak_anew()

    # ------------------------------------------------------------ pronunciations

    def pronounce(self) -> None:
        """Asks how the selection is said, or the word at the cursor."""
        self._edit(None, " ".join(self._chosen_word().split()))

    def pronunciations(self) -> None:
        """Lists all pronunciations."""
        from pocketvoice.gui.main.pronounce import PronunciationsDialog

        dialog = PronunciationsDialog(self._dialog_parent)
        show = partial(self._show_rules, dialog)
        self._pronunciations.changed.connect(show)
        dialog.finished.connect(lambda: self._pronunciations.changed.disconnect(show))
        dialog.add_wanted.connect(lambda: self._edit(None, ""))
        dialog.edit_wanted.connect(lambda rule: self._edit(rule, ""))
        dialog.remove_wanted.connect(self._remove)
        dialog.import_wanted.connect(self._ask_for_table)
        dialog.export_wanted.connect(self._ask_where_to)
        self._show_rules(dialog)
        dialog.open()

    def _show_rules(self, dialog: "PronunciationsDialog") -> None:
        dialog.show_rules(self._pronunciations.rules)

    def _chosen_word(self) -> str:
        text, selection = self._reader.text(), self._reader.selection()
        if selection is not None:
            return text[slice(*selection)][:200]
        caret = self._reader.caret()
        near = _WORD.finditer(text, max(0, caret - 200), caret + 200)
        return next((word[0] for word in near if word.start() <= caret <= word.end()), "")

    def _edit(self, rule: "PronunciationRule | None", written: str) -> None:
        from pocketvoice.gui.main.pronounce import PronounceDialog

        voice = self._current_voice()
        dialog = PronounceDialog(rule, written, voice, self._language(), self._dialog_parent)
        dialog.hear_wanted.connect(lambda text: self._speech.preview(self._voice(), text))
        dialog.kept.connect(partial(self._keep, rule))
        dialog.open()

    def _keep(self, old: "PronunciationRule | None", rule: "PronunciationRule") -> None:
        if self._pronunciations.add(rule, old):
            self._speech.speak_anew()

    def _remove(self, rule: "PronunciationRule") -> None:
        if self._pronunciations.remove(rule):
            self._speech.speak_anew()

    def _ask_for_table(self) -> None:
        dialog = file_dialog(self._dialog_parent, "Import pronunciations", self._settings.now.folder)
        dialog.setNameFilters([_TABLES, "All files (*)"])
        dialog.fileSelected.connect(lambda path: self.import_from(Path(path)))
        dialog.open()

    def import_from(self, path: Path) -> None:
        """Takes in the pronunciations of a table."""
        count = self._pronunciations.take_in(path)
        if count:
            self._messages.say(f"{count} pronunciation{'s were' if count > 1 else ' was'} taken in.")
            self._speech.speak_anew()

    def _ask_where_to(self) -> None:
        dialog = file_dialog(
            self._dialog_parent, "Export pronunciations", self._settings.now.folder, saves=True
        )
        dialog.setNameFilters([_TABLES])
        dialog.setDefaultSuffix(".csv")
        dialog.selectFile("pronunciations.csv")
        dialog.fileSelected.connect(lambda path: self.export_to(Path(path)))
        dialog.open()

    def export_to(self, path: Path) -> None:
        """Writes all pronunciations to a table."""
        if self._pronunciations.hand_out(path):
            self._messages.say(f"The pronunciations were saved as {path}.")

    # ------------------------------------------------------------ what is spoken with

    def _language(self) -> str:
        """The code of the loaded model's language; "" if it is not known, or can't be read."""
        from pocketvoice.text.normalise import LANGUAGES

        ready = self._models.view.ready
        name = (ready.language or ready.model_id) if ready else self._models.view.language or ""
        code = catalogue.language_code(name)
        return code if code in LANGUAGES else ""

    def _current_voice(self) -> str:
        ready = self._models.view.ready
        voice = self._voice() or (ready.default_voice if ready else "")
        return self._voice_name(voice) if voice else ""
