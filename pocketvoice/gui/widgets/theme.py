"""Light and dark, as the system says. Windows and macOS draw with their own colours; elsewhere Qt knows only whether the system is
dark, and we bring two calm palettes. Everything else takes its colours from the palette. The page of a text may have its own.
"""

import sys
from collections.abc import Mapping

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
    _ROLE.Link: "#24617f",
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
    _ROLE.Highlight: "#357b9e",
    _ROLE.HighlightedText: "#ffffff",
    _ROLE.Link: "#7cc0e2",
    _ROLE.LinkVisited: "#b7a6e6",
}
_SEPIA = {
    _ROLE.Window: "#efe3cc",
    _ROLE.WindowText: "#3d2f20",
    _ROLE.Base: "#f7eedd",
    _ROLE.AlternateBase: "#f1e6d1",
    _ROLE.Text: "#3d2f20",
    _ROLE.Button: "#f4e9d5",
    _ROLE.ButtonText: "#3d2f20",
    _ROLE.BrightText: "#ffffff",
    _ROLE.ToolTipBase: "#f7eedd",
    _ROLE.ToolTipText: "#3d2f20",
    _ROLE.Highlight: "#8f5a1e",
    _ROLE.HighlightedText: "#ffffff",
    _ROLE.Link: "#7a4310",
    _ROLE.LinkVisited: "#6a4a6e",
}
_PAGES = {"light": _LIGHT, "sepia": _SEPIA, "dark": _DARK}
_PALE = (_ROLE.WindowText, _ROLE.Text, _ROLE.ButtonText)  # where disabled


def follow_system(qt: QApplication) -> None:
    """Uses the system's colours now and whenever they change."""
    hints = qt.styleHints()
    _apply(qt, hints.colorScheme())
    hints.colorSchemeChanged.connect(lambda scheme: _apply(qt, scheme))


def palette(dark: bool) -> QPalette:
    """The dark palette, or the light one."""
    return _made_of(_DARK if dark else _LIGHT, is_dark=dark)


def page(colours: str) -> QPalette:
    """The palette of the page of a text: light, sepia or dark; any other name takes that of the window."""
    return _made_of(_PAGES[colours], is_dark=colours == "dark") if colours in _PAGES else QPalette()


def _made_of(names: Mapping[QPalette.ColorRole, str], *, is_dark: bool) -> QPalette:
    result = QPalette()
    colours = {role: QColor(name) for role, name in names.items()}
    window, text = colours[_ROLE.Window], colours[_ROLE.WindowText]
    for role, share in ((_ROLE.Midlight, 0.06), (_ROLE.Mid, 0.22), (_ROLE.Dark, 0.34), (_ROLE.Shadow, 0.6)):
        colours[role] = blend(window, QColor("black"), share)
    colours[_ROLE.Light] = blend(window, QColor("white"), 0.08 if is_dark else 0.7)
    colours[_ROLE.PlaceholderText] = blend(text, colours[_ROLE.Base], 0.28)
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
