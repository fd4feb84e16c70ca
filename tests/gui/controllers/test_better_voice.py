"""The better voice is offered once, quietly."""

from dataclasses import replace

import pytest

from pocketvoice.gui.controllers.messages import Importance, Remedy
from tests.gui.conftest import Run, until
from tests.gui.fake_client import READY
from tests.gui.parts import Parts

BUILT_IN = replace(READY, language="builtin_en", default_voice="slt")


@pytest.fixture(autouse=True)
def network_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)


async def start(parts: Parts) -> None:
    await parts.client.__aenter__()
    parts.desktop.voice_choice.load_first()
    await until(lambda: parts.client.load is not None)
    parts.client.be_ready(BUILT_IN)


def test_first_start_offers_it_and_speech_leaves_it(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await start(parts)
        message = parts.messages.message
        assert message is not None
        assert message.importance is Importance.NOTE
        assert message.text == "A more natural voice for English can be downloaded once: 219 MB."
        parts.window.reader.setPlainText("Some text.")
        parts.desktop.speech_commands.speak()
        assert parts.messages.message is message
        parts.window.message_bar.remedies[Remedy.DOWNLOAD].click()
        await until(lambda: ("load_model", "english", None) in parts.client.requests)
        assert parts.messages.message is None

    run(story())


def test_second_start_does_not(parts: Parts, run: Run) -> None:
    async def story() -> None:
        parts.settings.change(better_voice_offered=True)
        await start(parts)
        assert parts.messages.message is None

    run(story())


def test_other_news_come_first(parts: Parts, run: Run) -> None:
    async def story() -> None:
        parts.messages.say("Something else.")
        await start(parts)
        assert parts.messages.message is not None
        assert parts.messages.message.text == "Something else."
        assert not parts.settings.now.better_voice_offered  # so the next start offers it

    run(story())


def test_no_network_no_offer(parts: Parts, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")

    async def story() -> None:
        await start(parts)
        assert parts.messages.message is None

    run(story())
