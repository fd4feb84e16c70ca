"""What the buttons beside a message do. Main thread only."""

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from pocketvoice.gui.controllers.messages import Messages, Remedy
from pocketvoice.gui.controllers.models import ModelController
from pocketvoice.gui.widgets.dialogs import DetailsDialog


class MessageCommands:
    """Carries out remedies and shows details."""

    def __init__(
        self,
        dialog_parent: QWidget,
        messages: Messages,
        models: ModelController,
        show_models: Callable[[], None],
        download_better: Callable[[], None],
        switch_language: Callable[[], None],
        keep_language: Callable[[], None],
    ) -> None:
        """`show_models` opens the list of all models, `download_better` fetches the one that was offered.

        `switch_language` reads on with the voice that was offered for a paragraph, `keep_language` without it.
        """
        self._dialog_parent = dialog_parent
        self._messages = messages
        self._models = models
        self._show_models = show_models
        self._download_better = download_better
        self._switch_language = switch_language
        self._keep_language = keep_language

    def carry_out(self, remedy: Remedy) -> None:
        """Does what a button offers; Undo belongs to the windows of voices."""
        match remedy:
            case Remedy.CHOOSE_MODEL:
                self._show_models()
            case Remedy.TRY_AGAIN:
                self._models.load_again()
            case Remedy.RESTART:
                self._models.recover()
            case Remedy.DOWNLOAD:
                self._download_better()
            case Remedy.SWITCH:
                self._switch_language()
            case Remedy.NOT_NOW:
                self._keep_language()

    def show_details(self) -> None:
        """Opens everything that is known of the message."""
        message = self._messages.message
        if message is not None:
            DetailsDialog(message, self._dialog_parent).open()
