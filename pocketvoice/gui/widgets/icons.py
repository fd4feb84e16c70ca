"""Our drawings as icons in the colours of the palette at hand: made anew when the palette changes. Main thread only."""

from pathlib import Path

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer

from pocketvoice import paths

_SIZES_PX = (16, 20, 24, 32, 48, 64, 96)
_PLACEHOLDER = "currentColor"


def icon(name: str, role: QPalette.ColorRole = QPalette.ColorRole.ButtonText) -> QIcon:
    """The drawing `name`, in a colour of the palette; paler where it is disabled."""
    palette = QGuiApplication.palette()
    drawing = _path(name).read_text(encoding="utf-8")
    result = QIcon()
    for mode, group in (
        (QIcon.Mode.Normal, QPalette.ColorGroup.Active),
        (QIcon.Mode.Disabled, QPalette.ColorGroup.Disabled),
    ):
        renderer = _renderer(drawing, palette.color(group, role))
        for size in _SIZES_PX:
            result.addPixmap(_pixmap(renderer, size), mode)
    return result


def application_icon() -> QIcon:
    """The program's own icon, in its own colours."""
    renderer = QSvgRenderer(str(_path("pocketvoice")))
    result = QIcon()
    for size in (*_SIZES_PX, 128, 256):
        result.addPixmap(_pixmap(renderer, size))
    return result


def _path(name: str) -> Path:
    return paths.resources_dir() / "icons" / f"{name}.svg"


def _renderer(drawing: str, colour: QColor) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(drawing.replace(_PLACEHOLDER, colour.name()).encode()))


def _pixmap(renderer: QSvgRenderer, size_px: int) -> QPixmap:
    pixmap = QPixmap(size_px, size_px)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter)
    painter.end()
    return pixmap
