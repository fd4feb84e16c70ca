"""The bars that appear when there is something to say: the message bar on top, the progress row below the text, the status line."""

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from pocketvoice.gui.controllers.messages import Importance, Message, Remedy
from pocketvoice.gui.widgets import colours
from pocketvoice.gui.widgets.icons import icon

_PARTS = 1000
_GAPS = 64  # pixels between and beside what stands in the status line


class MessageBar(QFrame):
    """One message with its buttons; hidden without one."""

    remedy_wanted = Signal(object)  # Remedy
    details_wanted = Signal()
    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._message: Message | None = None
        self.setAutoFillBackground(True)
        self.sign = QLabel()
        self.label = QLabel()
        self.label.setWordWrap(True)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.remedies = {remedy: self._remedy_button(remedy) for remedy in Remedy}
        self.details = QPushButton("Details")
        self.details.setAccessibleName("Details of the message")
        self.details.clicked.connect(self.details_wanted)
        self.close_button = QToolButton()
        self.close_button.setAutoRaise(True)
        self.close_button.setAccessibleName("Dismiss the message")
        self.close_button.setToolTip("Dismiss the message")
        self.close_button.clicked.connect(self.dismissed)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 8, 8, 8)
        layout.setSpacing(8)
        layout.addWidget(self.sign)
        layout.addWidget(self.label, 1)
        for button in (*self.remedies.values(), self.details, self.close_button):
            layout.addWidget(button)
        self.show_message(None)

    def show_message(self, message: Message | None) -> None:
        """Shows a message and its buttons; None hides the bar."""
        self._message = message
        if message is None:
            self.hide()
            return
        self.label.setText(message.text)
        self.label.setAccessibleName(f"Message: {message.text}")
        self.details.setVisible(bool(message.detail))
        for remedy, button in self.remedies.items():
            button.setVisible(remedy in message.remedies)
        self._apply_style()
        self.show()  # not before: room for all the buttons would widen the window

    def changeEvent(self, event: QEvent) -> None:
        """Colours the bar anew when the palette has changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._message is not None:
            self._apply_style()

    def _remedy_button(self, remedy: Remedy) -> QPushButton:
        button = QPushButton(remedy.value)
        button.setAccessibleName(remedy.value)
        button.clicked.connect(lambda: self.remedy_wanted.emit(remedy))
        return button

    def _apply_style(self) -> None:
        assert self._message is not None
        problem = self._message.importance is Importance.PROBLEM
        base = QGuiApplication.palette()
        palette = QPalette()  # what is not set here follows the window's
        palette.setColor(QPalette.ColorRole.Window, colours.problem(base) if problem else colours.note(base))
        self.setPalette(palette)
        side = round(self.fontMetrics().height() * 1.3)
        sign = icon("problem" if problem else "note", QPalette.ColorRole.WindowText)
        self.sign.setPixmap(sign.pixmap(QSize(side, side), self.devicePixelRatioF()))
        self.close_button.setIcon(icon("close", QPalette.ColorRole.WindowText))


class ProgressRow(QWidget):
    """Something that takes a while, with a button to cancel it; hidden without."""

    cancelled = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = QLabel()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(round(0.6 * self.fontMetrics().height()))
        self.bar.setAccessibleName(name)
        self.cancel = QPushButton("Cancel")
        self.cancel.setAccessibleName(f"Cancel: {name}")
        self.cancel.clicked.connect(self.cancelled)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 4, 14, 0)
        layout.addWidget(self.label)
        layout.addWidget(self.bar, 1)
        layout.addWidget(self.cancel)
        self.hide()

    def show_progress(self, sentence: str, fraction: float | None) -> None:
        """Shows a sentence and the fraction done, 0 to 1; None while that is not known."""
        self.label.setText(sentence)
        self.bar.setRange(0, 0 if fraction is None else _PARTS)
        if fraction is not None:
            self.bar.setValue(round(fraction * _PARTS))
        self.bar.setAccessibleDescription(sentence)
        self.show()


class QuietLabel(QLabel):
    """A line that ends in … where there is no room, with all of it as its tool tip; in a quieter colour."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_text(self, text: str) -> None:
        """Shows `text`, and gives all of it to the tool tip and to screen readers."""
        if text != self.text():
            self.setText(text)
            self.setToolTip(text)
            self.setAccessibleName(f"{self._name}: {text}" if text else self._name)

    @property
    def is_cut(self) -> bool:
        """Whether the text is longer than the room for it."""
        return self.fontMetrics().horizontalAdvance(self.text()) > self.contentsRect().width()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draws the line, cut short with … where it has to be."""
        painter = QPainter(self)
        painter.setPen(colours.quiet_text(self.palette()))
        room = self.contentsRect()
        line = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, self.alignment() | Qt.AlignmentFlag.AlignVCenter, line)
        painter.end()


class StatusLine(QWidget):
    """What is going on, and with which model."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.state = QuietLabel("Status")
        self.left = QuietLabel("Time left")
        self.left.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.model = QuietLabel("Voice model in use")
        self.model.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.model.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 0, 14, 8)
        layout.addWidget(self.state, 1)
        layout.addSpacing(12)
        layout.addWidget(self.left)
        layout.addSpacing(12)
        layout.addWidget(self.model)

    def show_left(self, words: str) -> None:
        """Shows how long the reading will take, where there is room beside the others."""
        self.left.show_text(words)
        self._make_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What is going on comes first."""
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        advance = self.fontMetrics().horizontalAdvance
        needed = sum(advance(label.text()) for label in (self.state, self.left, self.model))
        self.left.setVisible(bool(self.left.text()) and needed + _GAPS <= self.width())

    def show_status(self, state: str, model: str) -> None:
        """Shows what is going on on the left, and the model on the right."""
        self.state.show_text(state)
        self.model.show_text(model)
        self._make_room()
