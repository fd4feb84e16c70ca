"""The list itself: rows, search, and which voices are selected. Knows no library and plays nothing. Main thread only."""

from collections.abc import Sequence

from PySide6.QtCore import QItemSelection, Qt
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from pocketvoice.gui.voices.list.delegate import VoiceDelegate
from pocketvoice.gui.voices.list.item_model import VOICE_ROLE, VoiceFilter, VoiceItemModel
from pocketvoice.voices.voice import Voice


class VoiceListView(QListView):
    """Shows the voices of a `VoiceItemModel` that fit the search, one row each."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.items = VoiceItemModel(self)
        self.filter = VoiceFilter(self.items, self)
        self.delegate = VoiceDelegate(self)
        self.setModel(self.filter)
        self.setItemDelegate(self.delegate)
        self.setUniformItemSizes(True)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        # F2 is an action of `VoiceActions`.
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAccessibleName("My voices")
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setTabKeyNavigation(False)

    def shown_count(self) -> int:
        """How many voices fit the search."""
        return self.filter.rowCount()

    def selected(self) -> list[Voice]:
        """The selected voices, from top to bottom."""
        rows = sorted(self.selectionModel().selectedIndexes(), key=lambda index: index.row())
        return [index.data(VOICE_ROLE) for index in rows]

    def hides(self, ids: Sequence[str]) -> bool:
        """Whether the search hides any of these voices."""
        rows = [self.items.row_of(voice_id) for voice_id in ids]
        return any(not self.filter.mapFromSource(self.items.index(row)).isValid() for row in rows if row >= 0)

    def select(self, ids: Sequence[str]) -> None:
        """Selects those of the voices that are shown, and scrolls to the first one."""
        rows = sorted(row for voice_id in ids if (row := self.items.row_of(voice_id)) >= 0)
        shown = [self.filter.mapFromSource(self.items.index(row)) for row in rows]
        found = [index for index in shown if index.isValid()]
        selection = QItemSelection()
        for index in found:
            selection.select(index, index)
        if found:
            self.setCurrentIndex(found[0])
            self.selectionModel().select(selection, self.selectionModel().SelectionFlag.ClearAndSelect)
            self.scrollTo(found[0])

    def select_row(self, row: int) -> None:
        """Selects a row if nothing is selected; one beyond the end is the last one."""
        if not self.selected() and self.shown_count():
            self.setCurrentIndex(self.filter.index(min(max(row, 0), self.shown_count() - 1), 0))

    def show_voices(self, voices: Sequence[Voice]) -> None:
        """Shows these voices; those that were selected stay selected, or else the row that was."""
        ids, row = [voice.id for voice in self.selected()], self.currentIndex().row()
        self.items.show_voices(voices)
        self.select(ids)
        self.select_row(row)
