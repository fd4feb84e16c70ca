"""What the window has to do with the user's voices: opens their page and the dialog that makes one, and says which one speaks.

Main thread only. Belongs to one window.
"""

import asyncio
import enum
import importlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QMessageBox

from pocketvoice.errors import PocketVoiceError
from pocketvoice.gui.controllers.messages import Importance
from pocketvoice.gui.controllers.model_list import model_title
from pocketvoice.gui.voices.library_model import LibraryModel, on_thread
from pocketvoice.gui.voices.list.window import VoicesWindow, is_voice_file
from pocketvoice.gui.voices.new.dialog import KEPT, NewVoiceDialog
from pocketvoice.gui.voices.new.layout import NewVoiceServices
from pocketvoice.gui.voices.preview import VoicePreview
from pocketvoice.voices.names import is_id
from pocketvoice.worker.messages import TERMINAL, Event, PreparingVoice

if TYPE_CHECKING:
    from pocketvoice.gui.main.window import Window
    from pocketvoice.voices.voice import Voice
    from pocketvoice.worker.messages import Ready

_MOST_LISTED = 30
_PUT_AWAY_S = 8.0


class Fit(enum.Enum):
    """Whether a voice can speak with the loaded weights."""

    READY = "ready"
    """It can, or can be made to."""
    UNKNOWN = "unknown"
    """It has no recording, and nobody knows for which weights it was made."""
    OTHER_MODEL = "other model"
    """It has no recording, and was made for others."""
    NO_CLONING = "no cloning"
    """It has a recording, and these weights can't listen to it."""


SOUND_SUFFIXES = frozenset(
    [
        ".wav", ".flac", ".mp3", ".m4a", ".aac", ".ogg", ".oga", ".opus", ".aiff", ".aif",
        ".aifc", ".wma", ".caf", ".au", ".w64", ".amr", ".m4b", ".mp2", ".mka", ".mp4",
        ".m4v", ".mov", ".mkv", ".webm", ".avi", ".wmv", ".flv", ".mpg", ".mpeg", ".3gp",
    ]
)  # fmt: skip
"""A file of these that is dropped on the window becomes a voice; others are texts."""


class VoicesCoordinator(QObject):
    """Opened by commands, the voice chooser and drops."""

    chosen = Signal(str)  # id of the voice to speak with from now on

    def __init__(self, window: "Window") -> None:
        super().__init__(window)
        services = window.services
        self._window = window
        self.shelf = LibraryModel(services.tasks)
        self._audition = VoicePreview(services.client, self.shelf.board, services.tasks, self)
        self.page: VoicesWindow | None = None
        self.dialog: NewVoiceDialog | None = None
        self._is_opening = False
        self._preparing = ""  # id of the request for which a voice is being made ready
        self._unlisten: Callable[[], None] = lambda: None
        self._leaving: list[
            asyncio.Event
        ] = []  # of dialogs that were closed, until they have put everything away

    def connect_all(self) -> None:
        """Shows what the worker does for voices."""
        services = self._window.services
        self._unlisten = services.client.listen(self._on_event)
        self.shelf.board.changed.connect(self._on_shelf_message)
        self._window.preparing.cancelled.connect(self._stop_preparing)

    def start(self) -> None:
        """Reads the voices."""
        self.shelf.start()

    async def close(self) -> None:
        """At the end: what is being made is kept for the next time."""
        self.shelf.close()
        self._unlisten()
        self._unlisten = lambda: None
        if self.dialog is not None:
            try:
                await self.dialog.put_away()
            except PocketVoiceError as error:  # in the log; the program ends all the same
                self.shelf.board.show_error(error)
        for leaving in self._leaving:  # closed just now
            with suppress(TimeoutError):
                await asyncio.wait_for(leaving.wait(), _PUT_AWAY_S)

    def show_page(self) -> None:
        """The page of all voices, in front."""
        if self.page is None:
            self.page = VoicesWindow(self.shelf, self._audition, self._window)
            self.page.new_wanted.connect(self.new_voice)
            self.page.sound_dropped.connect(self.new_voice)
            self.page.use_wanted.connect(self._use)
            self.page.keep_sound_wanted.connect(self._keep_sound)
            self.page.acts.folder = self._window.services.keeper.now.folder
        self.page.show()
        self.page.raise_()
        self.page.activateWindow()

    def new_voice(self, path: str = "") -> None:
        """The dialog that makes a voice, of a file or from the microphone; one at a time."""
        if self.dialog is not None:
            self.dialog.begin(path)
        elif not self._is_opening:
            self._is_opening = True
            self._window.services.tasks.start(self._open_dialog(path))

    async def _open_dialog(self, path: str) -> None:
        """What the dialog needs is loaded on a thread first: it is half a second of work."""
        try:
            await on_thread(lambda: importlib.import_module("pocketvoice.audio.recorder"))
            self.dialog = self._make_dialog()
        finally:
            self._is_opening = False
        self.dialog.begin(path)

    def _make_dialog(self) -> NewVoiceDialog:
        services = self._window.services
        means = NewVoiceServices(services.client, self.shelf, services.models, services.tasks)
        parent = self.page if self.page is not None and self.page.isVisible() else self._window
        dialog = NewVoiceDialog(means, services.keeper.now.folder, parent)
        dialog.record.wanted_microphone = services.keeper.now.microphone
        dialog.saved.connect(self._on_saved)
        dialog.kept.connect(self._on_kept)
        dialog.finished.connect(self._on_left)
        dialog.other_model_wanted.connect(self._window.commands.choices.show_models)
        return dialog

    def take_in(self, paths: Sequence[str]) -> list[str]:
        """Of files that were dropped or opened, those that are voices or sounds; returns the others."""
        voices = [path for path in paths if is_voice_file(path)]
        sounds = [path for path in paths if path not in voices and is_for_voices(path)]
        if voices:
            self.show_page()
            self.shelf.bring_in(voices)
        elif sounds:
            self.new_voice(sounds[0])
            if len(sounds) > 1:
                self._window.services.board.say(f"A voice is made of one sound: {Path(sounds[0]).name}.")
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

    def own_sound(self, voice_id: str) -> tuple[float, float] | None:
        """Speed and volume that belong to a voice, if it has any of its own."""
        voice = self.shelf.find(voice_id)
        if voice is None or (voice.speed, voice.volume) == (1.0, 1.0):
            return None
        return voice.speed, voice.volume

    def _keep_sound(self, voice_id: str) -> None:
        """The speed and volume of now become the voice's own."""
        view = self._window.services.speech.view
        self.shelf.set_sound(voice_id, view.speed, view.volume)

    def _use(self, voice_id: str) -> None:
        """Chooses a voice, unless it can't speak with the loaded model: then why is said."""
        voice = self.shelf.find(voice_id)
        if voice is not None and self.may_speak(voice_id):
            self.chosen.emit(voice_id)
            self.shelf.board.say(f"{voice.name} speaks from now on.")

    def may_speak(self, voice_id: str) -> bool:
        """Whether the loaded model can speak with it, as far as is known here; else why not is said, or asked."""
        voice, ready = self.shelf.find(voice_id), self._window.services.client.ready
        if voice is None or ready is None:
            return True
        doubt = fits(voice, ready.model_id, cloning=ready.cloning)
        match doubt:
            case Fit.UNKNOWN:
                self._ask_whose(voice, ready)
            case Fit.OTHER_MODEL:
                self.shelf.board.warn(
                    f"{voice.name} has no recording and was made for another model: load that one, or choose another voice."
                )
            case Fit.NO_CLONING:
                self.shelf.board.warn(
                    f"{voice.name} was not used with this model yet, and it can't copy voices. {ready.cloning_reason}"
                )
        return doubt is Fit.READY

    def _ask_whose(self, voice: "Voice", ready: "Ready") -> None:
        """A file of another program does not say which weights it is for; with others it only babbles."""
        question = QMessageBox(
            QMessageBox.Icon.Question,
            "Voice of an unknown model",
            f"{voice.name} does not say which model it was made for. Was it {model_title(ready.language)}, which is loaded now?",
            QMessageBox.StandardButton.Yes | QMessageBox.StandardButton.No,
            self.page if self.page is not None and self.page.isVisible() else self._window,
        )
        question.setInformativeText("With any other model it does not speak, it babbles.")
        question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        question.button(QMessageBox.StandardButton.Yes).clicked.connect(
            lambda: self._window.services.tasks.start(self._claim(voice.id, ready.model_id))
        )
        question.open()

    async def _claim(self, voice_id: str, model_id: str) -> None:
        library = await self.shelf.library()
        try:
            claimed = await on_thread(lambda: library.claim_state(voice_id, model_id))
        except PocketVoiceError as error:
            self.shelf.board.show_error(error)
            return
        await self.shelf.announce([claimed])
        self._use(voice_id)

    def _on_event(self, event: Event) -> None:
        """A voice is being made ready for the model, once: that takes some seconds before it can speak."""
        if isinstance(event, PreparingVoice) and event.fraction < 1:
            self._preparing = event.request_id
            self._window.preparing.show_progress(
                f"Making {event.voice} ready for this model…", event.fraction or None
            )
        elif event.request_id == self._preparing and isinstance(event, (PreparingVoice, *TERMINAL)):
            self._window.preparing.hide()

    def _stop_preparing(self) -> None:
        """Ends what the voice is being made ready for: the loading of a model, or speech."""
        services = self._window.services
        if services.models.view.ready is None:
            services.models.cancel()
        else:
            services.tasks.start(services.client.stop())

    def _on_kept(self) -> None:
        shown = self.page is not None and self.page.isVisible()
        (self.shelf.board if shown else self._window.services.board).say(KEPT)

    def _on_shelf_message(self) -> None:
        """What goes wrong with voices while their page is not there is said in the window."""
        message = self.shelf.board.message
        hidden = self.page is None or not self.page.isVisible()
        if hidden and message is not None and message.importance is Importance.PROBLEM:
            self._window.services.board.warn(message.text)

    def _on_saved(self, voice: "Voice") -> None:
        self._window.services.tasks.start(self._welcome(voice))

    async def _welcome(self, voice: "Voice") -> None:
        await self.shelf.announce([voice])
        self.chosen.emit(voice.id)
        self._window.services.board.say(f"{voice.name} is saved, and speaks from now on.")

    def _on_left(self) -> None:
        dialog, self.dialog = self.dialog, None
        if dialog is not None:
            self._leaving = [one for one in self._leaving if not one.is_set()] + [dialog.is_put_away]
            self._window.services.keeper.change(
                folder=dialog.folder, microphone=dialog.record.microphone_title
            )


def is_for_voices(path: str) -> bool:
    """Whether a file holds voices, or a sound to make one of; else it may be a text."""
    return is_voice_file(path) or Path(path).suffix.lower() in SOUND_SUFFIXES


def fits(voice: "Voice", model_id: str, *, cloning: bool) -> Fit:
    """What using a voice with these weights would come to."""
    from pocketvoice.voices import states

    if states.find(voice, model_id) is not None:
        return Fit.READY
    if voice.has_clip:
        return Fit.READY if cloning else Fit.NO_CLONING
    return Fit.UNKNOWN if states.unknown(voice) is not None else Fit.OTHER_MODEL
