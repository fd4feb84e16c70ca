"""Steps within the text beside sentences and chapters: 15 seconds, paragraphs; and the time that is left. Main thread only."""

from collections.abc import Callable

from PySide6.QtCore import QObject

from pocketvoice.gui.controllers.reading_time import ReadingTime, paragraph_after, paragraph_before
from pocketvoice.gui.controllers.speech import SpeechController
from pocketvoice.gui.main.reader import Reader
from pocketvoice.gui.widgets import wording

SKIP_S = 15.0


class StepCommands(QObject):
    """While something is spoken the speech goes there, else the cursor."""

    def __init__(
        self,
        reader: Reader,
        speech: SpeechController,
        time: ReadingTime,
        place: Callable[[], int],
        show_left: Callable[[str], None],
    ) -> None:
        """`place` is the start of the sentence being heard, else the cursor; `show_left` shows how long it will take."""
        super().__init__(reader)
        self._reader = reader
        self._speech = speech
        self._time = time
        self._place = place
        self._show_left = show_left
        speech.changed.connect(self.show_left)
        reader.cursorPositionChanged.connect(self.show_left)
        reader.outline_changed.connect(self.show_left)

    def skip_back(self) -> None:
        """Hears the last 15 seconds again, from the start of a sentence."""
        self._speech.skip(-SKIP_S)
        self._reader.set_follows(True)

    def skip_forward(self) -> None:
        """Leaves out 15 seconds, to the start of a sentence."""
        self._speech.skip(SKIP_S)
        self._reader.set_follows(True)

    def paragraph_back(self) -> None:
        """Goes to the start of the paragraph, or to the one before."""
        self._go(paragraph_before(self._reader.text(), self._place()))

    def paragraph_forward(self) -> None:
        """Goes to the next paragraph."""
        self._go(paragraph_after(self._reader.text(), self._place()))

    def show_left(self, _view: object = None) -> None:
        """Shows the time left in the chapter and in all."""
        self._show_left("" if self._reader.document().isEmpty() else wording.time_left(self._time.left()))

    def _go(self, index: int | None) -> None:
        if index is None:
            return
        if self._speech.view.active:
            self._speech.seek(index)
            self._reader.set_follows(True)
        else:
            self._speech.forget_times()
            self._reader.set_caret(index)
