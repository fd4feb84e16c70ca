"""Menus and shortcuts, made from the table in `keys`."""

from collections.abc import Callable, Mapping

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from pocketvoice.gui.main.keys import COMMANDS, SEPARATED, Command

Actions = dict[str, QAction]


def make_actions(window: QMainWindow, slots: Mapping[str, Callable[[], None]]) -> Actions:
    """An action for every command, each calling its slot."""
    missing = {entry.name for entry in COMMANDS} ^ set(slots)
    assert not missing, f"commands without a slot, or the other way round: {missing}"
    return {entry.name: _action(window, entry, slots[entry.name]) for entry in COMMANDS}


def fill_menus(window: QMainWindow, actions: Actions) -> dict[str, QMenu]:
    """Puts the actions into the menu bar; the menus by title."""
    menus: dict[str, QMenu] = {}
    for entry in COMMANDS:
        if not entry.menu:
            continue
        menu = menus.get(entry.menu) or window.menuBar().addMenu(entry.menu)
        menus[entry.menu] = menu
        if entry.name in SEPARATED:
            menu.addSeparator()
        menu.addAction(actions[entry.name])
    return menus


def _action(window: QMainWindow, entry: Command, slot: Callable[[], None]) -> QAction:
    action = QAction(entry.title, window)
    action.setShortcuts([QKeySequence(keys) for keys in entry.keys])
    shown = QKeySequence(entry.keys[0]).toString(QKeySequence.SequenceFormat.NativeText) if entry.keys else ""
    action.setToolTip(f"{entry.sentence} ({shown})" if shown else entry.sentence)
    action.setIconVisibleInMenu(False)
    action.setCheckable(entry.checkable)
    action.triggered.connect(lambda: slot())
    window.addAction(action)
    return action
