"""The page of the user's voices: found, heard, chosen, renamed, copied, handed on, deleted. Shows the shelf, and tells it.

Main thread only. Another part opens the window in which a voice is made.
"""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QItemSelection, QSize, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QHideEvent,
    QKeySequence,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QPushButton,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from pocketvoice.gui.voices.library_model import LibraryModel
from pocketvoice.gui.voices.list.actions import FOR_SEVERAL, VoiceActions
from pocketvoice.gui.voices.list.delegate import VoiceDelegate
from pocketvoice.gui.voices.list.integrity import IntegrityCheck
from pocketvoice.gui.voices.list.item_model import VOICE_ROLE, VoiceFilter, VoiceItemModel, language_title
from pocketvoice.gui.voices.preview import VoicePreview
from pocketvoice.gui.widgets import dialogs
from pocketvoice.gui.widgets.bars import MessageBar, ProgressRow, QuietLabel
from pocketvoice.gui.widgets.icons import icon
from pocketvoice.gui.widgets.transfer import dropped_paths
from pocketvoice.voices.voice import Voice

NONE_YET = (
    "There are no voices of your own yet.\n\nRead a short text into the microphone, or bring in a recording: "
    "25 seconds of one person speaking are enough."
)
NONE_FOUND = "No voice fits the search."

_SIZE = QSize(760, 560)


class VoicesWindow(QDialog):
    """Stays beside the window."""

    new_wanted = Signal()
    sound_dropped = Signal(str)  # path of a recording to make a voice of
    use_wanted = Signal(str)  # id
    keep_sound_wanted = Signal(str)  # id

    def __init__(self, voices: LibraryModel, audition: VoicePreview, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shelf = voices
        self._audition = audition
        self.check = IntegrityCheck(voices, self)
        self.setWindowTitle("My voices")
        self.setAcceptDrops(True)
        self.message_bar = MessageBar()
        self.search = QLineEdit()
        self.languages = QComboBox()
        self.new = QPushButton("&New voice…")
        self.bring_in = QPushButton("&Import…")
        self.deleted = QPushButton("De&leted…")
        self.model = VoiceItemModel(self)
        self.filter = VoiceFilter(self.model, self)
        self.list = QListView()
        self.delegate = VoiceDelegate(self.list)
        self.empty = QLabel(NONE_YET)
        self.first = QPushButton("Make the first &one…")
        self.middle = QStackedWidget()
        self.progress = ProgressRow("Voices on their way")
        self.count = QuietLabel("Number of voices")
        self.acts = VoiceActions(self, voices, audition)
        self.buttons = self._make_buttons()
        self._dress_controls()
        _add_focus_key(self, self.search)
        self._dress_list()
        self._arrange()
        self._connect()
        self._show_voices()
        self._show_message()
        self.resize(dialogs.fitting(_SIZE, parent) if parent is not None else _SIZE)

    # ------------------------------------------------------------ for others

    def selected(self) -> list[Voice]:
        """The chosen voices, from top to bottom."""
        rows = sorted(self.list.selectionModel().selectedIndexes(), key=lambda index: index.row())
        return [index.data(VOICE_ROLE) for index in rows]

    def select(self, ids: Sequence[str]) -> None:
        """Chooses voices and brings the first one into view; a search that hides them is cleared."""
        rows = [self.model.row_of(key) for key in ids]
        hidden = [not self.filter.mapFromSource(self.model.index(row)).isValid() for row in rows if row >= 0]
        if any(hidden):
            self.search.clear()
            self.languages.setCurrentIndex(0)
        self._choose(ids)

    def _choose(self, ids: Sequence[str]) -> None:
        rows = sorted(row for key in ids if (row := self.model.row_of(key)) >= 0)
        shown = [self.filter.mapFromSource(self.model.index(row)) for row in rows]
        found = [index for index in shown if index.isValid()]
        choice = QItemSelection()
        for index in found:
            choice.select(index, index)
        if found:
            self.list.setCurrentIndex(found[0])
            self.list.selectionModel().select(choice, self.list.selectionModel().SelectionFlag.ClearAndSelect)
            self.list.scrollTo(found[0])

    # ------------------------------------------------------------ making

    def _make_buttons(self) -> dict[str, QPushButton]:
        made = {}
        for name, action in self.acts.actions.items():
            button = QPushButton(action.text())
            words = action.text().replace("&", "").rstrip("…")
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            button.setAccessibleName(words)
            button.setToolTip(f"{words} ({keys})")
            button.setAutoDefault(False)
            button.clicked.connect(action.trigger)
            made[name] = button
        made["favourite"].setText("")
        made["favourite"].setCheckable(True)
        return made

    def _dress_controls(self) -> None:
        self.search.setPlaceholderText("Search")
        self.search.setAccessibleName("Search voices")
        self.search.setClearButtonEnabled(True)
        for inside in self.search.findChildren(QToolButton):
            inside.setAccessibleName("Clear the search")
        self.languages.setAccessibleName("Language of the voices")
        self.languages.setToolTip("Show the voices of one language")
        self.languages.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for button, words in (
            (self.new, "New voice"),
            (self.bring_in, "Import voices"),
            (self.deleted, "Deleted voices"),
        ):
            button.setAccessibleName(words)
            button.setAutoDefault(False)
        self.new.setToolTip("Record a voice, or make one from a recording (Ctrl+N)")
        self.deleted.setToolTip("Bring back a voice that was deleted, or a recording that was never saved")
        self.bring_in.setToolTip("Bring in voices from .pvoice or .safetensors files")

    def _dress_list(self) -> None:
        view = self.list
        view.setModel(self.filter)
        view.setItemDelegate(self.delegate)
        view.setUniformItemSizes(True)
        view.setFrameShape(QListView.Shape.NoFrame)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)  # F2 is an action of ours
        view.setAccessibleName("My voices")
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.setTabKeyNavigation(False)
        self.middle.addWidget(view)
        self.middle.addWidget(self._make_empty())

    def _make_empty(self) -> QWidget:
        """What stands in the place of a list without rows."""
        panel = QWidget()
        panel.setAutoFillBackground(True)
        panel.setBackgroundRole(self.palette().ColorRole.Base)
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.first.setAccessibleName("Make the first voice")
        self.first.setAutoDefault(False)
        layout = QVBoxLayout(panel)
        layout.setContentsMargins(*[3 * self.fontMetrics().height()] * 4)
        layout.setSpacing(2 * self.fontMetrics().height())
        layout.addStretch(1)
        layout.addWidget(self.empty)
        layout.addWidget(self.first, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(1)
        return panel

    def _arrange(self) -> None:
        above = QHBoxLayout()
        above.setContentsMargins(14, 10, 14, 10)
        above.setSpacing(8)
        above.addWidget(self.search, 1)
        above.addWidget(self.languages)
        above.addWidget(self.bring_in)
        above.addWidget(self.new)
        below = QHBoxLayout()
        below.setContentsMargins(14, 8, 14, 4)
        below.setSpacing(6)
        for name in ("play", "favourite", "rename", "duplicate", "export", "delete"):
            below.addWidget(self.buttons[name])
        below.addStretch(1)
        below.addWidget(self.deleted)
        below.addWidget(self.buttons["use"])
        last = QHBoxLayout()
        last.setContentsMargins(14, 0, 14, 8)
        last.addWidget(self.count, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(above)
        layout.addWidget(self.message_bar)
        layout.addWidget(self.middle, 1)
        layout.addWidget(self.progress)
        layout.addLayout(below)
        layout.addLayout(last)

    def _connect(self) -> None:
        self._shelf.changed.connect(self._show_voices)
        self.check.changed.connect(lambda: self.model.show_damage(self.check.damage))
        self._shelf.added.connect(self.select)
        self._shelf.board.changed.connect(self._show_message)
        self._shelf.busy.connect(self._show_progress)
        self._audition.changed.connect(self._show_playing)
        self.progress.cancelled.connect(self._shelf.cancel)
        self.message_bar.dismissed.connect(self._shelf.board.dismiss)
        self.message_bar.remedy_wanted.connect(self.acts.do_remedy)
        self.message_bar.details_wanted.connect(self.acts.show_details)
        self.search.textChanged.connect(self._on_search)
        self.languages.currentIndexChanged.connect(self._on_search)
        self.new.clicked.connect(self.acts.new)
        self.first.clicked.connect(self.acts.new)
        self.bring_in.clicked.connect(self.acts.ask_for_files)
        self.deleted.clicked.connect(self.acts.show_deleted)
        self.model.rename_wanted.connect(self._shelf.rename)
        self.list.selectionModel().selectionChanged.connect(self.show_selection)
        self.list.doubleClicked.connect(self.acts.use)
        self.list.customContextMenuRequested.connect(self.acts.show_menu)
        self.delegate.star_clicked.connect(self.acts.toggle_star)
        self.delegate.play_clicked.connect(self.acts.toggle_playing)

    # ------------------------------------------------------------ showing

    def _show_voices(self) -> None:
        chosen = [voice.id for voice in self.selected()]
        row = self.list.currentIndex().row()
        self.model.show_voices(self._shelf.voices)
        self._show_languages()
        self._choose(chosen)
        if not self.selected() and self.filter.rowCount():
            self.list.setCurrentIndex(self.filter.index(min(max(row, 0), self.filter.rowCount() - 1), 0))
        self.show_selection()

    def _show_languages(self) -> None:
        codes = sorted({voice.language for voice in self._shelf.voices if voice.language}, key=language_title)
        self.languages.setVisible(len(codes) > 1)
        if self.languages.count() and codes == [
            self.languages.itemData(row) for row in range(1, self.languages.count())
        ]:
            return
        was, chosen = self.languages.blockSignals(True), self.languages.currentData()
        self.languages.clear()
        self.languages.addItem("All languages", "")
        for code in codes:
            self.languages.addItem(language_title(code), code)
        self.languages.setCurrentIndex(max(0, self.languages.findData(chosen)))
        self.languages.blockSignals(was)

    def show_selection(self) -> None:
        """What can be done with the chosen voices."""
        chosen = self.selected()
        shown, all_of_them = self.filter.rowCount(), len(self._shelf.voices)
        self.empty.setText(NONE_FOUND if all_of_them else NONE_YET)
        self.first.setVisible(not all_of_them)
        self.middle.setCurrentIndex(0 if shown else 1)
        for name, action in self.acts.actions.items():
            enabled = len(chosen) == 1 or (bool(chosen) and name in FOR_SEVERAL)
            action.setEnabled(enabled)
            self.buttons[name].setEnabled(enabled)
        self.buttons["favourite"].setChecked(bool(chosen) and all(voice.favourite for voice in chosen))
        voices = f"{all_of_them} voice" + ("" if all_of_them == 1 else "s")
        self.count.show_text(voices if shown == all_of_them else f"{shown} of {voices}")
        self._show_playing()
        self._dress()

    def _show_playing(self) -> None:
        playing = self._audition.key
        self.model.show_playing(playing)
        title = "Sto&p" if playing and any(voice.id == playing for voice in self.selected()) else "&Play"
        self.acts.actions["play"].setText(title)
        self.buttons["play"].setText(title)
        self.buttons["play"].setAccessibleName(title.replace("&", ""))

    def _show_message(self) -> None:
        self.message_bar.show_message(self._shelf.board.message)

    def _show_progress(self, sentence: str, share: float) -> None:
        if sentence:
            self.progress.show_progress(sentence, share if share >= 0 else None)
        else:
            self.progress.hide()

    def _dress(self) -> None:
        favourite = self.buttons["favourite"]
        favourite.setIcon(icon("star" if favourite.isChecked() else "star_empty"))

    def _on_search(self) -> None:
        self.filter.search(self.search.text(), self.languages.currentData() or "")
        if not self.selected() and self.filter.rowCount():
            self.list.setCurrentIndex(self.filter.index(0, 0))
        self.show_selection()

    # ------------------------------------------------------------ events

    def changeEvent(self, event: QEvent) -> None:
        """Other colours."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "buttons"):
            self.delegate.forget_icons()
            self._dress()

    def showEvent(self, event: QShowEvent) -> None:
        """What another program did meanwhile is shown."""
        super().showEvent(event)
        self._shelf.look()
        self._shelf.watch_closely(True)
        self.check.want(True)
        (self.list if self.filter.rowCount() else self.first).setFocus()

    def hideEvent(self, event: QHideEvent) -> None:
        """Silence, unless it only became an icon."""
        super().hideEvent(event)
        if not event.spontaneous():
            self._shelf.watch_closely(False)
            self.check.want(False)
            self._audition.stop()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Voices, and recordings to make one of."""
        if dropped_paths(event.mimeData()):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Anywhere."""
        event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Brings in voices; one recording becomes a voice."""
        event.acceptProposedAction()
        paths = dropped_paths(event.mimeData())
        sounds = [path for path in paths if not is_voice_file(path)]
        voices = [path for path in paths if is_voice_file(path)]
        if voices:
            self.acts.take_in(voices)
        elif sounds:
            self.sound_dropped.emit(sounds[0])


def _add_focus_key(page: QWidget, search: QLineEdit) -> None:
    """Ctrl+F, wherever the keyboard is."""
    find = QShortcut(QKeySequence("Ctrl+F"), page)
    find.activated.connect(search.setFocus)
    find.activated.connect(search.selectAll)


def is_voice_file(path: str) -> bool:
    """Whether it holds voices, or is a folder that may; anything else may be a recording."""
    return Path(path).suffix.lower() in (".pvoice", ".safetensors") or Path(path).is_dir()
