"""File / Make an audiobook: the dialog over what the reader shows, with the voice and the model of the window. Main thread only."""

from collections.abc import Callable

from PySide6.QtWidgets import QFileDialog, QWidget

from pocketvoice.errors import PocketVoiceError
from pocketvoice.gui.controllers import sound_files
from pocketvoice.gui.controllers.book import BookMaker, BookRequest
from pocketvoice.gui.controllers.messages import Messages, Topic
from pocketvoice.gui.controllers.models import ModelController
from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.main.book_dialog import BookChoice, BookDialog
from pocketvoice.gui.main.reader import NOTHING_TO_READ, Reader
from pocketvoice.gui.widgets.dialogs import file_dialog, folder_to_show


class BookCommands:
    """Opens the dialog, and has the book made that is chosen in it."""

    def __init__(
        self,
        dialog_parent: QWidget,
        reader: Reader,
        maker: BookMaker,
        models: ModelController,
        settings: SettingsController,
        messages: Messages,
        voice: Callable[[], str | None],
        voice_name: Callable[[str], str],
    ) -> None:
        """`voice` says with which voice to speak, `voice_name` what people call it."""
        self._dialog_parent = dialog_parent
        self._reader = reader
        self._maker = maker
        self._models = models
        self._settings = settings
        self._messages = messages
        self._voice = voice
        self._voice_name = voice_name
        self.dialog: BookDialog | None = None

    def show(self) -> None:
        """Shows the dialog for what is in the reader, or the book that is being made."""
        if not self._maker.busy and not self._reader.text().strip():
            self._messages.say(NOTHING_TO_READ, topic=Topic.EMPTY)
            return
        dialog = self.dialog = self.dialog or self._made()
        outline = self._reader.outline()
        title = outline.title or sound_files.name_for(self._reader.text())
        voice = self._voice()
        shown = "the model's own" if voice is None else self._voice_name(voice)
        folder = folder_to_show(self._settings.now.folder)
        dialog.show_book(title, f"{shown}, as in the window", sound_files.name_for(title), folder)
        dialog.show()
        dialog.raise_()

    def _made(self) -> BookDialog:
        dialog = BookDialog(self._dialog_parent)
        dialog.make_wanted.connect(self.make)
        dialog.stop_wanted.connect(self._maker.cancel)
        dialog.folder_wanted.connect(self._ask_folder)
        self._maker.progressed.connect(dialog.show_progress)
        self._maker.ended.connect(self._on_ended)
        return dialog

    def make(self, choice: BookChoice) -> None:
        """Has the book made of what the reader shows."""
        try:
            source, title = self._maker.source_of(self._reader.text(), self._reader.outline())
        except PocketVoiceError as error:
            self._messages.show_error(error, topic=Topic.BOOK)
            return
        self._settings.change(folder=str(choice.target.parent))
        view = self._models.view
        language = view.ready.language if view.ready is not None else view.language
        self._maker.make(
            BookRequest(
                source,
                choice.target,
                language=None if view.config else language,
                config=view.config,
                voice=self._voice(),
                title=title,
                folder_format=choice.suffix.lstrip(".") if choice.per_chapter else None,
                subtitles=choice.subtitles,
            )
        )

    def _on_ended(self) -> None:
        if self.dialog is not None:
            self.dialog.show_busy(False)

    def _ask_folder(self) -> None:
        dialog = self.dialog
        assert dialog is not None
        asked = file_dialog(dialog, "Folder of the audiobook", dialog.folder.text())
        asked.setFileMode(QFileDialog.FileMode.Directory)
        asked.setOption(QFileDialog.Option.ShowDirsOnly)
        asked.fileSelected.connect(dialog.folder.setText)
        asked.open()
