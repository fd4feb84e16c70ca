"""Which model and which voice: keeps the row in the window, the settings and the worker in agreement. Main thread only."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from pocketvoice.gui.controllers import model_list
from pocketvoice.gui.controllers.models import ModelController, ModelView
from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.controllers.speech import SpeechController
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.main.models_dialog import ModelsDialog
from pocketvoice.gui.main.voice_row import VoiceRow
from pocketvoice.gui.voices.library_model import LibraryModel
from pocketvoice.gui.widgets.dialogs import file_dialog
from pocketvoice.voices.names import is_id
from pocketvoice.worker.messages import Ready

_VOICE_STATE = ".safetensors"
_MOST_LISTED = 30


class VoiceChoice(QObject):
    """Chooses the model and the voice, by the row, by dialogs, or for others."""

    speed_wanted = Signal(float)
    volume_wanted = Signal(float)

    def __init__(
        self,
        dialog_parent: QWidget,
        row: VoiceRow,
        library: LibraryModel,
        models: ModelController,
        speech: SpeechController,
        settings: SettingsController,
        tasks: Tasks,
        may_speak: Callable[[str], bool],
    ) -> None:
        """`may_speak` says whether the loaded model can speak with a voice of the user's; if not, it tells the user why."""
        super().__init__()
        self._dialog_parent = dialog_parent
        self._row = row
        self._library = library
        self._models = models
        self._speech = speech
        self._settings = settings
        self._tasks = tasks
        self._may_speak = may_speak
        self._choices: list[model_list.ModelChoice] = []
        self._wanted_model = ""  # the one that was chosen, until it is ready: only then it is remembered
        self._shown: Ready | None = None  # the model for which the row was last filled
        row.model_chosen.connect(self.choose_model)
        row.all_models_wanted.connect(self.show_models)
        row.voice_chosen.connect(self._on_row_voice)
        row.voice_file_wanted.connect(self._ask_for_voice_file)
        row.try_wanted.connect(self.try_voice)
        library.changed.connect(self._show)
        models.changed.connect(self._on_model)

    # ------------------------------------------------------------ the model

    def load_first(self, config: str | None = None) -> None:
        """Loads the model and the voice of the last time, or the model of a config of the user's own."""
        language = (self._settings.now.language or None) if config is None else None
        if language is not None and not model_list.is_known(language):
            language = None
        self._models.load(language, self._fitting_voice(language) or None, config)
        self._tasks.start(self._list_models())

    def choose_model(self, language: str) -> None:
        """Loads another model, with the same voice where it has it. What speaks now stays until it is ready."""
        self._wanted_model = language
        voice = self._fitting_voice(language)
        # A voice state belongs to the weights it was made with.
        self._models.load(language, None if voice.endswith(_VOICE_STATE) else voice or None)
        self._show()

    def show_models(self) -> None:
        """Opens the list of all models."""
        dialog = ModelsDialog(self._choices, self._language() or "", self._measured(), self._dialog_parent)
        dialog.model_chosen.connect(self.choose_model)
        dialog.open()

    def _measured(self) -> tuple[str, float | None]:
        """The model that is loaded, and how many times as fast as it is heard it spoke; ("", None) without one."""
        ready = self._models.view.ready
        if ready is None or ready.language is None:
            return "", None
        return ready.language, self._speech.view.real_time_factor or ready.real_time_factor

    async def _list_models(self) -> None:
        """Reads the list on a thread: it stands in many small files."""
        self._choices = await asyncio.get_running_loop().run_in_executor(None, model_list.model_choices)
        self._show()

    def _on_model(self, view: ModelView) -> None:
        if view.ready is None or view.ready is self._shown:
            return
        self._shown = view.ready
        if view.ready.language is not None and view.ready.language == self._wanted_model:
            self._remember_model(self._wanted_model)
        self._choices = model_list.with_installed(self._choices, view.ready.language)
        self._show()

    def _remember_model(self, language: str) -> None:
        self._wanted_model = ""
        if language != self._settings.now.language and self._settings.now.voice.endswith(_VOICE_STATE):
            self._settings.change(voice="")
        self._settings.change(language=language)

    def _language(self) -> str | None:
        view = self._models.view
        return (view.ready.language if view.ready else None) or view.language

    # ------------------------------------------------------------ the voice

    def voice(self) -> str | None:
        """The voice to speak with: an id, a name or a path; None is the model's default."""
        return self._fitting_voice(self._language()) or None

    def voice_with(self, language: str) -> str:
        """Whose voice is heard once this model is chosen, for people."""
        voice = self._fitting_voice(language) or model_list.default_voice(language)
        own = self._library.find(voice)
        return own.name if own is not None else model_list.voice_title(voice)

    def choose_voice(self, voice: str) -> None:
        """Speaks with this voice from now on, with the speed and volume that belong to it."""
        self._use(voice)
        self._show()

    def keep_sound(self, voice_id: str) -> None:
        """Makes the speed and volume of now a voice's own."""
        view = self._speech.view
        self._library.update(voice_id, speed=view.speed, volume=view.volume)

    def sample(self) -> str:
        """A few sentences in the language of the model."""
        return model_list.sample_text(self._language())

    def try_voice(self) -> None:
        """Speaks a sentence in the chosen voice."""
        self._speech.preview(self.voice(), self.sample())

    def _use(self, voice: str) -> None:
        self._settings.change(voice=voice)
        own = self._library.find(voice)
        if own is not None and (own.speed, own.volume) != (1.0, 1.0):
            self.speed_wanted.emit(own.speed)
            self.volume_wanted.emit(own.volume)

    def _on_row_voice(self, voice: str) -> None:
        if self._may_speak(voice):
            self._use(voice)
        else:
            self._show()

    def _ask_for_voice_file(self) -> None:
        dialog = file_dialog(self._dialog_parent, "Voice from a file", self._settings.now.folder)
        dialog.setNameFilters(
            ["Voices and recordings (*.safetensors *.wav *.flac *.mp3 *.m4a *.ogg *.opus)", "All files (*)"]
        )
        dialog.fileSelected.connect(self._on_voice_file)
        dialog.open()

    def _on_voice_file(self, path: str) -> None:
        self._settings.change(voice=path, folder=str(Path(path).parent))
        self._show()

    def _fitting_voice(self, language: str | None) -> str:
        """The voice of the settings if a model has it or it is the user's; else ""."""
        voice = self._settings.now.voice
        fits = (
            model_list.is_file(voice)
            or self._is_own(voice)
            or voice in model_list.voices_of(language or model_list.default_model())
        )
        return voice if fits else ""

    def _is_own(self, voice: str) -> bool:
        """Whether it is a voice of the user's; as long as these were not read, whether it looks like one."""
        return self._library.find(voice) is not None if self._library.is_read else is_id(voice)

    # ------------------------------------------------------------ the row

    def _show(self) -> None:
        view = self._models.view
        language = self._language() or (None if view.config else model_list.default_model())
        default = view.ready.default_voice if view.ready else model_list.default_voice(language)
        self._row.show_models(self._choices, language)
        voice = self._fitting_voice(language) or default
        self._row.show_voices(language, voice, self._own_voices(voice))

    def _own_voices(self, in_use: str) -> list[tuple[str, str]]:
        """(id, name) of the user's voices, favourites first; not all of very many, but always the one in use."""
        found = [(one.id, one.name) for one in self._library.voices]
        return found[:_MOST_LISTED] + [one for one in found[_MOST_LISTED:] if one[0] == in_use]
