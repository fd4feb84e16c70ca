"""How a voice looks in the list: a star, its name, a grey second line, a play button. Paints, and edits the name in place."""

from PySide6.QtCore import QAbstractItemModel, QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QIcon, QMouseEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from pocketvoice.gui.voices.list.item_model import DAMAGE_ROLE, PLAYING_ROLE, VOICE_ROLE, Index, about
from pocketvoice.gui.widgets import colours
from pocketvoice.gui.widgets.icons import icon
from pocketvoice.voices import names


class VoiceDelegate(QStyledItemDelegate):
    """Paints all rows of the list."""

    star_clicked = Signal(str)  # id
    play_clicked = Signal(str)  # id

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._icons: dict[tuple[str, QPalette.ColorRole], QIcon] = {}

    def forget_icons(self) -> None:
        """Has the icons drawn again: the colours have changed."""
        self._icons.clear()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Two lines and some space; the same for all rows."""
        return QSize(0, round(3.1 * option.fontMetrics.height()))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paints the background, the star, two lines, and the play button."""
        style = QApplication.style()
        style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, _view(option))
        voice, playing = index.data(VOICE_ROLE), bool(index.data(PLAYING_ROLE))
        rect: QRect = option.rect
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text
        self._icon("star" if voice.favourite else "star_empty", role).paint(painter, star_rect(rect))
        self._icon("stop" if playing else "play", role).paint(painter, play_rect(rect))
        palette: QPalette = option.palette
        strong = palette.color(role)
        under = palette.color(QPalette.ColorRole.Highlight if selected else QPalette.ColorRole.Base)
        _paint_lines(
            painter,
            rect,
            voice.name,
            index.data(DAMAGE_ROLE) or about(voice),
            strong,
            colours.blend(strong, under, 0.1 if selected else 0.3),
        )

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """A line edit for the name."""
        editor = QLineEdit(parent)
        editor.setMaxLength(names.MOST_CHARACTERS)
        editor.setAccessibleName("Name of the voice")
        return editor

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        """Puts the line edit over the name."""
        rect: QRect = option.rect
        name, height = name_rect(rect), editor.sizeHint().height()
        editor.setGeometry(name.left() - 4, name.center().y() - height // 2 - 1, name.width() + 4, height)

    def editorEvent(
        self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        """Emits a signal for a click on the star or on the play button."""
        if not isinstance(event, QMouseEvent) or event.type() != QEvent.Type.MouseButtonRelease:
            return False
        rect: QRect = option.rect
        where: QPoint = event.position().toPoint()
        for area, signal in ((star_rect(rect), self.star_clicked), (play_rect(rect), self.play_clicked)):
            if area.adjusted(-6, -6, 6, 6).contains(where):
                signal.emit(index.data(VOICE_ROLE).id)
                return True
        return False

    def _icon(self, name: str, role: QPalette.ColorRole) -> QIcon:
        return self._icons.setdefault((name, role), icon(name, role))


def star_rect(row: QRect) -> QRect:
    """The rectangle of the star in a row."""
    side = round(row.height() * 0.4)
    return QRect(row.left() + side // 2, row.center().y() - side // 2, side, side)


def play_rect(row: QRect) -> QRect:
    """The rectangle of the play button in a row."""
    side = round(row.height() * 0.42)
    return QRect(row.right() - round(1.5 * side), row.center().y() - side // 2, side, side)


def name_rect(row: QRect) -> QRect:
    """The rectangle of the name in a row."""
    left, right = star_rect(row).right() + row.height() // 4, play_rect(row).left() - row.height() // 4
    return QRect(left, row.top() + row.height() // 8, right - left, round(row.height() * 0.4))


def _paint_lines(painter: QPainter, rect: QRect, name: str, line: str, strong: QColor, weak: QColor) -> None:
    first = name_rect(rect)
    second = first.translated(0, round(rect.height() * 0.38))
    bold = QFont(painter.font())
    bold.setWeight(QFont.Weight.DemiBold)
    painter.save()
    for area, words, colour, font in ((first, name, strong, bold), (second, line, weak, painter.font())):
        painter.setFont(font)
        painter.setPen(colour)
        shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
    painter.restore()


def _view(option: QStyleOptionViewItem) -> QWidget | None:
    widget = option.widget
    return widget if isinstance(widget, QWidget) else None
