"""Chapters: the panel that lists them, the steps from one to the next, and the title of the document. Main thread only."""

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from pocketvoice.gui.controllers.outline import Outline
from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.controllers.speech import SpeechController
from pocketvoice.gui.main.outline_panel import OutlinePanel
from pocketvoice.gui.main.reader import Reader

_TITLE = "Pocket Voice"
_CALM_MS = 300  # after the last change of the text
_LONGEST_TITLE = 80


class ChapterCommands(QObject):
    """Leads from chapter to chapter, and shows which one is being read."""

    def __init__(
        self,
        window: QWidget,
        panel: OutlinePanel,
        reader: Reader,
        speech: SpeechController,
        settings: SettingsController,
        actions: dict[str, QAction],
    ) -> None:
        """`actions` are those of the window: two steps between chapters, and the one that shows the panel."""
        super().__init__(window)
        self._window = window
        self._panel = panel
        self._reader = reader
        self._speech = speech
        self._settings = settings
        self._actions = actions
        self._outline = Outline()
        self._calm = QTimer(self)
        self._calm.setSingleShot(True)
        self._calm.setInterval(_CALM_MS)
        self._calm.timeout.connect(self.show)
        actions["outline"].setChecked(settings.now.outline)
        panel.chapter_wanted.connect(self.go)
        reader.outline_changed.connect(self.show)
        reader.textChanged.connect(self._on_text)
        reader.cursorPositionChanged.connect(self._mark)
        speech.changed.connect(self._mark)
        self.show()

    @property
    def outline(self) -> Outline:
        """What is known of the text; a moment ago, while it is being edited."""
        return self._outline

    def show(self) -> None:
        """Shows the chapters and the title of the document that is there now."""
        outline = self._reader.outline()
        if outline.chapters != self._outline.chapters:
            self._panel.show_chapters(outline.chapters)
        self._outline = outline
        has_chapters = len(outline.chapters) > 1
        self._panel.setVisible(has_chapters and self._settings.now.outline)
        for name in ("chapter_back", "chapter_forward", "outline"):
            self._actions[name].setEnabled(has_chapters)
        self._window.setWindowTitle(outline.title[:_LONGEST_TITLE] or _TITLE)
        self._mark()

    def toggle(self) -> None:
        """Shows the chapters beside the text, or does not, as the action says."""
        self._settings.change(outline=self._actions["outline"].isChecked())
        self.show()

    def back(self) -> None:
        """Goes to the start of the chapter, or to the chapter before."""
        place = self._place()
        number = self._outline.chapter_at(place)
        is_at_start = (
            number >= 0 and not self._reader.text()[self._outline.chapters[number].start : place].strip()
        )
        self.go(number - 1 if is_at_start or self._is_first_sentence(number) else number)

    def forward(self) -> None:
        """Goes to the next chapter."""
        self.go(self._outline.chapter_at(self._place()) + 1)

    def go(self, number: int) -> None:
        """Goes to a chapter: while something is spoken the speech, else the cursor."""
        if not 0 <= number < len(self._outline.chapters):
            return
        start = self._outline.chapters[number].start
        if self._speech.view.active:
            self._speech.seek(start)
            self._reader.set_follows(True)
        else:
            self._speech.forget_times()
            self._reader.set_caret(start, on_top=True)
        self._reader.setFocus()

    def _is_first_sentence(self, number: int) -> bool:
        """Whether the first sentence of a chapter is being heard: then a step back leads to the one before."""
        span = self._speech.view.span
        return span is not None and number >= 0 and span[0] <= self._outline.chapters[number].start < span[1]

    def _place(self) -> int:
        view = self._speech.view
        return view.span[0] if view.active and view.span is not None else self._reader.caret()

    def _mark(self, _view: object = None) -> None:
        if self._outline.chapters:
            self._panel.mark(self._outline.chapter_at(self._place()))

    def _on_text(self) -> None:
        if self._outline != Outline():
            self._calm.start()
