"""The description of the layout says what is so: every room has its row, and who may import whom is the table the tests hold."""

import re

from tests.docs.pages import ROOT, Page
from tests.test_imports import PACKAGE, TABLE

PAGE = Page(ROOT / "docs" / "architecture.md")
WINGS = re.compile(r"gui(/\w+){0,2}|worker/(parent|child)|\w+")
"""Packages that have a row of their own; what lies deeper is the business of its room."""


def rows(title: str) -> dict[str, str]:
    """The table below a heading: first column without its backticks -> second column."""
    section = PAGE.text.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return dict(re.findall(r"^\| `([^`]+)` \| (.+) \|$", section, re.MULTILINE))


def test_every_room_is_described() -> None:
    packages = {path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("__init__.py")} - {"."}
    assert {name for name in packages if WINGS.fullmatch(name)} <= rows("The rooms").keys()


def test_described_rooms_exist() -> None:
    for name in rows("The rooms"):
        assert (PACKAGE / name).is_dir() or name in TABLE, name


def test_who_may_import_whom() -> None:
    described = rows("Who may import whom")
    of_the_window = granted(described["gui"])
    found = {
        room: granted(text) | (of_the_window if "as `gui`" in text else set())
        for room, text in described.items()
    }
    assert found == TABLE


def granted(text: str) -> set[str]:
    return {word for word in re.split(r",\s*", text) if word not in ("nothing", "as `gui`")}
