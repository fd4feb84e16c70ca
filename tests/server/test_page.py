"""The page in a real browser: speaks as it comes, stops, downloads; by keyboard alone, for screen readers, in the dark."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from pocketvoice.worker.parent.client import WorkerClient
from tests.server import browser
from tests.server.browser import Page
from tests.server.conftest import BOOK, SENTENCE, Loop, Served, a_server

pytestmark = pytest.mark.skipif(bool(browser.missing()), reason=f"not installed: {browser.missing()}")


@pytest.fixture(scope="module")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="module")
def tab(downloads: Path) -> Iterator[Page]:
    with browser.a_page(downloads) as page:
        yield page


@pytest.fixture
def page(tab: Page, served: Served) -> Page:
    tab.open(served.url)
    tab.until('document.querySelector("#voice").value')
    return tab


def status(page: Page) -> str:
    return str(page.element("#status").get("text"))


def test_speaks_stops_and_downloads(page: Page, downloads: Path, served: Served) -> None:
    assert page.element("#voice").get("property/value") == "slt"
    page.element("#text").write(SENTENCE)
    page.element("#speak").click()
    page.until('document.querySelector("#status").textContent.startsWith("Speaking.")')
    page.until('document.querySelector("#progress").value > 0.2')  # the browser's own clock of sound moves
    page.until('document.querySelector("#status").textContent.startsWith("Spoken")')
    page.element("#download").click()
    file = downloads / "speech.wav"
    served.until(lambda: file.exists() and not list(downloads.glob("*.crdownload")))
    sound, rate = soundfile.read(file)
    assert rate == 24_000
    assert 2 < len(sound) / rate < 8
    assert np.abs(sound).max() > 0.05
    assert page.log() == []


def test_sound_comes_before_the_text_is_spoken(page: Page, served: Served) -> None:
    page.run(f"document.querySelector('#text').value = {BOOK!r}")
    page.element("#speak").click()
    page.until('document.querySelector("#progress").value > 0')
    assert served.health["queue"]["open"] == 1  # still being made
    page.element("#stop").click()
    assert status(page) == "Stopped."
    served.until_idle(2)
    assert page.element("#download").get("attribute/aria-disabled") == "false"  # what was made can be kept


def test_by_keyboard_alone(page: Page, served: Served) -> None:
    assert page.focused.get("attribute/id") == "text"
    for letter in "Hello there, my friend.":
        page.press(letter)
    order = []
    for _ in range(4):
        page.press("Tab")
        order.append(page.focused.get("attribute/id"))
    assert order == ["voice", "speed", "speak", "stop"]
    page.press("Control", "Enter")
    page.until('document.querySelector("#status").textContent.startsWith("Speaking.")')
    page.press("Escape")
    page.until('document.querySelector("#status").textContent == "Stopped."')
    served.until_idle(2)
    page.element("#speak").click()
    page.until('document.querySelector("#status").textContent.startsWith("Spoken")')
    page.press("Tab")
    page.press("Tab")
    assert page.focused.get("attribute/id") == "download"


def test_screen_readers_are_told_everything(page: Page) -> None:
    wanted = {
        "#text": ("textbox", "Text"),
        "#voice": ("combobox", "Voice"),
        "#speed": ("combobox", "Speed"),
        "#speak": ("button", "Speak"),
        "#stop": ("button", "Stop"),
        "#download": ("link", "Download"),
        "#status": ("status", ""),
        "#problem": ("alert", ""),
    }
    for selector, (role, label) in wanted.items():
        element = page.element(selector)
        assert element.get("computedrole") == role, selector
        assert not label or element.get("computedlabel") == label, selector
    assert page.run("return document.documentElement.lang") == "en"
    page.element("#speak").click()
    assert "no text" in page.element("#problem").get("text")
    assert page.focused.get("attribute/id") == "text"


def test_mistakes_are_told(page: Page) -> None:
    page.element("#text").write("... ...")
    page.element("#speak").click()
    page.until('document.querySelector("#problem").textContent')
    assert "nothing that can be spoken" in page.element("#problem").get("text")


def test_asks_for_the_key(tab: Page, loop: Loop, worker: list[WorkerClient]) -> None:
    with a_server(loop, worker, keys=("correct-horse-battery",)) as locked:
        tab.open(locked.url)
        tab.until('!document.querySelector("#key-row").hidden')
        tab.element("#key").write("correct-horse-battery")
        tab.press("Tab")
        tab.until('document.querySelector("#voice").value')
        tab.element("#text").write(SENTENCE)
        tab.element("#speak").click()
        tab.until('document.querySelector("#status").textContent.startsWith("Spoken")')


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_can_be_read_in_light_and_dark(page: Page, scheme: str) -> None:
    page.prefer(scheme)
    ratios = page.run(CONTRAST)
    assert min(ratios.values()) >= 4.5, ratios  # WCAG AA
    assert (page.run("return getComputedStyle(document.body).backgroundColor") == "rgb(23, 23, 22)") == (
        scheme == "dark"
    )


CONTRAST = """
const channel = (v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
const light = (c) => { const [r, g, b] = numbers(c).map(channel); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const own = (e) => getComputedStyle(e).backgroundColor;
const back = (e) => own(e).includes(", 0)") ? back(e.parentElement) : own(e);
const ratio = (e) => {
  const [a, b] = [light(getComputedStyle(e).color), light(back(e))].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
};
return Object.fromEntries(["h1", "label", "#text", "#voice", ".note", "#speak", "#stop", "#status", "#problem"]
  .map((s) => [s, ratio(document.querySelector(s))]));
"""


def test_reference_page_works_against_our_server(tab: Page, served: Served) -> None:
    """Its own page, but for the style sheet it loads from elsewhere, served by us as if it were ours."""
    spec = importlib.util.find_spec("pocket_tts")  # not imported: that would load torch
    assert spec is not None
    assert spec.origin is not None
    html = (Path(spec.origin).parent / "static/index.html").read_text(encoding="utf-8")
    html = html.replace('<script src="https://cdn.tailwindcss.com"></script>', "").replace(
        "DEFAULT_TEXT_PROMPT", SENTENCE
    )
    from pocketvoice.server import endpoints

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(endpoints, "page", lambda: html)
        patch.setattr(endpoints, "policy", dict)
        tab.open(served.url)
        tab.element("#voice-url-input").write("slt")
        tab.element("#generate-btn").click()
        tab.until('document.querySelector("#status-text").textContent.includes("faster than real-time")')
        first = tab.run('return document.querySelector("#status-text").textContent')
        assert "First audio: N/A" not in first
        assert tab.run('return document.querySelector("#audio").duration') > 1
