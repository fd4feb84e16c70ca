"""Names and roles: what a screen reader says of a control and of its kind. Walks a tree of widgets."""

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


CONTROLS = (
    QAbstractButton, QAbstractSlider, QComboBox, QLineEdit, QPlainTextEdit, QProgressBar, QAbstractItemView
)  # fmt: skip


def unnamed(root: QWidget) -> list[str]:
    """Controls without a name; empty if all is well."""
    inner = ("qt_", "ScrollLeftButton", "ScrollRightButton")  # parts of Qt's own widgets
    return [
        f"{type(widget).__name__} {widget.objectName()}"
        for widget in root.findChildren(QWidget)
        if isinstance(widget, CONTROLS)
        and not widget.accessibleName()
        and not widget.objectName().startswith(inner)
        and not _inside_qt(widget)
    ]


def _inside_qt(widget: QWidget) -> bool:
    """Whether it belongs to a list's header, a combo's popup, a menu bar, a scroll area: Qt names those."""
    names = {parent.metaObject().className() for parent in _parents(widget)}
    return (
        bool(names & {"QComboBoxPrivateContainer", "QMenuBar", "QTreeWidget"})
        or ("QScrollBar" in type(widget).__name__ and not isinstance(widget.parent(), QPlainTextEdit))
        or "Header" in type(widget).__name__
        or (widget.objectName() == "" and type(widget).__name__ == "QScrollBar")
    )


def _parents(widget: QWidget) -> list[QWidget]:
    parent = widget.parentWidget()
    return [] if parent is None else [parent, *_parents(parent)]
