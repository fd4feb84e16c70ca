"""What the window has to do with the user's voices: opens their page and the dialog that makes one, and says which one speaks.

Main thread only. Belongs to one window.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from pocketvoice.gui.voices_dialog import NewVoiceDialog
from pocketvoice.gui.voices_frame import Means
from pocketvoice.gui.voices_page import VoicesPage, is_voice_file
from pocketvoice.gui.voices_shelf import VoiceShelf
from pocketvoice.gui.voices_sound import Audition
from pocketvoice.voices.names import is_id

if TYPE_CHECKING:
    from pocketvoice.gui.window import Window
    from pocketvoice.voices.voice import Voice

_MOST_LISTED = 30

SOUND_SUFFIXES = frozenset(
    [
        ".wav",
        ".flac",
        ".mp3",
        ".m4a",
        ".aac",
        ".ogg",
        ".opus",
        ".aiff",
        ".aif",
        ".wma",
        ".mp4",
        ".mov",
        ".mkv",
        ".webm",
        ".avi",
    ]
)
"""A file of these that is dropped on the window becomes a voice; others are texts."""


class VoicesDesk(QObject):
    """Opened by commands, the voice chooser and drops."""

    chosen = Signal(str)  # id of the voice to speak with from now on

    def __init__(self, window: "Window") -> None:
        super().__init__(window)
        services = window.services
        self._window = window
        self.shelf = VoiceShelf(services.tasks)
        self._audition = Audition(services.client, self.shelf.board, services.tasks)
        self.page: VoicesPage | None = None
        self.dialog: NewVoiceDialog | None = None

    def start(self) -> None:
        """Reads the voices."""
        self.shelf.start()

    async def close(self) -> None:
        """At the end: what is being made is kept for the next time."""
        self.shelf.close()
        if self.dialog is not None:
            await self.dialog.put_away()

    def show_page(self) -> None:
        """The page of all voices, in front."""
        if self.page is None:
            self.page = VoicesPage(self.shelf, self._audition, self._window)
            self.page.new_wanted.connect(self.new_voice)
            self.page.sound_dropped.connect(self.new_voice)
            self.page.use_wanted.connect(self._use)
            self.page.acts.folder = self._window.services.keeper.now.folder
        self.page.show()
        self.page.raise_()
        self.page.activateWindow()

    def new_voice(self, path: str = "") -> None:
        """The dialog that makes a voice, of a file or from the microphone; one at a time."""
        if self.dialog is None:
            services = self._window.services
            means = Means(services.client, self.shelf, services.models, services.tasks)
            parent = self.page if self.page is not None and self.page.isVisible() else self._window
            self.dialog = NewVoiceDialog(means, services.keeper.now.folder, parent)
            self.dialog.saved.connect(self._on_saved)
            self.dialog.finished.connect(self._on_left)
            self.dialog.other_model_wanted.connect(self._window.commands.choices.show_models)
        self.dialog.begin(path)

    def take_in(self, paths: Sequence[str]) -> list[str]:
        """Of files that were dropped or opened, those that are voices or sounds; returns the others."""
        voices = [path for path in paths if is_voice_file(path)]
        sounds = [path for path in paths if Path(path).suffix.lower() in SOUND_SUFFIXES]
        if voices:
            self.show_page()
            self.shelf.bring_in(voices)
        elif sounds:
            self.new_voice(sounds[0])
        return [path for path in paths if path not in voices and path not in sounds]

    def is_own(self, voice: str) -> bool:
        """Whether the setting means a voice of the user's; before they were read, whether it looks like one."""
        if self.shelf.is_read:
            return self.shelf.find(voice) is not None
        return is_id(voice)

    def listed(self, voice: str) -> list[tuple[str, str]]:
        """(id, name) of the voices that the chooser shows: favourites first, not all of very many, the one in use always."""
        found = [(one.id, one.name) for one in self.shelf.voices]
        shown = found[:_MOST_LISTED]
        return shown + [one for one in found[_MOST_LISTED:] if one[0] == voice]

    def _use(self, voice_id: str) -> None:
        self.chosen.emit(voice_id)
        voice = self.shelf.find(voice_id)
        if voice is not None:
            self.shelf.board.say(f"{voice.name} speaks from now on.")

    def _on_saved(self, voice: "Voice") -> None:
        self._window.services.tasks.start(self._welcome(voice))

    async def _welcome(self, voice: "Voice") -> None:
        await self.shelf.announce([voice])
        self.chosen.emit(voice.id)
        self._window.services.board.say(f"{voice.name} is saved, and speaks from now on.")

    def _on_left(self) -> None:
        dialog, self.dialog = self.dialog, None
        if dialog is not None:
            self._window.services.keeper.change(folder=dialog.folder)
