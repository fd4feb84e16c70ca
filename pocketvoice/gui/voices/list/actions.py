"""What can be done with the chosen voices of the page: actions with their keys, and the few lines behind each.

Main thread only. Belongs to one page.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QInputDialog, QMenu, QWidget

from pocketvoice.gui.controllers import model_list
from pocketvoice.gui.controllers.messages import Remedy
from pocketvoice.gui.voices.library_model import LibraryModel
from pocketvoice.gui.voices.list.export import ExportVoiceDialog
from pocketvoice.gui.voices.list.item_model import about, language_title
from pocketvoice.gui.voices.preview import VoicePreview
from pocketvoice.gui.widgets import dialogs
from pocketvoice.voices import disk, reading_texts

if TYPE_CHECKING:
    from pocketvoice.gui.voices.list.window import VoicesWindow

_MOST_DELETED = 20
FOR_SEVERAL = ("favourite", "delete")
"""Actions that take more than one voice."""


class VoiceActions(QObject):
    """The page's hands."""

    def __init__(self, page: "VoicesWindow", voices: LibraryModel, audition: VoicePreview) -> None:
        super().__init__(page)
        self._page = page
        self._shelf = voices
        self._audition = audition
        self.folder = ""
        """Where files were chosen last."""
        self.menu: QMenu | None = None
        """The one that was opened last."""
        table: tuple[tuple[str, str, str, Callable[[], None]], ...] = (
            ("play", "&Play", "Space", self.play),
            ("use", "&Use", "Return", self.use),
            ("favourite", "Fa&vourite", "Ctrl+B", self.toggle_favourite),
            ("rename", "&Rename", "F2", self.rename),
            ("duplicate", "Dupli&cate", "Ctrl+D", self.duplicate),
            ("export", "&Export…", "Ctrl+E", self.export),
            ("delete", "&Delete", "Del", self.delete),
        )
        self.actions = {name: _action(page.list, title, keys, slot) for name, title, keys, slot in table}
        for action in self.actions.values():
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        _action(page, "Undo", "Ctrl+Z", voices.undo)
        _action(page, "New voice", "Ctrl+N", self.new)

    # ------------------------------------------------------------ the chosen ones

    def play(self) -> None:
        """Hears the first one."""
        for voice in self._page.selected()[:1]:
            self.toggle_playing(voice.id)

    def toggle_playing(self, voice_id: str) -> None:
        """Its own sentence if there is one, else one is made now; while it plays, silence."""
        voice = self._shelf.find(voice_id)
        if voice is None or self._audition.key == voice_id:
            self._audition.stop()
        elif voice.preview is not None and disk.is_whole(voice.preview_path, voice.preview):
            self._audition.play_file(voice_id, voice.preview_path)
        else:
            self._audition.play_voice(voice_id, voice_id, model_list.sample_text(voice.language or None))

    def use(self) -> None:
        """Speaks with it from now on."""
        for voice in self._page.selected()[:1]:
            self._page.use_wanted.emit(voice.id)

    def toggle_favourite(self) -> None:
        """All of them become favourites, unless they are."""
        chosen = self._page.selected()
        favourite = not all(voice.favourite for voice in chosen)
        for voice in chosen:
            self._shelf.set_favourite(voice.id, favourite)
        self._page.show_selection()

    def toggle_star(self, voice_id: str) -> None:
        """Of one voice, by its star."""
        voice = self._shelf.find(voice_id)
        if voice is not None:
            self._shelf.set_favourite(voice_id, not voice.favourite)

    def rename(self) -> None:
        """In place."""
        self._page.list.edit(self._page.list.currentIndex())

    def duplicate(self) -> None:
        """A copy."""
        for voice in self._page.selected()[:1]:
            self._shelf.duplicate(voice.id)

    def delete(self) -> None:
        """Into the trash; it can be undone."""
        chosen = self._page.selected()
        if any(voice.id == self._audition.key for voice in chosen):
            self._audition.stop()
        if chosen:
            self._shelf.remove(chosen)

    def export(self) -> None:
        """Asks how and where to."""
        for voice in self._page.selected()[:1]:
            dialog = ExportVoiceDialog(voice, self.folder, self._page)
            dialog.chosen.connect(self._on_export)
            dialog.open()

    def edit_notes(self) -> None:
        """The user's own words about the first one; they can be searched for."""
        for voice in self._page.selected()[:1]:
            dialog = QInputDialog(self._page)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.setOption(QInputDialog.InputDialogOption.UsePlainTextEditForTextInput)
            dialog.setWindowTitle("Notes")
            dialog.setLabelText(f"Notes on {voice.name}:")
            dialog.setTextValue(voice.notes)
            dialog.textValueSelected.connect(partial(self._shelf.set_notes, voice.id))
            dialog.open()

    def keep_sound(self) -> None:
        """The speed and volume of now come with the first one from now on."""
        for voice in self._page.selected()[:1]:
            self._page.keep_sound_wanted.emit(voice.id)

    def show_menu(self, where: QPoint) -> None:
        """All of this at the mouse."""
        if self._page.selected():
            menu = self._new_menu()
            menu.addActions(list(self.actions.values()))
            menu.addSeparator()
            menu.addAction("&Notes…").triggered.connect(self.edit_notes)
            menu.addAction("&Keep the present speed and volume").triggered.connect(self.keep_sound)
            self._add_languages(menu.addMenu("&Language"))
            menu.popup(self._page.list.viewport().mapToGlobal(where))

    # ------------------------------------------------------------ others

    def new(self) -> None:
        """Another voice."""
        self._audition.stop()
        self._page.new_wanted.emit()

    def ask_for_files(self) -> None:
        """Which voices to bring in."""
        dialog = dialogs.file_dialog(self._page, "Import voices", self.folder)
        dialog.setFileMode(dialog.FileMode.ExistingFiles)
        dialog.setNameFilters(["Voices (*.pvoice *.safetensors)", "All files (*)"])
        dialog.filesSelected.connect(self.take_in)
        dialog.open()

    def take_in(self, paths: Sequence[str]) -> None:
        """Brings voices in."""
        self.folder = str(Path(paths[0]).parent)
        self._shelf.bring_in(paths)

    def show_deleted(self) -> None:
        """What is in the trash, to be brought back."""
        self._shelf.run(self._show_deleted())

    async def _show_deleted(self) -> None:
        found = await self._shelf.removed()
        menu = self._new_menu()
        for removed in found[:_MOST_DELETED]:
            title = removed.voice.name + (" (never saved)" if removed.unsaved else "")
            action = menu.addAction(f"{title}, {about(removed.voice)}".replace("&", "&&"))
            action.triggered.connect(partial(self._shelf.restore, removed.key))
        if menu.isEmpty():
            menu.addAction("No deleted voices").setEnabled(False)
        menu.popup(self._page.deleted.mapToGlobal(QPoint(0, 0)))

    def _new_menu(self) -> QMenu:
        """Instead of the last one, which may still be fading."""
        if self.menu is not None:
            self.menu.deleteLater()
        self.menu = QMenu(self._page)
        return self.menu

    def _add_languages(self, menu: QMenu) -> None:
        voice = self._page.selected()[0]
        for code in (*reading_texts.languages(), ""):
            action = menu.addAction(language_title(code) or "Another language")
            action.setCheckable(True)
            action.setChecked(code == voice.language)
            action.triggered.connect(partial(self._shelf.set_language, voice.id, code))

    def do_remedy(self, remedy: Remedy) -> None:
        """A button of the message bar."""
        if remedy is Remedy.UNDO:
            self._shelf.undo()

    def show_details(self) -> None:
        """Of the message."""
        message = self._shelf.board.message
        if message is not None:
            dialogs.DetailsDialog(message, self._page).open()

    def _on_export(self, voice_id: str, path: str, with_clip: bool) -> None:
        self.folder = str(Path(path).parent)
        self._shelf.export(voice_id, Path(path), with_clip=with_clip)


def _action(owner: QWidget, title: str, keys: str, slot: Callable[[], None]) -> QAction:
    action = QAction(title, owner)
    action.setShortcut(QKeySequence(keys))
    action.triggered.connect(lambda: slot())
    owner.addAction(action)
    return action
