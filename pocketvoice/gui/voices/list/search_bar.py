"""The search above the list of voices: words, and a language. Knows no list: it says what is wanted. Main thread only."""

from collections.abc import Iterable

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QToolButton, QWidget

from pocketvoice.gui.voices.languages import language_title


class SearchBar(QWidget):
    """A line for words, and a choice of language where there are several."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = QLineEdit()
        self.words.setPlaceholderText("Search")
        self.words.setAccessibleName("Search voices")
        self.words.setClearButtonEnabled(True)
        for inside in self.words.findChildren(QToolButton):
            inside.setAccessibleName("Clear the search")
        self.languages = QComboBox()
        self.languages.setAccessibleName("Language of the voices")
        self.languages.setToolTip("Show the voices of one language")
        self.languages.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.words, 1)
        layout.addWidget(self.languages)
        self.words.textChanged.connect(self.changed)
        self.languages.currentIndexChanged.connect(self.changed)
        focus_key = QShortcut(QKeySequence("Ctrl+F"), self)  # wherever the keyboard is in the window
        focus_key.activated.connect(self.words.setFocus)
        focus_key.activated.connect(self.words.selectAll)

    @property
    def language(self) -> str:
        """Code of the chosen language; "" is any."""
        return self.languages.currentData() or ""

    def clear(self) -> None:
        """Searches for nothing, in all languages."""
        self.words.clear()
        self.languages.setCurrentIndex(0)

    def show_languages(self, codes: Iterable[str]) -> None:
        """Offers these languages; the chosen one stays chosen. With fewer than two there is no choice to be seen."""
        titled = sorted({code for code in codes if code}, key=language_title)
        self.languages.setVisible(len(titled) > 1)
        listed = [self.languages.itemData(row) for row in range(1, self.languages.count())]
        if self.languages.count() and titled == listed:
            return
        was, chosen = self.languages.blockSignals(True), self.languages.currentData()
        self.languages.clear()
        self.languages.addItem("All languages", "")
        for code in titled:
            self.languages.addItem(language_title(code), code)
        self.languages.setCurrentIndex(max(0, self.languages.findData(chosen)))
        self.languages.blockSignals(was)
