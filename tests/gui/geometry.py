"""Whether everything in a window has the room that its words need."""

from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QLabel,
    QWidget,
)


def cut_off(window: QWidget) -> list[str]:
    """Labels and buttons that are smaller than their words, or reach out of the window."""
    found = []
    for widget in window.findChildren(QWidget):
        if not widget.isVisible() or not isinstance(widget, QLabel | QAbstractButton | QComboBox):
            continue
        corner = widget.mapTo(window, widget.rect().bottomRight())
        wraps = isinstance(widget, QLabel) and widget.wordWrap()
        needed = widget.minimumSizeHint()
        words = widget.heightForWidth(widget.width()) if wraps else needed.height()
        if (not wraps and widget.width() < needed.width()) or widget.height() < words:
            found.append(f"{widget.accessibleName() or widget} is {widget.size()}, needs {needed}")
        if not window.rect().contains(corner):
            found.append(f"{widget.accessibleName() or widget} reaches out to {corner}")
        if getattr(widget, "is_cut", False):
            found.append(f"{widget.accessibleName()} is cut")
    return found
