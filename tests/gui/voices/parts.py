"""What tests of both windows of voices share: a clip, and files that are dropped."""

from pathlib import Path

import numpy as np
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QDialog

CLIP = (0.1 * np.sin(np.arange(24_000 * 3) / 20)).astype(np.float32)
"""Three seconds at 24 kHz."""


def drop(onto: QDialog, path: Path) -> None:
    """A file that falls onto a window. Such events are made by Qt alone: their constructors are marked deprecated for others."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    where, button, keys = QPointF(5, 5), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    onto.dropEvent(QDropEvent(where, Qt.DropAction.CopyAction, data, button, keys))
