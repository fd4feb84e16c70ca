"""Which model and which voice: keeps the row in the window, the settings and the worker in agreement. Main thread only."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from pocketvoice.gui.controllers import model_list
from pocketvoice.gui.controllers.models import ModelView
from pocketvoice.gui.main.voice_row import ModelsDialog
from pocketvoice.gui.voices.coordinator import VoicesCoordinator
from pocketvoice.gui.widgets.dialogs import file_dialog
from pocketvoice.worker.messages import Ready

if TYPE_CHECKING:
    from pocketvoice.gui.main.window import Window


_VOICE_STATE = ".safetensors"


class VoiceChoice:
    """Belongs to one window."""

    def __init__(self, window: "Window", desk: VoicesCoordinator) -> None:
        self._window = window
        self._desk = desk
        self._services = window.services
        self._choices: list[model_list.ModelChoice] = []
        self._shown: Ready | None = None  # the model the row was last filled for

    def connect_all(self) -> None:
        """Wires the row of the window."""
        row = self._window.voices
        row.model_chosen.connect(self.choose_model)
        row.all_models_wanted.connect(self.show_models)
        row.voice_chosen.connect(self._on_row_voice)
        row.voice_file_wanted.connect(self._ask_for_voice_file)
        row.try_wanted.connect(self._try_voice)
        row.my_voices_wanted.connect(self._desk.show_page)
        row.new_voice_wanted.connect(self._desk.new_voice)
        self._desk.shelf.changed.connect(self._show)
        self._desk.chosen.connect(self.choose_voice)
        self._services.models.changed.connect(self._on_model)

    def load_first(self, config: str | None = None) -> None:
        """At the start: the model and the voice of the last time, or a model of the user's own."""
        language = (self._services.keeper.now.language or None) if config is None else None
        if language is not None and not model_list.is_known(language):
            language = None
        self._services.models.load(language, self._fitting_voice(language) or None, config)
        self._services.tasks.start(self.read_shelf())

    def voice(self) -> str | None:
        """The voice to speak with; None is the model's default."""
        return self._fitting_voice(self._language()) or None

    async def read_shelf(self) -> None:
        """Lists the models: on a thread, for many small files are read."""
        self._choices = await asyncio.get_running_loop().run_in_executor(None, model_list.model_choices)
        self._show()

    def choose_model(self, language: str) -> None:
        """Loads another model, with the same voice where it has it."""
        self._services.keeper.change(language=language)
        if self._services.keeper.now.voice.endswith(_VOICE_STATE):
            self._services.keeper.change(voice="")  # such a file belongs to the weights it was made with
        self._services.models.load(language, self._fitting_voice(language) or None)
        self._show()

    def show_models(self) -> None:
        """The list of all models."""
        dialog = ModelsDialog(self._choices, self._language() or "", self._window)
        dialog.model_chosen.connect(self.choose_model)
        dialog.open()

    def _show(self) -> None:
        view = self._services.models.view
        language = self._language() or (None if view.config else model_list.default_model())
        default = view.ready.default_voice if view.ready else model_list.default_voice(language)
        self._window.voices.show_models(self._choices, language)
        voice = self._fitting_voice(language) or default
        self._window.voices.show_voices(language, voice, self._desk.listed(voice))

    def _on_model(self, view: ModelView) -> None:
        if view.ready is None or view.ready is self._shown:
            return
        self._shown = view.ready
        self._choices = model_list.with_installed(self._choices, view.ready.language)
        self._show()

    def _language(self) -> str | None:
        view = self._services.models.view
        return (view.ready.language if view.ready else None) or view.language

    def _fitting_voice(self, language: str | None) -> str:
        voice = self._services.keeper.now.voice
        fits = (
            model_list.is_file(voice)
            or self._desk.is_own(voice)
            or voice in model_list.voices_of(language or model_list.default_model())
        )
        return voice if fits else ""

    def _on_row_voice(self, voice: str) -> None:
        """The one that was chosen in the window, unless it can't speak with the loaded model: then the desk says why, or asks."""
        if self._desk.may_speak(voice):
            self._on_voice(voice)
        else:
            self._show()

    def _on_voice(self, voice: str) -> None:
        self._services.keeper.change(voice=voice)
        own = self._desk.own_sound(voice)
        if own is not None:
            self._window.transport.speed_wanted.emit(own[0])
            self._window.transport.volume_wanted.emit(own[1])

    def choose_voice(self, voice: str) -> None:
        """Speaks with this one from now on."""
        self._on_voice(voice)
        self._show()

    def _ask_for_voice_file(self) -> None:
        dialog = file_dialog(self._window, "Voice from a file", self._services.keeper.now.folder)
        dialog.setNameFilters(
            ["Voices and recordings (*.safetensors *.wav *.flac *.mp3 *.m4a *.ogg *.opus)", "All files (*)"]
        )
        dialog.fileSelected.connect(self._on_voice_file)
        dialog.open()

    def _on_voice_file(self, path: str) -> None:
        self._services.keeper.change(voice=path, folder=str(Path(path).parent))
        self._show()

    def _try_voice(self) -> None:
        self._services.speech.preview(self.voice(), model_list.sample_text(self._language()))
