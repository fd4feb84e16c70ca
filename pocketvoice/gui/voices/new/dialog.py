"""The dialog that makes a voice: read or bring in a sound, choose its part, name it, hear it, save it. One page at a time.

Whenever it is left, the draft stays on disk, and the next dialog goes on there. Main thread only.
"""

import asyncio
import functools

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from pocketvoice.errors import PocketVoiceError
from pocketvoice.gui.controllers.models import ModelView
from pocketvoice.gui.voices.library_model import on_thread
from pocketvoice.gui.voices.new import draft_store
from pocketvoice.gui.voices.new.autosave import Autosave
from pocketvoice.gui.voices.new.layout import NewVoiceLayout, NewVoiceServices, Page
from pocketvoice.gui.voices.new.listening import Listening
from pocketvoice.gui.voices.new.model_notes import language_code_of, note_on, sample_sentence
from pocketvoice.gui.voices.new.recording import RecordPhase
from pocketvoice.gui.voices.new.view import NewVoiceView
from pocketvoice.gui.widgets import dialogs
from pocketvoice.gui.widgets.transfer import dropped_paths

KEPT = "The unfinished voice is kept: New voice goes on with it."
GOES_ON = "This is the recording you had not finished."
_SOUNDS = "*.wav *.flac *.mp3 *.m4a *.aac *.ogg *.opus *.aiff *.wma *.mp4 *.mov *.mkv *.webm *.avi"


class NewVoiceDialog(NewVoiceLayout):
    """Leads from a sound to a saved voice."""

    saved = Signal(object)  # Voice
    kept = Signal()  # the dialog was left, and the draft is on disk
    other_model_wanted = Signal()

    def __init__(self, services: NewVoiceServices, folder: str = "", parent: QWidget | None = None) -> None:
        super().__init__(services, parent)
        self.folder = folder
        """Where files were chosen last."""
        self.is_put_away = asyncio.Event()
        """Set once the dialog was closed and the draft is on disk."""
        self._is_left = False
        self._was_cloned = False
        self._autosave = Autosave(self.recording, self.session, self.messages)
        self._listening = Listening(self.preview, self.session, self.part, self.hear, self.messages, self)
        self._connect()
        self._prepare()

    # ------------------------------------------------------------ wiring

    def _connect(self) -> None:
        self.back_button.clicked.connect(self._go_back)
        self.next_button.clicked.connect(self._go_next)
        self.close_button.clicked.connect(self.reject)
        self._connect_recording()
        self._connect_session()
        self._services.models.changed.connect(self._on_model)
        self.terms.other_model_wanted.connect(self.other_model_wanted)

    def _connect_recording(self) -> None:
        self.recording.changed.connect(lambda _view: self._show_buttons())
        self.recording.failed.connect(self.messages.show_error)
        self.recording.failed.connect(lambda _error: self.record.list_microphones())
        self.recording.full.connect(self._go_next)
        self.recording.added.connect(lambda: self._services.tasks.start(self._autosave.save_or_warn()))
        self.record.again.clicked.connect(lambda: self._services.tasks.start(self._autosave.delete()))
        self.record.file_wanted.connect(self._ask_for_file)
        self.record.microphones_failed.connect(self.messages.show_error)
        self.record.language_chosen.connect(lambda code: self.session.choose(language=code))

    def _connect_session(self) -> None:
        self.session.changed.connect(self._show_session)
        self.session.saved.connect(self._on_saved)
        self.part.part_moved.connect(self._on_part_moved)
        self.part.part_trimmed.connect(self._on_part_trimmed)
        self.part.other_wanted.connect(self._begin_anew)
        self.name.changed.connect(self._on_named)
        self.hear.take_wanted.connect(self._on_take_wanted)
        self.hear.take_chosen.connect(self.session.choose_take)
        self.hear.sentence_changed.connect(self._on_sentence)

    def _prepare(self) -> None:
        language = language_code_of(self._services.models.view)
        self.session.choose(language=language)
        self.record.show_language(language)
        self.show_page(Page.RECORD)
        self._show_buttons()
        self._on_model(self._services.models.view)
        self.record.list_microphones()

    # ------------------------------------------------------------ for the coordinator

    def begin(self, path: str = "") -> None:
        """Opens the dialog, with a sound file or with the draft on disk."""
        self.show()
        self.raise_()
        self.activateWindow()
        if path:
            self.read_file(path)
        elif self.session.view.source is None and not self.recording.has_sound:
            self._services.tasks.start(self._resume())

    def read_file(self, path: str) -> None:
        """Takes a sound file instead of the sound there is."""
        self.preview.stop()
        self.recording.clear()
        self.session.read_file(path)
        self._to(Page.PART)

    async def put_away(self) -> bool:
        """Writes the draft to disk for another time; whether there is one. Raises OutputError or DiskFullError."""
        self._is_left = True
        self.preview.stop()
        kept = await self._autosave.finish()
        self.is_put_away.set()
        return kept

    async def _resume(self) -> None:
        found = await on_thread(draft_store.load)
        if found is None or self.session.view.source is not None or self.recording.has_sound:
            return
        source, choices = found
        self.session.take_unfinished(source, choices)
        self.record.show_language(choices.language or self.session.choices.language)
        self._to(Page.PART)
        self.messages.say(GOES_ON)

    # ------------------------------------------------------------ from page to page

    def _to(self, page: Page) -> None:
        self.preview.stop()
        if page is Page.NAME:
            choices = self.session.choices
            self.name.show_values(choices.name or self._free_name(), choices.language, choices.consented)
        if page is Page.HEAR:
            self.hear.show_sentence(
                self.session.choices.sentence or sample_sentence(self.session.choices.language)
            )
            self.session.clone()
        self.show_page(page)
        self._show_buttons()

    def _show_buttons(self) -> None:
        view, phase = self.session.view, self.recording.view.phase
        can = {
            Page.TERMS: False,
            Page.RECORD: phase in (RecordPhase.RECORDING, RecordPhase.PAUSED) or view.source is not None,
            Page.PART: view.report is not None and not view.report.is_blocked,
            Page.NAME: self.name.is_complete,
            Page.HEAR: view.is_cloned and bool(view.takes),
        }
        self.next_button.setEnabled(can[self.page] and not view.busy)
        if view.busy and self.page is not Page.TERMS:
            self.progress.show_progress(view.busy, view.share)
        else:
            self.progress.hide()

    def _go_next(self) -> None:
        match self.page:
            case Page.RECORD:
                self.recording.finish(self._look_at_recording)
            case Page.PART:
                self._to(Page.NAME)
            case Page.NAME:
                self._services.tasks.start(self._leave_name())
            case Page.HEAR:
                self.preview.stop()
                self.session.save()

    def _go_back(self) -> None:
        if self.page is Page.HEAR:
            self.session.cancel()
        self._to(Page(self.page - 1))

    def _begin_anew(self) -> None:
        """Back to the first page; the sound stays until another one takes its place."""
        self.recording.clear()
        self._to(Page.RECORD)

    def _look_at_recording(self) -> None:
        if self.recording.has_sound:
            self._services.tasks.start(self._take_recording())
        elif self.session.view.source is not None:
            self._to(Page.PART)

    async def _take_recording(self) -> None:
        source = await self.recording.source()
        if not self._is_left:  # else `put_away` writes it
            self.recording.clear()
            self.session.take_source(source, is_recording=True)
            self._to(Page.PART)

    async def _leave_name(self) -> None:
        library = await self._services.library.library()
        try:
            await on_thread(functools.partial(library.check_name, self.session.choices.name))
        except PocketVoiceError as error:
            self.messages.show_error(error)
            self.name.name.setFocus()
            return
        if self.page is Page.NAME:
            self.messages.dismiss()
            self._to(Page.HEAR)

    def _free_name(self) -> str:
        number, name = 1, "My voice"
        while self._services.library.find(name) is not None:
            number += 1
            name = f"My voice {number}"
        return name

    # ------------------------------------------------------------ what happens

    def _show_session(self, view: NewVoiceView) -> None:
        self.part.show_view(view)
        self.hear.show_view(view)
        if view.is_cloned and not self._was_cloned and self.page is Page.HEAR:
            self._was_cloned = True
            self._speak_first()
        self._was_cloned = view.is_cloned
        if self.page is Page.PART and view.source is None and not view.busy:
            self._to(Page.RECORD)  # the file could not be read, or reading it was cancelled
        self._show_buttons()

    def _speak_first(self) -> None:
        """Speaks the first take, after the slots of the signal that is being handled."""
        QTimer.singleShot(0, lambda: self.session.speak_take(self.hear.text()))

    def _on_model(self, view: ModelView) -> None:
        ready, note = view.ready, note_on(view)
        for page in (self.record, self.name, self.hear):
            page.show_note(note)
        if ready is None:
            return
        if not ready.cloning and self.page is Page.RECORD and not self.recording.has_sound:
            self.show_page(Page.TERMS)
            self._show_buttons()
        elif not ready.cloning and self.page is not Page.TERMS:
            self.messages.warn(f"The loaded model can't copy voices. {ready.cloning_reason}")
        elif ready.cloning and self.page is Page.TERMS:
            self.show_page(Page.RECORD)
            self._show_buttons()
        elif self.page is Page.HEAR and not self.session.view.busy:
            self.session.clone()

    def _on_take_wanted(self, sentence: str) -> None:
        if self.session.view.is_cloned:
            self.session.speak_take(sentence)
        else:  # making it failed, or was cancelled
            self.session.clone()

    def _on_part_moved(self, start_s: float) -> None:
        self.preview.stop()
        self.session.move_part(start_s)

    def _on_part_trimmed(self, start_s: float, stop_s: float) -> None:
        self.preview.stop()
        self.session.trim_part(start_s, stop_s)

    def _on_named(self) -> None:
        self.session.choose(
            name=self.name.name.text().strip(),
            language=self.name.languages.currentData(),
            consented=self.name.consent.isChecked(),
        )
        self._show_buttons()

    def _on_sentence(self, sentence: str) -> None:
        self.session.choose(sentence=sentence)
        self.hear.show_view(self.session.view)

    def _on_saved(self, voice: object) -> None:
        self._is_left = True
        self.preview.stop()
        self.saved.emit(voice)
        self.is_put_away.set()
        self.accept()
        self.deleteLater()

    def _ask_for_file(self) -> None:
        dialog = dialogs.file_dialog(self, "Make a voice from a file", self.folder)
        dialog.setNameFilters([f"Sounds and videos ({_SOUNDS})", "All files (*)"])
        dialog.fileSelected.connect(self.read_file)
        dialog.open()

    # ------------------------------------------------------------ events

    def reject(self) -> None:
        """Closes the dialog; the draft is written to disk."""
        if not self._is_left:
            self._services.tasks.start(self._leave())
        super().reject()

    async def _leave(self) -> None:
        try:
            if await self.put_away():
                self.kept.emit()
        except PocketVoiceError as error:
            self._services.library.messages.show_error(error)
        finally:
            self.is_put_away.set()
            self.deleteLater()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Does what the Close button does."""
        self.reject()
        event.accept()

    def dropEvent(self, event: QDropEvent) -> None:
        """Takes the first of the dropped files as the sound."""
        event.acceptProposedAction()
        paths = dropped_paths(event.mimeData())
        if self.page is not Page.TERMS and paths:
            self.read_file(paths[0])
