"""Roles: what a screen reader says of the kind of a control. Walks a tree of widgets."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QScrollBar,
    QWidget,
)

Role = QAccessible.Role
ROLES: dict[type[QWidget], set[Role]] = {
    QScrollBar: {Role.ScrollBar},
    QAbstractSlider: {Role.Slider},
    QAbstractButton: {Role.Button, Role.CheckBox, Role.RadioButton, Role.ButtonMenu, Role.ButtonDropDown},
    QComboBox: {Role.ComboBox},
    QHeaderView: {Role.Client},  # its sections have roles
    QAbstractItemView: {Role.List, Role.Tree, Role.Table},
    QLineEdit: {Role.EditableText},
    QPlainTextEdit: {Role.EditableText},
    QProgressBar: {Role.ProgressBar},
}
NOTHING_SAID = {Role.NoRole, Role.Client, Role.Window, Role.Pane, Role.Grouping}


def without_role(root: QWidget) -> list[str]:
    """Controls, and whatever else takes the keyboard, whose role is not that of their kind; empty if all is well."""
    return [
        f"{type(widget).__name__} {widget.accessibleName()!r} is a {role.name}"
        for widget in root.findChildren(QWidget)
        if not _suits(widget, role := QAccessible.queryAccessibleInterface(widget).role())
    ]


def _suits(widget: QWidget, role: Role) -> bool:
    for kind, roles in ROLES.items():
        if isinstance(widget, kind):
            return role in roles
    return widget.focusPolicy() == Qt.FocusPolicy.NoFocus or role not in NOTHING_SAID
