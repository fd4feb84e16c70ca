"""The actions of the menus and shortcuts, made from the table in `keys`; what they do is connected in `app`."""

from collections.abc import Callable, Mapping

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QMenuBar

from pocketvoice.gui.controllers.speech import Phase, SpeechView
from pocketvoice.gui.main.keys import COMMANDS, SEPARATED, Command

Actions = dict[str, QAction]
"""By the name of the command."""


def make_actions(window: QMainWindow) -> Actions:
    """An action for every command; its keys work in the whole window."""
    return {entry.name: _action(window, entry) for entry in COMMANDS}


def fill_menus(bar: QMenuBar, actions: Actions) -> dict[str, QMenu]:
    """Puts the actions into the menu bar; the menus by title, as it stands in the table."""
    menus: dict[str, QMenu] = {}
    for entry in COMMANDS:
        if not entry.menu:
            continue
        menu = menus.get(entry.menu) or bar.addMenu(entry.menu)
        menus[entry.menu] = menu
        if entry.name in SEPARATED:
            menu.addSeparator()
        menu.addAction(actions[entry.name])
    return menus


def connect_actions(actions: Actions, slots: Mapping[str, Callable[[], object]]) -> None:
    """Lets each action call its slot, without arguments."""
    missing = set(actions) ^ set(slots)
    assert not missing, f"commands without a slot, or the other way round: {missing}"
    for name, action in actions.items():
        action.triggered.connect(_without_arguments(slots[name]))


def show_speech(actions: Actions, view: SpeechView) -> None:
    """Enables what can be done with the speech as it is now."""
    for name in ("pause", "stop"):
        actions[name].setEnabled(view.phase in (Phase.WAITING, Phase.SPEAKING))
    for name in ("previous", "next", "skip_back", "skip_forward"):
        actions[name].setEnabled(view.phase is Phase.SPEAKING)
    actions["pause"].setText("&Go on" if view.paused else "&Pause")


def _action(window: QMainWindow, entry: Command) -> QAction:
    action = QAction(entry.title, window)
    action.setShortcuts([QKeySequence(keys) for keys in entry.keys])
    shown = QKeySequence(entry.keys[0]).toString(QKeySequence.SequenceFormat.NativeText) if entry.keys else ""
    action.setToolTip(f"{entry.sentence} ({shown})" if shown else entry.sentence)
    action.setIconVisibleInMenu(False)
    action.setCheckable(entry.checkable)
    window.addAction(action)
    return action


def _without_arguments(slot: Callable[[], object]) -> Callable[[bool], None]:
    def on_triggered(_checked: bool) -> None:
        slot()

    return on_triggered
