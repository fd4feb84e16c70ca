"""Every relative link leads to a file, every anchor to a heading, every path that is named to something that is there."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, Page, pages

PLACES = (ROOT, ROOT / "pocketvoice")
"""What paths in the pages begin at."""
ELSEWHERE = {"build/setup.log", "states/"}
"""Made by the set-up; in the folder of a user's voice."""


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_links_lead_somewhere(page: Page) -> None:
    for link in page.links():
        path, _, anchor = link.partition("#")
        target = (page.path.parent / path).resolve() if path else page.path
        assert target.exists(), f"{page.name}: {link}"
        if anchor:
            assert anchor in Page(target).anchors(), f"{page.name}: {link}"


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_named_paths_exist(page: Page) -> None:
    """Folders and files of ours in backticks: `engine/loading.py`, `tests/live/`."""
    named = [
        word for word in page.code_words() if re.fullmatch(r"\w[\w./-]*(/|/[\w.-]+\.(py|md|toml|sh))", word)
    ]
    missing = [word for word in named if not any((place / word).exists() for place in PLACES)]
    assert set(missing) <= ELSEWHERE


def test_every_page_can_be_found_from_the_readme() -> None:
    found, todo = set(), [Page(ROOT / "README.md")]
    while todo:
        page = todo.pop()
        found.add(page.path)
        for link in page.links():
            target: Path = (page.path.parent / link.partition("#")[0]).resolve()
            if target.is_dir():
                target /= "README.md"
            if target.suffix == ".md" and target not in found and target.exists():
                todo.append(Page(target))
    assert {page.name for page in pages()} <= {path.relative_to(ROOT).as_posix() for path in found}


def test_readme_is_short() -> None:
    assert len(Page(ROOT / "README.md").text.split()) <= 900
