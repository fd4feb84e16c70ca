"""What can be done with the selected voices: actions with their keys, and the few lines behind each.

Knows the list and the library, no window: what others do is a signal. Main thread only.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QInputDialog, QMenu, QWidget

from pocketvoice.gui.controllers import model_list
from pocketvoice.gui.controllers.messages import Remedy
from pocketvoice.gui.voices.languages import language_title
from pocketvoice.gui.voices.library_model import LibraryModel
from pocketvoice.gui.voices.list.export_dialog import ExportVoiceDialog
from pocketvoice.gui.voices.list.item_model import about
from pocketvoice.gui.voices.list.list_view import VoiceListView
from pocketvoice.gui.voices.preview import VoicePreview
from pocketvoice.gui.voices.transfer import is_voice_file
from pocketvoice.gui.widgets import dialogs
from pocketvoice.voices import disk, reading_texts

_MOST_DELETED = 20
FOR_SEVERAL = ("favourite", "delete")
"""Actions that take more than one voice."""


class VoiceActions(QObject):
    """The actions of one list of voices."""

    new_wanted = Signal()
    use_wanted = Signal(str)  # id of a voice to speak with from now on
    sound_given = Signal(str)  # path of a recording to make a voice of
    keep_sound_wanted = Signal(str)  # id of a voice that is to get the present speed and volume

    def __init__(
        self, view: VoiceListView, library: LibraryModel, preview: VoicePreview, window: QWidget
    ) -> None:
        """`window` is the parent of dialogs and menus, and where Ctrl+Z and Ctrl+N work."""
        super().__init__(window)
        self._view = view
        self._library = library
        self._preview = preview
        self._window = window
        self.folder = ""
        """Where files were chosen last."""
        self.menu: QMenu | None = None
        """The menu that was opened last."""
        table: tuple[tuple[str, str, str, Callable[[], None]], ...] = (
            ("play", "&Play", "Space", self.play),
            ("use", "&Use", "Return", self.use),
            ("favourite", "Fa&vourite", "Ctrl+B", self.toggle_favourite),
            ("rename", "&Rename", "F2", self.rename),
            ("duplicate", "Dupli&cate", "Ctrl+D", self.duplicate),
            ("export", "&Export…", "Ctrl+E", self.export),
            ("delete", "&Delete", "Del", self.delete),
        )
        self.by_name = {name: _action(view, title, keys, slot) for name, title, keys, slot in table}
        for action in self.by_name.values():
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        _action(window, "Undo", "Ctrl+Z", library.undo)
        _action(window, "New voice", "Ctrl+N", self.new)

    # ------------------------------------------------------------ with the selected voices

    def play(self) -> None:
        """Plays the first selected voice, or stops it."""
        for voice in self._view.selected()[:1]:
            self.toggle_playing(voice.id)

    def toggle_playing(self, voice_id: str) -> None:
        """Plays a voice's own sentence, or has one spoken if it has none; while it plays, stops it."""
        voice = self._library.find(voice_id)
        if voice is None or self._preview.key == voice_id:
            self._preview.stop()
        elif voice.preview is not None and disk.is_whole(voice.preview_path, voice.preview):
            self._preview.play_file(voice_id, voice.preview_path)
        else:
            self._preview.play_voice(voice_id, voice_id, model_list.sample_text(voice.language or None))

    def use(self) -> None:
        """Asks for the first selected voice to speak from now on."""
        for voice in self._view.selected()[:1]:
            self.use_wanted.emit(voice.id)

    def toggle_favourite(self) -> None:
        """Makes all selected voices favourites; if they are already, none of them."""
        chosen = self._view.selected()
        favourite = not all(voice.favourite for voice in chosen)
        for voice in chosen:
            self._library.update(voice.id, favourite=favourite)

    def toggle_star(self, voice_id: str) -> None:
        """Makes one voice a favourite, or not one any more."""
        voice = self._library.find(voice_id)
        if voice is not None:
            self._library.update(voice_id, favourite=not voice.favourite)

    def rename(self) -> None:
        """Opens the editor of the name in the current row."""
        self._view.edit(self._view.currentIndex())

    def duplicate(self) -> None:
        """Makes a copy of the first selected voice."""
        for voice in self._view.selected()[:1]:
            self._library.duplicate(voice.id)

    def delete(self) -> None:
        """Moves the selected voices to the trash; that can be undone."""
        chosen = self._view.selected()
        if any(voice.id == self._preview.key for voice in chosen):
            self._preview.stop()
        if chosen:
            self._library.remove(chosen)

    def export(self) -> None:
        """Asks how and where the first selected voice is to be written, and writes it."""
        for voice in self._view.selected()[:1]:
            dialog = ExportVoiceDialog(voice, self.folder, self._window)
            dialog.chosen.connect(self._on_export)
            dialog.open()

    def edit_notes(self) -> None:
        """Opens the user's own notes on the first selected voice; the search finds their words."""
        for voice in self._view.selected()[:1]:
            dialog = QInputDialog(self._window)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.setOption(QInputDialog.InputDialogOption.UsePlainTextEditForTextInput)
            dialog.setWindowTitle("Notes")
            dialog.setLabelText(f"Notes on {voice.name}:")
            dialog.setTextValue(voice.notes)
            dialog.textValueSelected.connect(partial(self._save_notes, voice.id))
            dialog.open()

    def keep_sound(self) -> None:
        """Asks for the present speed and volume to belong to the first selected voice."""
        for voice in self._view.selected()[:1]:
            self.keep_sound_wanted.emit(voice.id)

    def show_menu(self, where: QPoint) -> None:
        """Opens the menu of the selected voices at a point of the list."""
        if self._view.selected():
            menu = self._new_menu()
            menu.addActions(list(self.by_name.values()))
            menu.addSeparator()
            menu.addAction("&Notes…").triggered.connect(self.edit_notes)
            menu.addAction("&Keep the present speed and volume").triggered.connect(self.keep_sound)
            self._add_languages(menu.addMenu("&Language"))
            menu.popup(self._view.viewport().mapToGlobal(where))

    # ------------------------------------------------------------ without any

    def new(self) -> None:
        """Asks for the dialog that makes another voice."""
        self._preview.stop()
        self.new_wanted.emit()

    def ask_for_files(self) -> None:
        """Asks which files to import voices from, and imports them."""
        dialog = dialogs.file_dialog(self._window, "Import voices", self.folder)
        dialog.setFileMode(dialog.FileMode.ExistingFiles)
        dialog.setNameFilters(
            [
                "Voices and recordings (*.pvoice *.safetensors *.wav *.flac *.mp3 *.m4a *.ogg *.opus)",
                "All files (*)",
            ]
        )
        dialog.filesSelected.connect(self.import_files)
        dialog.open()

    def import_files(self, paths: Sequence[str]) -> None:
        """Imports voices from files and folders; a recording without any begins a new voice."""
        self.folder = str(Path(paths[0]).parent)
        voices = [path for path in paths if is_voice_file(path)]
        if voices:
            self._library.transfer.import_files(voices)
        else:
            self._preview.stop()
            self.sound_given.emit(paths[0])

    def show_deleted(self, where: QPoint) -> None:
        """Opens a menu of the deleted voices at a point of the screen; choosing one brings it back."""
        self._library.run(self._show_deleted(where))

    def do_remedy(self, remedy: Remedy) -> None:
        """Does what a button of the message bar offers."""
        if remedy is Remedy.UNDO:
            self._library.undo()

    def show_details(self) -> None:
        """Opens the details of the message that is shown."""
        message = self._library.messages.message
        if message is not None:
            dialogs.DetailsDialog(message, self._window).open()

    # ------------------------------------------------------------ within

    async def _show_deleted(self, where: QPoint) -> None:
        found = await self._library.removed()
        menu = self._new_menu()
        for removed in found[:_MOST_DELETED]:
            title = removed.voice.name + (" (never saved)" if removed.unsaved else "")
            action = menu.addAction(f"{title}, {about(removed.voice)}".replace("&", "&&"))
            action.triggered.connect(partial(self._library.restore, removed.key))
        if menu.isEmpty():
            menu.addAction("No deleted voices").setEnabled(False)
        menu.popup(where)

    def _new_menu(self) -> QMenu:
        """An empty menu. The last one is deleted only now: until here it may still have been fading out."""
        if self.menu is not None:
            self.menu.deleteLater()
        self.menu = QMenu(self._window)
        return self.menu

    def _add_languages(self, menu: QMenu) -> None:
        voice = self._view.selected()[0]
        for code in (*reading_texts.languages(), ""):
            action = menu.addAction(language_title(code) or "Another language")
            action.setCheckable(True)
            action.setChecked(code == voice.language)
            action.triggered.connect(partial(self._save_language, voice.id, code))

    def _save_language(self, voice_id: str, code: str) -> None:
        self._library.update(voice_id, language=code)

    def _save_notes(self, voice_id: str, notes: str) -> None:
        self._library.update(voice_id, notes=notes.strip())

    def _on_export(self, voice_id: str, path: str, with_clip: bool) -> None:
        self.folder = str(Path(path).parent)
        self._library.transfer.export(voice_id, Path(path), with_clip=with_clip)


def _action(owner: QWidget, title: str, keys: str, slot: Callable[[], None]) -> QAction:
    action = QAction(title, owner)
    action.setShortcut(QKeySequence(keys))
    action.triggered.connect(lambda: slot())
    owner.addAction(action)
    return action
