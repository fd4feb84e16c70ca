"""How the text is shown, and the dialogs of the help menu. Main thread only; the dialogs are opened and left alone."""

from collections.abc import Callable
from typing import Any

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.main.help import AboutDialog, HelpDialog
from pocketvoice.gui.main.page_look import LARGEST_POINTS, SMALLEST_POINTS, LookPopover, look_of
from pocketvoice.gui.main.reader import Reader


class ViewCommands:
    """The commands of the menus View and Help."""

    def __init__(
        self,
        dialog_parent: QWidget,
        reader: Reader,
        settings: SettingsController,
        follow: QAction,
        look_button: QWidget,
        model_details: Callable[[], str],
    ) -> None:
        """`follow` is checked while the spoken sentence is kept in view; at `look_button` the look of the page is chosen;
        `model_details` tells of the model.
        """
        self._dialog_parent = dialog_parent
        self._reader = reader
        self._settings = settings
        self._follow = follow
        self._model_details = model_details
        self._look_button = look_button
        self.look_popover = LookPopover(dialog_parent)
        self.look_popover.chosen.connect(lambda field, value: self._change(**{field: value}))
        self.look_popover.larger_wanted.connect(self.larger)
        self.look_popover.smaller_wanted.connect(self.smaller)
        self.look_popover.show_look(settings.now)
        follow.setChecked(reader.follows)
        reader.follow_changed.connect(follow.setChecked)

    def follow(self) -> None:
        """Keeps the spoken sentence in view, or does not, as the action says."""
        self._reader.set_follows(self._follow.isChecked())

    def look(self) -> None:
        """Opens what sets letters, lines and colours of the page."""
        self.look_popover.open_at(self._look_button)

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
        size = min(max(self._settings.now.font_points + points, SMALLEST_POINTS), LARGEST_POINTS)
        self._change(font_points=size)

    def _change(self, **values: Any) -> None:
        self._settings.change(**values)
        self._reader.set_look(look_of(self._settings.now))
        self.look_popover.show_look(self._settings.now)
