"""The question before a voice is exported: with its recording, or without?"""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from pocketvoice.gui.widgets import dialogs
from pocketvoice.voices.names import file_stem

if TYPE_CHECKING:
    from pocketvoice.voices.voice import Voice


class ExportVoiceDialog(QDialog):
    """Asks whether the recording goes along, then for the file."""

    chosen = Signal(str, str, bool)  # id, path, with the clip

    def __init__(self, voice: "Voice", folder: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export voice")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._voice = voice
        self._folder = folder
        line = self.fontMetrics().height()
        head = QLabel(
            f"{voice.name} becomes one file that you can copy to another computer and import there.\n\n"
            "Whoever has the file can speak with this voice."
        )
        head.setTextFormat(Qt.TextFormat.PlainText)
        head.setWordWrap(True)
        head.setMinimumWidth(26 * line)
        self.with_clip = QCheckBox("With the &recording")
        self.with_clip.setAccessibleName("With the recording")
        self.with_clip.setChecked(voice.has_clip)
        self.with_clip.setEnabled(voice.has_clip)
        self.about_clip = QLabel()
        self.about_clip.setWordWrap(True)
        self.with_clip.toggled.connect(self._show_about)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        save = self.buttons.addButton("Save as…", QDialogButtonBox.ButtonRole.AcceptRole)
        for button in self.buttons.buttons():
            button.setAccessibleName(button.text().replace("&", ""))
        save.setDefault(True)
        self.buttons.accepted.connect(self._ask_for_file)
        self.buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setSpacing(12)
        for widget in (head, self.with_clip, self.about_clip, self.buttons):
            layout.addWidget(widget)
        self._show_about()

    def _show_about(self) -> None:
        if not self._voice.has_clip:
            words = (
                "This voice has no recording: it speaks with the model it was made for, and with no other."
            )
        elif self.with_clip.isChecked():
            words = "With it the voice can be made ready for every model."
        else:
            words = "Without it nobody can hear the recording, and the voice speaks only with the models it was used with here."
        self.about_clip.setText(words)

    def _ask_for_file(self) -> None:
        dialog = dialogs.file_dialog(self, "Export voice", self._folder, saves=True)
        dialog.setNameFilters(["Voice (*.pvoice)"])
        dialog.setDefaultSuffix(".pvoice")
        dialog.selectFile(str(Path(self._folder) / f"{file_stem(self._voice.name)}.pvoice"))
        voice_id, with_clip, tell = self._voice.id, self.with_clip.isChecked(), self.chosen
        dialog.fileSelected.connect(lambda path: tell.emit(voice_id, path, with_clip))
        dialog.fileSelected.connect(self.accept)
        dialog.open()
