"""Colours made from the palette at hand, so that light, dark and the user's own schemes all work. Pure functions."""

from PySide6.QtGui import QColor, QPalette

_AMBER = QColor(0xE0, 0x9A, 0x1A)


def blend(under: QColor, over: QColor, share: float) -> QColor:
    """Mixes two colours: `share`, 0 to 1, of `over` with the rest of `under`."""
    return QColor(
        round(under.red() + (over.red() - under.red()) * share),
        round(under.green() + (over.green() - under.green()) * share),
        round(under.blue() + (over.blue() - under.blue()) * share),
    )


def is_dark(palette: QPalette) -> bool:
    """Whether text is lighter than what it stands on."""
    return palette.window().color().lightness() < palette.windowText().color().lightness()


def sentence(palette: QPalette) -> QColor:
    """The colour behind the sentence being heard."""
    return blend(palette.base().color(), palette.highlight().color(), 0.38 if is_dark(palette) else 0.24)


def chosen(palette: QPalette) -> QColor:
    """The colour of the button of what is chosen."""
    return blend(palette.button().color(), palette.highlight().color(), 0.34)


def note(palette: QPalette) -> QColor:
    """The colour behind a message that is a note."""
    return blend(palette.window().color(), palette.highlight().color(), 0.18)


def problem(palette: QPalette) -> QColor:
    """The colour behind a message that is a problem."""
    return blend(palette.window().color(), _AMBER, 0.24)


def hairline(palette: QPalette) -> QColor:
    """The colour of a thin line between areas."""
    return blend(palette.window().color(), palette.windowText().color(), 0.16)


def quiet_text(palette: QPalette) -> QColor:
    """The colour of text that matters less."""
    return blend(palette.windowText().color(), palette.window().color(), 0.28)
