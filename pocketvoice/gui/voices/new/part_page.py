"""The second page: which part of the sound becomes the voice, and how good that is. Main thread only."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from pocketvoice.gui.voices.new.view import NewVoiceView
from pocketvoice.gui.voices.new.waveform import Waveform
from pocketvoice.gui.widgets import colours, wording
from pocketvoice.gui.widgets.announce import announce
from pocketvoice.gui.widgets.bars import QuietLabel
from pocketvoice.gui.widgets.icons import icon

if TYPE_CHECKING:
    from pocketvoice.audio.quality import QualityReport

_HINT = "The bright part becomes the voice. Drag it, or its edges; Play lets you hear it."
_HINT_WHOLE = "All of it becomes the voice; drag an edge to leave something out. Play lets you hear it."


class PartPage(QWidget):
    """Shows the waveform with its part, the verdict on it, and what was measured."""

    part_moved = Signal(float)  # start in seconds
    part_trimmed = Signal(float, float)  # start and stop in seconds
    play_wanted = Signal()
    other_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._peaks: tuple[float, ...] = ()
        self._report: QualityReport | None = None
        self.title = QuietLabel("Recording")
        self.hint = QLabel(_HINT)
        self.hint.setWordWrap(True)
        self.waveform = Waveform()
        self.play = QPushButton("&Play")
        self.other = QPushButton("&Another recording")
        self.where = QuietLabel("Part")
        self.verdict = Verdict()
        self.more = QLabel()
        self.more.setWordWrap(True)
        self.more.setAccessibleName("More about the recording")
        self.numbers = QuietLabel("Measured")
        for button, name in ((self.play, "Play the part"), (self.other, "Another recording")):
            button.setAccessibleName(name)
            button.setAutoDefault(False)
        self.other.setToolTip("Back to the first step: record again, or use another file")
        self._arrange()
        self.waveform.part_moved.connect(self.part_moved)
        self.waveform.part_trimmed.connect(self.part_trimmed)
        self.play.clicked.connect(self.play_wanted)
        self.other.clicked.connect(self.other_wanted)

    def show_view(self, view: NewVoiceView) -> None:
        """Shows the sound, its part and the verdict."""
        if view.source is None:
            return
        if view.peaks is not self._peaks:
            self._peaks = view.peaks
            self.waveform.show_sound(view.peaks, view.source.duration_s)
            self.title.show_text(f"{view.source.name} · {wording.clock(view.source.duration_s)}")
        start_s, stop_s = view.part_s
        self.waveform.show_part(start_s, stop_s - start_s)
        self.hint.setText(_HINT if self.waveform.maximum() else _HINT_WHOLE)
        clip = view.clip_s
        self.where.show_text(f"{_precise(clip[0])} to {_precise(clip[1])} · {clip[1] - clip[0]:.1f} s")
        self._show_report(view.report)

    def show_playing(self, playing: bool, position_s: float | None) -> None:
        """Shows whether the part is being played, and where in the sound (in seconds)."""
        words = "Sto&p" if playing else "&Play"
        if words != self.play.text():
            self.play.setText(words)
            self.play.setAccessibleName("Stop" if playing else "Play the part")
            self._show_icon()
        self.waveform.show_playhead(position_s)

    def _arrange(self) -> None:
        buttons = QHBoxLayout()
        buttons.addWidget(self.play)
        buttons.addWidget(self.where, 1)
        buttons.addWidget(self.other)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addWidget(self.title)
        layout.addWidget(self.hint)
        layout.addWidget(self.waveform, 1)
        layout.addLayout(buttons)
        layout.addWidget(self.verdict)
        layout.addWidget(self.more)
        layout.addWidget(self.numbers)
        self._show_icon()

    def _show_report(self, report: "QualityReport | None") -> None:
        self.verdict.show_report(report)
        if report is None:
            return
        others = [finding.sentence for finding in report.findings if finding.sentence != report.tip]
        self.more.setText(" ".join(others))
        self.more.setVisible(bool(others))
        numbers = report.numbers
        parts = [
            f"{numbers.speech_s:.0f} s of speech",
            f"mean level {numbers.rms_dbfs:.0f} dB",
            f"loudest {100 * numbers.peak:.0f} %",
            f"speech {numbers.range_db:.0f} dB above the noise",
        ]
        self.numbers.show_text(" · ".join(parts))

    def _show_icon(self) -> None:
        self.play.setIcon(icon("play" if "Play" in self.play.text() else "stop"))

    def changeEvent(self, event: QEvent) -> None:
        """Draws the icon again when the colours have changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "numbers"):
            self._show_icon()


class Verdict(QFrame):
    """The sentence that helps most, with a sign: all is well, or something can be done better."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._report: QualityReport | None = None
        self.setAutoFillBackground(True)
        self.sign = QLabel()
        self.label = QLabel()
        self.label.setWordWrap(True)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 8)
        layout.addWidget(self.sign, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self.label, 1)
        self.show_report(None)

    def show_report(self, report: "QualityReport | None") -> None:
        """Shows the tip of a report; None while the part is being judged."""
        self._report = report
        words = "Listening to it…" if report is None else report.tip
        if words != self.label.text():
            self.label.setText(words)
            self.label.setAccessibleName(f"Quality: {words}")
            announce(self, words)
        self._show_colours()

    def changeEvent(self, event: QEvent) -> None:
        """Takes the new colours of the application."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "label"):
            self._show_colours()

    def _show_colours(self) -> None:
        parent = self.parentWidget()
        base = parent.palette() if parent is not None else self.palette()
        bad = self._report is not None and bool(self._report.findings)
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.Window, colours.problem(base) if bad else colours.note(base))
        self.setPalette(palette)
        side = round(self.fontMetrics().height() * 1.3)
        name = "note" if self._report is None else "problem" if bad else "good"
        sign = icon(name, QPalette.ColorRole.WindowText)
        self.sign.setPixmap(sign.pixmap(QSize(side, side), self.devicePixelRatioF()))


def _precise(at_s: float) -> str:
    """Minutes, seconds and tenths: "1:02.5"."""
    return f"{wording.clock(at_s)}.{int(at_s * 10) % 10}"
