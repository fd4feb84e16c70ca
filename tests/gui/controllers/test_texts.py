"""Texts and their places are kept on the disk, whatever ends the program; none is lost to a damaged file."""

import asyncio
import time

import pytest

from pocketvoice import paths
from pocketvoice.gui.controllers import text_store
from pocketvoice.gui.controllers.text_store import KeptTexts
from pocketvoice.gui.controllers.texts import Texts
from pocketvoice.settings import MOST_RECENT_TEXTS, Settings
from tests.gui.conftest import Run, delete, ready, settle, until
from tests.gui.fake_client import FakeClient
from tests.gui.main.reading import TEXT, speaking
from tests.gui.parts import Parts, make_services, make_window

BOOK = "Wörter und Wörter, 🎉 und noch mehr davon. " * 20_000


def kept_again() -> Texts:
    """As the next start finds them."""
    return make_services(FakeClient()).texts


def test_draft_is_saved_soon_after_the_last_change(parts: Parts, run: Run) -> None:
    async def story() -> None:
        for text in ("A", "A dra", "A draft \ud83d of mine"):  # half an emoji, as a broken clipboard gives it
            parts.window.reader.setPlainText(text)
            await asyncio.sleep(0.2)
        began = time.monotonic()
        await until(lambda: kept_again().draft()[0] == parts.window.reader.text())
        assert time.monotonic() - began < 2

    run(story())


def test_long_text_and_its_place_survive(parts: Parts, run: Run) -> None:
    async def story() -> None:
        parts.window.reader.setPlainText(BOOK)
        parts.window.reader.set_caret(len(BOOK) // 2)
        parts.desktop.window_state.remember()
        again = make_window()
        assert again.window.reader.text() == BOOK
        assert again.window.reader.caret() == len(BOOK) // 2
        again.window.show()
        await settle()
        reader = again.window.reader
        assert (
            reader.viewport().rect().contains(reader.cursorRect())
        )  # where it was left off is what one sees
        await again.tasks.close()
        delete(again.window)

    run(story())


def test_place_being_heard_is_kept(parts: Parts, run: Run) -> None:
    """No quit, no stop: the program is gone in the middle of the second sentence."""

    async def story() -> None:
        await speaking(parts, TEXT)
        parts.client.enter(1)
        second = parts.client.sentences[1][0]
        await until(lambda: kept_again().draft()[:2] == (TEXT, second))
        await until(lambda: [text.place for text in kept_again().recent] == [second])

    run(story())


def test_recent_text_is_opened_where_it_was_left_off(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.window.reader.setPlainText(TEXT)
        parts.window.reader.set_caret(16)
        parts.desktop.text_commands.show_text("Another.")
        parts.desktop.recent.menu.aboutToShow.emit()
        parts.desktop.recent.menu.actions()[0].trigger()
        assert (parts.window.reader.text(), parts.window.reader.caret()) == (TEXT, 16)

    run(story())


def test_recent_texts_are_few_and_once(run: Run) -> None:
    async def story() -> None:
        texts = make_services(FakeClient()).texts
        for number in range(30):
            texts.remember(f"text {number % 20}")
        texts.remember("  ")
        texts.save_now()
        titles = [text.title for text in kept_again().recent]
        assert titles[0] == "text 9"
        assert len(set(titles)) == len(titles) == MOST_RECENT_TEXTS
        assert len(list((paths.user_data_dir() / "texts").glob("*.txt"))) == MOST_RECENT_TEXTS

    run(story())


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"draft": 1, "recent": []}', b"\xff", b"[" * 100_000])
@pytest.mark.expects_log("the index of texts")
def test_damaged_index_loses_no_text(damage: bytes) -> None:
    text = text_store.kept("A text.", 3)
    text_store.save(KeptTexts(text, (text,)), {text.name: "A text."})
    (paths.user_data_dir() / "texts" / "index.json").write_bytes(damage)
    found = text_store.load()
    assert found.draft is not None
    assert text_store.read(found.draft) == "A text."


@pytest.mark.expects_log("no longer on the disk")
def test_text_that_is_gone_is_told(run: Run) -> None:
    async def story() -> None:
        services = make_services(FakeClient())
        assert services.texts.read(text_store.kept("Never saved.")) == ("", 0)
        assert services.messages.message is not None
        assert "no longer on the disk" in services.messages.message.text

    run(story())


def test_texts_of_an_earlier_version_are_taken_over(run: Run) -> None:
    async def story() -> None:
        services = make_services(FakeClient(), Settings(draft="A draft.", recent_texts=("One.", "Two.")))
        assert services.texts.draft()[:2] == ("A draft.", 0)
        assert [text.title for text in kept_again().recent] == ["One.", "Two."]
        assert (services.settings.now.draft, services.settings.now.recent_texts) == ("", ())

    run(story())


@pytest.mark.expects_log("its folder|Can't write")
def test_disk_that_takes_nothing_is_told_once(parts: Parts, run: Run) -> None:
    async def story() -> None:
        paths.user_data_dir().mkdir(parents=True, exist_ok=True)
        (paths.user_data_dir() / "texts").write_text("a file where the folder should be")
        parts.window.reader.setPlainText("A draft.")
        await until(lambda: parts.messages.message is not None)
        parts.messages.dismiss()
        parts.window.reader.setPlainText("Another draft.")
        await asyncio.sleep(1.3)
        assert parts.messages.message is None

    run(story())
