"""The window of the user's voices: found, heard, selected, renamed, copied, exported, deleted. Shows the library model.

Main thread only. The dialog that makes a voice is opened by the coordinator.
"""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QHideEvent,
    QKeySequence,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from pocketvoice.gui.voices.library_model import LibraryModel
from pocketvoice.gui.voices.list.actions import FOR_SEVERAL, VoiceActions
from pocketvoice.gui.voices.list.integrity import IntegrityCheck
from pocketvoice.gui.voices.list.list_view import VoiceListView
from pocketvoice.gui.voices.list.search_bar import SearchBar
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
    """Shows all voices of the user, beside the main window."""

    new_wanted = Signal()
    sound_dropped = Signal(str)  # path of a recording to make a voice of
    use_wanted = Signal(str)  # id of a voice to speak with from now on
    keep_sound_wanted = Signal(str)  # id of a voice that is to get the present speed and volume

    def __init__(self, library: LibraryModel, preview: VoicePreview, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self._preview = preview
        self.check = IntegrityCheck(library, self)
        self.setWindowTitle("My voices")
        self.setAcceptDrops(True)
        self.message_bar = MessageBar()
        self.search = SearchBar()
        self.new = QPushButton("&New voice…")
        self.import_button = QPushButton("&Import…")
        self.deleted = QPushButton("De&leted…")
        self.list = VoiceListView()
        self.empty = QLabel(NONE_YET)
        self.first = QPushButton("Make the first &one…")
        self.middle = QStackedWidget()
        self.progress = ProgressRow("Voices on their way")
        self.count = QuietLabel("Number of voices")
        self.voice_actions = VoiceActions(self.list, library, preview, self)
        self.buttons = self._make_buttons()
        self._name_controls()
        self.middle.addWidget(self.list)
        self.middle.addWidget(self._make_empty())
        self._arrange()
        self._connect_library()
        self._connect_controls()
        self._show_voices()
        self._show_message()
        self.resize(dialogs.fitting(_SIZE, parent) if parent is not None else _SIZE)

    # ------------------------------------------------------------ for others

    def selected(self) -> list[Voice]:
        """The selected voices, from top to bottom."""
        return self.list.selected()

    def select(self, ids: Sequence[str]) -> None:
        """Selects voices and scrolls to the first one; a search that hides any of them is cleared."""
        if self.list.hides(ids):
            self.search.clear()
        self.list.select(ids)

    # ------------------------------------------------------------ controls

    def _make_buttons(self) -> dict[str, QPushButton]:
        made = {}
        for name, action in self.voice_actions.by_name.items():
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
        # A click checks it at once; it is to show what the voices are, which the library changes a moment later.
        made["favourite"].clicked.connect(self._show_selection)
        return made

    def _name_controls(self) -> None:
        for button, words in (
            (self.new, "New voice"),
            (self.import_button, "Import voices"),
            (self.deleted, "Deleted voices"),
        ):
            button.setAccessibleName(words)
            button.setAutoDefault(False)
        self.new.setToolTip("Record a voice, or make one from a recording (Ctrl+N)")
        self.deleted.setToolTip("Bring back a voice that was deleted, or a recording that was never saved")
        self.import_button.setToolTip("Bring in voices from .pvoice or .safetensors files")

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
        above.addWidget(self.import_button)
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

    def _connect_library(self) -> None:
        self._library.changed.connect(self._show_voices)
        self._library.added.connect(self.select)
        self._library.messages.changed.connect(self._show_message)
        self._library.transfer.busy.connect(self._show_progress)
        self._preview.changed.connect(self._show_playing)
        self.check.changed.connect(lambda: self.list.items.show_damage(self.check.damage))
        self.progress.cancelled.connect(self._library.transfer.cancel)
        self.message_bar.dismissed.connect(self._library.messages.dismiss)
        self.list.items.rename_wanted.connect(
            lambda voice_id, name: self._library.update(voice_id, name=name)
        )

    def _connect_controls(self) -> None:
        actions = self.voice_actions
        actions.new_wanted.connect(self.new_wanted)
        actions.sound_given.connect(self.sound_dropped)
        actions.use_wanted.connect(self.use_wanted)
        actions.keep_sound_wanted.connect(self.keep_sound_wanted)
        self.message_bar.remedy_wanted.connect(actions.do_remedy)
        self.message_bar.details_wanted.connect(actions.show_details)
        self.search.changed.connect(self._on_search)
        self.new.clicked.connect(actions.new)
        self.first.clicked.connect(actions.new)
        self.import_button.clicked.connect(actions.ask_for_files)
        self.deleted.clicked.connect(lambda: actions.show_deleted(self.deleted.mapToGlobal(QPoint(0, 0))))
        self.list.selectionModel().selectionChanged.connect(self._show_selection)
        self.list.doubleClicked.connect(actions.use)
        self.list.customContextMenuRequested.connect(actions.show_menu)
        self.list.delegate.star_clicked.connect(actions.toggle_star)
        self.list.delegate.play_clicked.connect(actions.toggle_playing)

    # ------------------------------------------------------------ showing

    def _show_voices(self) -> None:
        self.list.show_voices(self._library.voices)
        self.search.show_languages(voice.language for voice in self._library.voices)
        self._show_selection()

    def _show_selection(self) -> None:
        """Enables what can be done with the selected voices, and counts the shown ones."""
        selected = self.selected()
        shown, total = self.list.shown_count(), len(self._library.voices)
        self.empty.setText(NONE_FOUND if total else NONE_YET)
        self.first.setVisible(not total)
        self.middle.setCurrentIndex(0 if shown else 1)
        for name, action in self.voice_actions.by_name.items():
            enabled = len(selected) == 1 or (bool(selected) and name in FOR_SEVERAL)
            action.setEnabled(enabled)
            self.buttons[name].setEnabled(enabled)
        self.buttons["favourite"].setChecked(bool(selected) and all(voice.favourite for voice in selected))
        voices = f"{total} voice" + ("" if total == 1 else "s")
        self.count.show_text(voices if shown == total else f"{shown} of {voices}")
        self._show_playing()
        self._show_star()

    def _show_playing(self) -> None:
        playing = self._preview.key
        self.list.items.show_playing(playing)
        title = "Sto&p" if playing and any(voice.id == playing for voice in self.selected()) else "&Play"
        self.voice_actions.by_name["play"].setText(title)
        self.buttons["play"].setText(title)
        self.buttons["play"].setAccessibleName(title.replace("&", ""))

    def _show_message(self) -> None:
        self.message_bar.show_message(self._library.messages.message)

    def _show_progress(self, sentence: str, share: float) -> None:
        if sentence:
            self.progress.show_progress(sentence, share if share >= 0 else None)
        else:
            self.progress.hide()

    def _show_star(self) -> None:
        favourite = self.buttons["favourite"]
        favourite.setIcon(icon("star" if favourite.isChecked() else "star_empty"))

    def _on_search(self) -> None:
        self.list.filter.search(self.search.words.text(), self.search.language)
        self.list.select_row(0)
        self._show_selection()

    # ------------------------------------------------------------ events

    def changeEvent(self, event: QEvent) -> None:
        """Draws the icons again when the colours have changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "buttons"):
            self.list.delegate.forget_icons()
            self._show_star()

    def showEvent(self, event: QShowEvent) -> None:
        """Reads what another program did meanwhile, and begins to check the files."""
        super().showEvent(event)
        self._library.look()
        self._library.watch_closely(True)
        self.check.want(True)
        (self.list if self.list.shown_count() else self.first).setFocus()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stops checking and playing, unless the window was only minimised."""
        super().hideEvent(event)
        if not event.spontaneous():
            self._library.watch_closely(False)
            self.check.want(False)
            self._preview.stop()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accepts files: voices, and recordings to make one of."""
        if dropped_paths(event.mimeData()):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Accepts files wherever they are dropped in the window."""
        event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Imports voices; a recording without any becomes a voice."""
        event.acceptProposedAction()
        paths = dropped_paths(event.mimeData())
        if paths:
            self.voice_actions.import_files(paths)
