"""Opens the windows of the user's voices: the list of them and the dialog that makes one; takes in files, and says which is chosen.

Main thread only.
"""

import asyncio
import importlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from pocketvoice.errors import PocketVoiceError
from pocketvoice.gui.controllers.messages import Importance, Messages
from pocketvoice.gui.controllers.models import ModelController
from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.controllers.worker import Worker
from pocketvoice.gui.voices.library_model import LibraryModel, on_thread
from pocketvoice.gui.voices.preview import VoicePreview
from pocketvoice.gui.voices.transfer import is_voice_file
from pocketvoice.gui.voices.voice_fit import VoiceFitCheck

if TYPE_CHECKING:  # the program starts without these two windows
    from pocketvoice.gui.voices.list.window import VoicesWindow
    from pocketvoice.gui.voices.new.dialog import NewVoiceDialog
    from pocketvoice.voices.voice import Voice

_PUT_AWAY_S = 8.0

SOUND_SUFFIXES = frozenset(
    [
        ".wav", ".flac", ".mp3", ".m4a", ".aac", ".ogg", ".oga", ".opus", ".aiff", ".aif",
        ".aifc", ".wma", ".caf", ".au", ".w64", ".amr", ".m4b", ".mp2", ".mka", ".mp4",
        ".m4v", ".mov", ".mkv", ".webm", ".avi", ".wmv", ".flv", ".mpg", ".mpeg", ".3gp",
    ]
)  # fmt: skip
"""A file of these that is dropped on the window becomes a voice; others are texts."""


class VoicesCoordinator(QObject):
    """One list and one dialog at a time; their messages are shown in the main window while the list is not there."""

    chosen = Signal(str)  # id of the voice to speak with from now on
    keep_sound_wanted = Signal(str)  # id of the voice whose own the speed and volume of now are to become
    other_model_wanted = Signal()

    def __init__(
        self,
        main_window: QWidget,
        library: LibraryModel,
        client: Worker,
        models: ModelController,
        settings: SettingsController,
        messages: Messages,
        tasks: Tasks,
    ) -> None:
        """`main_window` is only what the windows of voices stand over; `messages` are those shown there."""
        super().__init__()
        self._main_window = main_window
        self.library = library
        self._client = client
        self._models = models
        self._settings = settings
        self._messages = messages
        self._tasks = tasks
        self._preview = VoicePreview(client, library.messages, tasks, self)
        self.fit = VoiceFitCheck(library, client, tasks, self._dialog_parent)
        self.page: VoicesWindow | None = None
        self.dialog: NewVoiceDialog | None = None
        self._is_opening = False
        # Of dialogs that were closed, until they have put everything away.
        self._leaving: list[asyncio.Event] = []
        self.fit.claimed.connect(self._use)
        library.messages.changed.connect(self._on_library_message)

    def start(self) -> None:
        """Reads the voices, and follows their changes from now on."""
        self.library.start()

    async def close(self) -> None:
        """Puts a voice that is being made away for the next time, and waits until it is on disk."""
        self.library.close()
        if self.dialog is not None:
            try:
                await self.dialog.put_away()
            except PocketVoiceError as error:  # in the log; the program ends all the same
                self.library.messages.show_error(error)
        for leaving in self._leaving:
            with suppress(TimeoutError):
                await asyncio.wait_for(leaving.wait(), _PUT_AWAY_S)

    # ------------------------------------------------------------ the windows

    def show_page(self) -> None:
        """Shows the list of all voices, in front."""
        if self.page is None:
            from pocketvoice.gui.voices.list.window import VoicesWindow

            self.page = VoicesWindow(self.library, self._preview, self._main_window)
            self.page.new_wanted.connect(self.new_voice)
            self.page.sound_dropped.connect(self.new_voice)
            self.page.use_wanted.connect(self._use)
            self.page.keep_sound_wanted.connect(self.keep_sound_wanted)
            self.page.voice_actions.folder = self._settings.now.folder
        self.page.show()
        self.page.raise_()
        self.page.activateWindow()

    def new_voice(self, path: str = "") -> None:
        """Shows the dialog that makes a voice, of a file or, without one, from the microphone."""
        if self.dialog is not None:
            self.dialog.begin(path)
        elif not self._is_opening:
            self._is_opening = True
            self._tasks.start(self._open_dialog(path))

    def take_in(self, paths: Sequence[str]) -> list[str]:
        """Takes those of some files that are voices or sounds; returns the others."""
        voices = [path for path in paths if is_voice_file(path)]
        sounds = [path for path in paths if path not in voices and is_for_voices(path)]
        if voices:
            self.show_page()
            self.library.transfer.import_files(voices)
        elif sounds:
            self.new_voice(sounds[0])
            if len(sounds) > 1:
                self._messages.say(f"A voice is made of one sound: {Path(sounds[0]).name}.")
        return [path for path in paths if path not in voices and path not in sounds]

    async def _open_dialog(self, path: str) -> None:
        """What the dialog needs is loaded on a thread first: it is half a second of work."""
        try:
            await on_thread(lambda: importlib.import_module("pocketvoice.audio.recorder"))
            self.dialog = self._make_dialog()
        finally:
            self._is_opening = False
        self.dialog.begin(path)

    def _make_dialog(self) -> "NewVoiceDialog":
        from pocketvoice.gui.voices.new.dialog import NewVoiceDialog
        from pocketvoice.gui.voices.new.layout import NewVoiceServices

        services = NewVoiceServices(self._client, self.library, self._models, self._tasks)
        dialog = NewVoiceDialog(services, self._settings.now.folder, self._dialog_parent())
        dialog.record.wanted_microphone = self._settings.now.microphone
        dialog.saved.connect(self._on_saved)
        dialog.kept.connect(self._on_kept)
        dialog.finished.connect(self._on_left)
        dialog.other_model_wanted.connect(self.other_model_wanted)
        return dialog

    def _dialog_parent(self) -> QWidget:
        return self.page if self.page is not None and self.page.isVisible() else self._main_window

    # ------------------------------------------------------------ what they say

    def _use(self, voice_id: str) -> None:
        """Chooses a voice, unless it can't speak with the loaded model: then why is said."""
        voice = self.library.find(voice_id)
        if voice is not None and self.fit.may_speak(voice_id):
            self.chosen.emit(voice_id)
            self.library.messages.say(f"{voice.name} speaks from now on.")

    def _on_saved(self, voice: "Voice") -> None:
        self._tasks.start(self._welcome(voice))

    async def _welcome(self, voice: "Voice") -> None:
        await self.library.announce([voice])
        self.chosen.emit(voice.id)
        self._messages.say(f"{voice.name} is saved, and speaks from now on.")

    def _on_kept(self) -> None:
        shown = self.page is not None and self.page.isVisible()
        from pocketvoice.gui.voices.new.dialog import KEPT

        (self.library.messages if shown else self._messages).say(KEPT)

    def _on_left(self) -> None:
        dialog, self.dialog = self.dialog, None
        if dialog is not None:
            self._leaving = [one for one in self._leaving if not one.is_set()] + [dialog.is_put_away]
            self._settings.change(folder=dialog.folder, microphone=dialog.record.microphone_title)

    def _on_library_message(self) -> None:
        """A problem with voices is said in the main window while their list is not there."""
        message = self.library.messages.message
        hidden = self.page is None or not self.page.isVisible()
        if hidden and message is not None and message.importance is Importance.PROBLEM:
            self._messages.warn(message.text)


def is_for_voices(path: str) -> bool:
    """Whether a file holds voices, or a sound to make one of; else it may be a text."""
    return is_voice_file(path) or Path(path).suffix.lower() in SOUND_SUFFIXES
