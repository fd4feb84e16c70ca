"""What tests of voices share: the coordinator of a window and what hangs on it, a clip, and the looks of a widget."""

from pathlib import Path

import numpy as np
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QDialog

from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.gui.voices.coordinator import VoicesCoordinator
from pocketvoice.gui.voices.library_model import LibraryModel
from tests.gui.geometry import cut_off
from tests.gui.parts import Parts
from tests.gui.roles import unnamed

__all__ = [
    "CLIP",
    "coordinator_of",
    "cut_off",
    "drop",
    "library_model_of",
    "open_voices_window",
    "unnamed",
    "window_messages",
]

CLIP = (0.1 * np.sin(np.arange(24_000 * 3) / 20)).astype(np.float32)
"""Three seconds at 24 kHz."""


def coordinator_of(parts: Parts) -> VoicesCoordinator:
    return parts.desktop.voices


def library_model_of(coordinator: VoicesCoordinator) -> LibraryModel:
    return coordinator.library


def window_messages(parts: Parts) -> Messages:
    """What the main window says."""
    return parts.messages


def open_voices_window(parts: Parts) -> None:
    parts.desktop.voices.show_page()


def drop(onto: QDialog, path: Path) -> None:
    """A file that falls onto a window. Such events are made by Qt alone: their constructors are marked deprecated for others."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    where, button, keys = QPointF(5, 5), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    onto.dropEvent(QDropEvent(where, Qt.DropAction.CopyAction, data, button, keys))
