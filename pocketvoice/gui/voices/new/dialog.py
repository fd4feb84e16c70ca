"""The dialog in which a voice is made: read or bring in a sound, choose its part, name it, hear it, keep it. One step at a time.

Whenever it is left, what there is stays on disk, and the next time it goes on there. Main thread only.
"""

import asyncio
import functools

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from pocketvoice.errors import PocketVoiceError
from pocketvoice.gui.controllers import model_list
from pocketvoice.gui.controllers.models import ModelPhase, ModelView
from pocketvoice.gui.voices.library_model import on_thread
from pocketvoice.gui.voices.new import draft_store as unfinished
from pocketvoice.gui.voices.new.autosave import Autosave
from pocketvoice.gui.voices.new.layout import NewVoiceLayout, NewVoiceServices, Step
from pocketvoice.gui.voices.new.recording import RecordPhase
from pocketvoice.gui.voices.new.session import NewVoiceView
from pocketvoice.gui.widgets import dialogs
from pocketvoice.gui.widgets.transfer import dropped_paths
from pocketvoice.hub import catalogue

KEPT = "The unfinished voice is kept: New voice goes on with it."
GOES_ON = "This is the recording you had not finished."
SMALL_MODEL = (
    "The small built-in model only approximates a voice: what you hear will be much like its own. With a released model the same "
    "recording becomes a far better copy; it is made by itself when you load one."
)
NO_MODEL = "No voice model is loaded: you can record now, and hear the voice when one is."

_SOUNDS = "*.wav *.flac *.mp3 *.m4a *.aac *.ogg *.opus *.aiff *.wma *.mp4 *.mov *.mkv *.webm *.avi"
_PART, _TAKE = "part", "take "  # what the audition calls them


class NewVoiceDialog(NewVoiceLayout):
    """Makes one voice."""

    saved = Signal(object)  # Voice
    kept = Signal()  # it was left unfinished
    other_model_wanted = Signal()

    def __init__(self, means: NewVoiceServices, folder: str = "", parent: QWidget | None = None) -> None:
        super().__init__(means, parent)
        self.folder = folder
        """Where files were chosen last."""
        self.is_put_away = asyncio.Event()
        """Once it was closed, and what there was is on disk."""
        self._is_left = False
        self._was_cloned = False
        self._keeping = Autosave(self.recording, self.making, self.board)
        self._connect()
        self._prepare()

    # ------------------------------------------------------------ making

    def _connect(self) -> None:
        self.back.clicked.connect(self._go_back)
        self.go_on.clicked.connect(self._go_on)
        self.leave.clicked.connect(self.reject)
        self._connect_recording()
        self._connect_making()
        self._means.models.changed.connect(self._on_model)
        self.terms.other_model_wanted.connect(self.other_model_wanted)

    def _connect_recording(self) -> None:
        self.recording.changed.connect(lambda _view: self._show_buttons())
        self.recording.failed.connect(self.board.show_error)
        self.recording.failed.connect(lambda _error: self.record.list_microphones())
        self.recording.full.connect(self._go_on)
        self.recording.added.connect(lambda: self._means.tasks.start(self._keeping.try_keep()))
        self.record.again.clicked.connect(lambda: self._means.tasks.start(self._keeping.forget()))
        self.record.file_wanted.connect(self._ask_for_file)
        self.record.microphones_failed.connect(self.board.show_error)
        self.record.language_chosen.connect(lambda code: self.making.choose(language=code))

    def _connect_making(self) -> None:
        self.making.changed.connect(self._show_making)
        self.making.saved.connect(self._on_saved)
        self.making.take_ready.connect(self._play_take)
        self.audition.changed.connect(self._show_playing)
        self.part.part_moved.connect(self._on_part_moved)
        self.part.play_wanted.connect(self._play_part)
        self.part.other_wanted.connect(self._begin_anew)
        self.name.changed.connect(self._on_named)
        self.hear.take_wanted.connect(self._on_take_wanted)
        self.hear.take_chosen.connect(self.making.choose_take)
        self.hear.play_wanted.connect(self._play_take)
        self.hear.sentence_changed.connect(self._on_sentence)

    def _prepare(self) -> None:
        language = _code_of(self._means.models.view)
        self.making.choose(language=language)
        self.record.show_language(language)
        self.show_step(Step.RECORD)
        self._show_buttons()
        self._on_model(self._means.models.view)
        self.record.list_microphones()

    # ------------------------------------------------------------ for the desk

    def begin(self, path: str = "") -> None:
        """Opens; with a file, or with what was left unfinished."""
        self.show()
        self.raise_()
        self.activateWindow()
        if path:
            self.read_file(path)
        elif self.making.view.source is None and not self.recording.has_sound:
            self._means.tasks.start(self._resume())

    def read_file(self, path: str) -> None:
        """Takes a file as the sound."""
        self.audition.stop()
        self.recording.clear()
        self.making.read_file(path)
        self._to(Step.PART)

    async def put_away(self) -> bool:
        """Keeps what there is for another time; whether there was anything."""
        self._is_left = True
        self.audition.stop()
        kept = await self._keeping.put_away()
        self.is_put_away.set()
        return kept

    async def _resume(self) -> None:
        found = await on_thread(unfinished.load)
        if found is None or self.making.view.source is not None or self.recording.has_sound:
            return
        source, chosen = found
        self.making.take_unfinished(source, chosen)
        self.record.show_language(chosen.language or self.making.chosen.language)
        self._to(Step.PART)
        self.board.say(GOES_ON)

    # ------------------------------------------------------------ steps

    def _to(self, step: Step) -> None:
        self.audition.stop()
        if step is Step.NAME:
            chosen = self.making.chosen
            self.name.show_values(chosen.name or self._free_name(), chosen.language, chosen.consented)
        if step is Step.HEAR:
            self.hear.show_sentence(self.making.chosen.sentence or _sample(self.making.chosen.language))
            self.making.clone()
        self.show_step(step)
        self._show_buttons()

    def _show_buttons(self) -> None:
        view, phase = self.making.view, self.recording.view.phase
        can = {
            Step.TERMS: False,
            Step.RECORD: phase in (RecordPhase.RECORDING, RecordPhase.PAUSED) or view.source is not None,
            Step.PART: view.report is not None and not view.report.is_blocked,
            Step.NAME: self.name.is_complete,
            Step.HEAR: view.is_cloned and bool(view.takes),
        }
        self.go_on.setEnabled(can[self.step] and not view.busy)
        if view.busy and self.step is not Step.TERMS:
            self.progress.show_progress(view.busy, view.share)
        else:
            self.progress.hide()

    def _go_on(self) -> None:
        match self.step:
            case Step.RECORD:
                self.recording.finish(self._look_at_recording)
            case Step.PART:
                self._to(Step.NAME)
            case Step.NAME:
                self._means.tasks.start(self._leave_name())
            case Step.HEAR:
                self.audition.stop()
                self.making.save()

    def _go_back(self) -> None:
        if self.step is Step.HEAR:
            self.making.cancel()
        self._to(Step(self.step - 1))

    def _begin_anew(self) -> None:
        """The sound stays until another one takes its place."""
        self.recording.clear()
        self._to(Step.RECORD)

    def _look_at_recording(self) -> None:
        if self.recording.has_sound:
            self._means.tasks.start(self._take_recording())
        elif self.making.view.source is not None:
            self._to(Step.PART)

    async def _take_recording(self) -> None:
        source = await self.recording.source()
        if not self._is_left:  # else `put_away` takes care of it
            self.recording.clear()
            self.making.take_source(source, is_recording=True)
            self._to(Step.PART)

    async def _leave_name(self) -> None:
        library = await self._means.shelf.library()
        try:
            await on_thread(functools.partial(library.check_name, self.making.chosen.name))
        except PocketVoiceError as error:
            self.board.show_error(error)
            self.name.name.setFocus()
            return
        if self.step is Step.NAME:
            self.board.dismiss()
            self._to(Step.HEAR)

    def _free_name(self) -> str:
        number, name = 1, "My voice"
        while self._means.shelf.find(name) is not None:
            number += 1
            name = f"My voice {number}"
        return name

    # ------------------------------------------------------------ what happens

    def _show_making(self, view: NewVoiceView) -> None:
        self.part.show_view(view)
        self.hear.show_view(view)
        if view.is_cloned and not self._was_cloned and self.step is Step.HEAR:
            self._was_cloned = True
            self._speak_first()
        self._was_cloned = view.is_cloned
        if self.step is Step.PART and view.source is None and not view.busy:
            self._to(Step.RECORD)  # the file could not be read, or reading it was cancelled
        self._show_buttons()

    def _speak_first(self) -> None:
        """As soon as there is a voice, it is heard."""
        QTimer.singleShot(0, lambda: self.making.speak_take(self.hear.text()))

    def _on_model(self, view: ModelView) -> None:
        ready = view.ready
        note = SMALL_MODEL if ready is not None and _is_built_in(ready.language) else ""
        if view.phase is ModelPhase.MISSING:
            note = NO_MODEL
        for page in (self.record, self.name, self.hear):
            page.show_note(note)
        if ready is None:
            return
        if not ready.cloning and self.step is Step.RECORD and not self.recording.has_sound:
            self.show_step(Step.TERMS)
            self._show_buttons()
        elif not ready.cloning and self.step is not Step.TERMS:
            self.board.warn(f"The loaded model can't copy voices. {ready.cloning_reason}")
        elif ready.cloning and self.step is Step.TERMS:
            self.show_step(Step.RECORD)
            self._show_buttons()
        elif self.step is Step.HEAR and not self.making.view.busy:
            self.making.clone()

    def _on_take_wanted(self, sentence: str) -> None:
        if self.making.view.is_cloned:
            self.making.speak_take(sentence)
        else:  # making it failed, or was cancelled
            self.making.clone()

    def _on_part_moved(self, start_s: float) -> None:
        self.audition.stop()
        self.making.move_part(start_s)

    def _on_named(self) -> None:
        self.making.choose(
            name=self.name.name.text().strip(),
            language=self.name.languages.currentData(),
            consented=self.name.consent.isChecked(),
        )
        self._show_buttons()

    def _on_sentence(self, sentence: str) -> None:
        self.making.choose(sentence=sentence)
        self.hear.show_view(self.making.view)

    def _on_saved(self, voice: object) -> None:
        self._is_left = True
        self.audition.stop()
        self.saved.emit(voice)
        self.is_put_away.set()
        self.accept()
        self.deleteLater()

    # ------------------------------------------------------------ listening

    def _play_part(self) -> None:
        start_s, stop_s = self.making.view.clip_s
        if self.audition.key == _PART:
            self.audition.stop()
        elif self.making.sound_path is not None:
            self.audition.play_file(_PART, self.making.sound_path, start_s, stop_s)
        else:
            self.board.warn("It can't be played: there is no place to write it to. Free some space.")

    def _play_take(self, index: int) -> None:
        key = f"{_TAKE}{index}"
        if self.audition.key == key:
            self.audition.stop()
        elif index < len(self.making.view.takes):
            self.audition.play_file(key, self.making.view.takes[index].path)

    def _show_playing(self) -> None:
        key, at_s = self.audition.key, self.audition.position_s
        is_part = key == _PART
        where = self.making.view.clip_s[0] + at_s if is_part and at_s is not None else None
        self.part.show_playing(is_part, where)
        self.hear.show_playing(int(key.removeprefix(_TAKE)) if key.startswith(_TAKE) else -1)

    # ------------------------------------------------------------ files, details

    def _ask_for_file(self) -> None:
        dialog = dialogs.file_dialog(self, "Make a voice from a file", self.folder)
        dialog.setNameFilters([f"Sounds and videos ({_SOUNDS})", "All files (*)"])
        dialog.fileSelected.connect(self.read_file)
        dialog.open()

    # ------------------------------------------------------------ events

    def reject(self) -> None:
        """Leaves; nothing is lost."""
        if not self._is_left:
            self._means.tasks.start(self._leave())
        super().reject()

    async def _leave(self) -> None:
        try:
            if await self.put_away():
                self.kept.emit()
        except PocketVoiceError as error:
            self._means.shelf.board.show_error(error)
        finally:
            self.is_put_away.set()
            self.deleteLater()

    def closeEvent(self, event: QCloseEvent) -> None:
        """The same as the button."""
        self.reject()
        event.accept()

    def dropEvent(self, event: QDropEvent) -> None:
        """Takes the first file."""
        event.acceptProposedAction()
        paths = dropped_paths(event.mimeData())
        if self.step is not Step.TERMS and paths:
            self.read_file(paths[0])


def _code_of(view: ModelView) -> str:
    language = (view.ready.language if view.ready else None) or view.language
    if language is None or not model_list.is_known(language):
        return "en"
    return catalogue.entry(language).language_code or "en"


def _is_built_in(language: str | None) -> bool:
    return language is not None and model_list.is_known(language) and catalogue.entry(language).is_local


def _sample(language: str) -> str:
    """A sentence or two in that language."""
    text = model_list.sample_text(language or None)
    return text.rpartition(". ")[0] + "." if ". " in text else text
