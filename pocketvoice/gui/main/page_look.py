"""How the page of the reader looks, and the popover that sets it: letters, lines, colours. Shows a look, says what was chosen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QWidget,
)

from pocketvoice.gui.widgets.popover import Choice, Popover
from pocketvoice.settings import Settings

SERIFS = ("Charter", "Iowan Old Style", "Georgia", "Noto Serif", "Liberation Serif", "DejaVu Serif", "serif")
"""The first that is installed."""
SMALLEST_POINTS, LARGEST_POINTS = 8, 48


@dataclass(frozen=True)
class Look:
    """Letters, lines and colours of the page."""

    font: str = "sans"
    """sans or serif."""
    points: int = 14
    line_percent: int = 140
    """Height of a line, in percent of that of the letters."""
    line_letters: int = 72
    """How wide a line is at the most, in letters."""
    colours: str = "system"
    """system, light, sepia or dark."""


def look_of(settings: Settings) -> Look:
    """As it is kept."""
    return Look(
        settings.page_font,
        settings.font_points,
        settings.line_percent,
        settings.line_letters,
        settings.page_colours,
    )


_ROWS: Sequence[tuple[str, str, Sequence[tuple[str, Any]]]] = (
    ("Letters", "page_font", (("Sans", "sans"), ("Serif", "serif"))),
    ("Line height", "line_percent", (("Tight", 115), ("Medium", 140), ("Loose", 175))),
    ("Line width", "line_letters", (("Narrow", 54), ("Medium", 72), ("Wide", 100))),
    (
        "Page",
        "page_colours",
        (("System", "system"), ("Light", "light"), ("Sepia", "sepia"), ("Dark", "dark")),
    ),
)
"""Title, field of the settings, and what it can be set to."""


class LookPopover(Popover):
    """Rows of choices; each is applied at once."""

    chosen = Signal(str, object)  # field of the settings, its value
    larger_wanted = Signal()
    smaller_wanted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__("Text and page", parent)
        self.choices: dict[tuple[str, Any], Choice] = {}
        """By field and value."""
        self.smaller = self._size_button("A−", "Smaller letters")
        self.smaller.clicked.connect(self.smaller_wanted)
        self.larger = self._size_button("A+", "Larger letters")
        self.larger.clicked.connect(self.larger_wanted)
        self.points = QLabel()
        self.points.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._layout = QGridLayout(self)
        self._layout.setContentsMargins(14, 12, 14, 12)
        self._layout.setHorizontalSpacing(14)
        for title, field, values in _ROWS:
            self._add_row(title, field, values)
            if field == "page_font":
                self._add("Size", (self.smaller, self.points, self.larger))

    def show_look(self, settings: Settings) -> None:
        """Presses the buttons of what is set; none of a row where that is a value between them."""
        self.points.setText(f"{settings.font_points} pt")
        self.smaller.setEnabled(settings.font_points > SMALLEST_POINTS)
        self.larger.setEnabled(settings.font_points < LARGEST_POINTS)
        for (field, value), button in self.choices.items():
            button.setChecked(getattr(settings, field) == value)

    def open_at(self, button: QWidget, *, above: bool = False) -> None:
        """The keyboard begins at the letters."""
        super().open_at(button, above=above)
        first = next((one for one in self.choices.values() if one.isChecked()), self.smaller)
        first.setFocus()

    def _add_row(self, title: str, field: str, values: Sequence[tuple[str, Any]]) -> None:
        buttons = []
        for name, value in values:
            button = Choice(name, f"{title}: {name}")
            button.clicked.connect(lambda _on=True, value=value: self.chosen.emit(field, value))
            buttons.append(button)
            self.choices[field, value] = button
        self._add(title, buttons)

    def _add(self, title: str, widgets: Sequence[QWidget]) -> None:
        row = self._layout.rowCount()
        self._layout.addWidget(QLabel(title), row, 0)
        line = QHBoxLayout()
        line.setSpacing(4)
        for widget in widgets:
            line.addWidget(widget, 1)
        self._layout.addLayout(line, row, 1)

    def _size_button(self, sign: str, name: str) -> QPushButton:
        button = QPushButton(sign)
        button.setAccessibleName(name)
        button.setToolTip(name)
        button.setAutoRepeat(True)
        return button
