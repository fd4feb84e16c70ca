"""Light and dark, as the system says. Windows and macOS draw with their own colours; elsewhere Qt knows only whether the system is
dark, and we bring two calm palettes. Everything else takes its colours from the palette.
"""

import sys

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from pocketvoice.gui.widgets.colours import blend

_ROLE = QPalette.ColorRole
_LIGHT = {
    _ROLE.Window: "#f5f5f3",
    _ROLE.WindowText: "#1f2123",
    _ROLE.Base: "#ffffff",
    _ROLE.AlternateBase: "#f5f6f6",
    _ROLE.Text: "#1f2123",
    _ROLE.Button: "#fbfbfa",
    _ROLE.ButtonText: "#1f2123",
    _ROLE.BrightText: "#ffffff",
    _ROLE.ToolTipBase: "#ffffff",
    _ROLE.ToolTipText: "#1f2123",
    _ROLE.Highlight: "#2f7396",
    _ROLE.HighlightedText: "#ffffff",
    _ROLE.Link: "#2a6786",
    _ROLE.LinkVisited: "#5d5382",
}
_DARK = {
    _ROLE.Window: "#242628",
    _ROLE.WindowText: "#e6e6e3",
    _ROLE.Base: "#1b1c1e",
    _ROLE.AlternateBase: "#222426",
    _ROLE.Text: "#e6e6e3",
    _ROLE.Button: "#42464a",
    _ROLE.ButtonText: "#e6e6e3",
    _ROLE.BrightText: "#ffffff",
    _ROLE.ToolTipBase: "#323538",
    _ROLE.ToolTipText: "#e6e6e3",
    _ROLE.Highlight: "#3f8db3",
    _ROLE.HighlightedText: "#ffffff",
    _ROLE.Link: "#7cc0e2",
    _ROLE.LinkVisited: "#b7a6e6",
}
_PALE = (_ROLE.WindowText, _ROLE.Text, _ROLE.ButtonText)  # where disabled


def follow_system(qt: QApplication) -> None:
    """Uses the system's colours now and whenever they change."""
    hints = qt.styleHints()
    _apply(qt, hints.colorScheme())
    hints.colorSchemeChanged.connect(lambda scheme: _apply(qt, scheme))


def palette(dark: bool) -> QPalette:
    """The dark palette, or the light one."""
    result = QPalette()
    colours = {role: QColor(name) for role, name in (_DARK if dark else _LIGHT).items()}
    window, text = colours[_ROLE.Window], colours[_ROLE.WindowText]
    for role, share in ((_ROLE.Midlight, 0.06), (_ROLE.Mid, 0.22), (_ROLE.Dark, 0.34), (_ROLE.Shadow, 0.6)):
        colours[role] = blend(window, QColor("black"), share)
    colours[_ROLE.Light] = blend(window, QColor("white"), 0.08 if dark else 0.7)
    colours[_ROLE.PlaceholderText] = blend(text, colours[_ROLE.Base], 0.45)
    colours[_ROLE.Accent] = colours[_ROLE.Highlight]
    for role, colour in colours.items():
        result.setColor(role, colour)
    for role in _PALE:
        result.setColor(QPalette.ColorGroup.Disabled, role, blend(text, window, 0.55))
    result.setColor(QPalette.ColorGroup.Disabled, _ROLE.Highlight, blend(text, window, 0.7))
    return result


def _apply(qt: QApplication, scheme: Qt.ColorScheme) -> None:
    if sys.platform in ("win32", "darwin"):
        return
    qt.setPalette(palette(scheme is Qt.ColorScheme.Dark))
