"""How the text is shown, and the dialogs of the help menu. Main thread only; the dialogs are opened and left alone."""

from collections.abc import Callable

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.main.help import AboutDialog, HelpDialog
from pocketvoice.gui.main.reader import Reader

_SMALLEST_POINTS, _LARGEST_POINTS = 8, 48


class ViewCommands:
    """The commands of the menus View and Help."""

    def __init__(
        self,
        dialog_parent: QWidget,
        reader: Reader,
        settings: SettingsController,
        follow: QAction,
        model_details: Callable[[], str],
    ) -> None:
        """`follow` is the action that is checked while the spoken sentence is kept in view; `model_details` tells of the model."""
        self._dialog_parent = dialog_parent
        self._reader = reader
        self._settings = settings
        self._follow = follow
        self._model_details = model_details
        follow.setChecked(reader.follows)
        reader.follow_changed.connect(follow.setChecked)

    def follow(self) -> None:
        """Keeps the spoken sentence in view, or does not, as the action says."""
        self._reader.set_follows(self._follow.isChecked())

    def larger(self) -> None:
        """Shows the text a point larger."""
        self._change_font(+1)

    def smaller(self) -> None:
        """Shows the text a point smaller."""
        self._change_font(-1)

    def help(self) -> None:
        """Opens the list of all keys."""
        HelpDialog(self._dialog_parent).open()

    def about(self) -> None:
        """Opens the dialog that says what this program is."""
        AboutDialog(self._dialog_parent, self._model_details()).open()

    def _change_font(self, points: int) -> None:
        size = min(max(self._settings.now.font_points + points, _SMALLEST_POINTS), _LARGEST_POINTS)
        self._settings.change(font_points=size)
        self._reader.set_font_points(size)
