"""What is dropped on the windows or lies on the clipboard."""

from PySide6.QtCore import QMimeData
from PySide6.QtWidgets import QApplication


def dropped_paths(data: QMimeData) -> list[str]:
    """The paths of the local files in a drop."""
    return [url.toLocalFile() for url in data.urls() if url.isLocalFile()]


def clipboard_text() -> str:
    """The text on the clipboard; "" if there is none."""
    return QApplication.clipboard().text()
