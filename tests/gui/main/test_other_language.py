"""A paragraph in another language than the voice: the window asks, and switches."""

from dataclasses import replace

import pytest

from pocketvoice.gui.controllers import model_list
from pocketvoice.gui.controllers.messages import Remedy, Topic
from pocketvoice.gui.controllers.speech import Phase
from tests.gui.conftest import Run, ready, settle, until
from tests.gui.fake_client import OFFLINE, READY
from tests.gui.main.reading import spoken
from tests.gui.parts import Parts

ENGLISH = "The children walked to the harbour where the old boats were lying."
FRENCH = "Les enfants marchaient vers le port, loin de la maison de leurs parents."
TEXT = f"{ENGLISH}\n\n{FRENCH}\n\n{ENGLISH}"
AT = len(ENGLISH) + 2
"""Where the French paragraph begins."""


@pytest.fixture
def two_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_list, "installed_by_language", lambda: {"en": "english", "fr": "french"})


async def at_french(parts: Parts, asks: bool = True) -> None:
    """The text is spoken, and its second paragraph has begun."""
    await ready(parts)
    action = parts.window.command_actions["other_language"]
    await until(action.isEnabled)
    assert not action.isChecked()
    if asks:
        action.trigger()
    parts.window.reader.setPlainText(TEXT)
    parts.desktop.speech_commands.speak()
    await until(lambda: parts.speech.view.phase is Phase.SPEAKING)
    parts.client.enter(1)


async def asked(parts: Parts) -> None:
    await until(lambda: parts.messages.message is not None)


def test_it_asks_and_switches(parts: Parts, run: Run, two_languages: None) -> None:
    async def story() -> None:
        await at_french(parts)
        await asked(parts)
        assert parts.messages.message is not None
        assert parts.messages.message.text == (
            f"This paragraph looks French. Read it with {model_list.voice_title(model_list.default_voice('french'))}?"
        )
        assert parts.messages.message.topic is Topic.LANGUAGE
        parts.window.message_bar.remedies[Remedy.SWITCH].click()
        await until(lambda: ("load_model", "french", None) in parts.client.requests)
        assert parts.messages.message is None
        assert len(spoken(parts)) == 1
        parts.client.be_ready(replace(READY, language="french", model_id="french-0", default_voice="estelle"))
        await until(lambda: len(spoken(parts)) == 2)
        assert spoken(parts)[-1] == (TEXT, AT)
        assert parts.settings.now.language == "french"
        await settle()
        assert parts.messages.message is None  # it is French now

    run(story())


def test_not_now_holds_for_this_speech(parts: Parts, run: Run, two_languages: None) -> None:
    async def story() -> None:
        await at_french(parts)
        await asked(parts)
        parts.window.message_bar.remedies[Remedy.NOT_NOW].click()
        assert parts.messages.message is None
        for index in (0, 1):
            parts.client.enter(index)
            await settle()
        assert parts.messages.message is None
        parts.speech.stop()
        await until(lambda: not parts.speech.view.active)
        parts.desktop.speech_commands.speak()
        await until(lambda: parts.speech.view.phase is Phase.SPEAKING)
        parts.client.enter(1)
        await asked(parts)

    run(story())


def test_the_question_goes_with_the_paragraph(parts: Parts, run: Run, two_languages: None) -> None:
    async def story() -> None:
        await at_french(parts)
        await asked(parts)
        parts.client.enter(2)
        await until(lambda: parts.messages.message is None)

    run(story())


def test_it_is_off_unless_wanted(parts: Parts, run: Run, two_languages: None) -> None:
    async def story() -> None:
        await at_french(parts, asks=False)
        await settle()
        assert parts.messages.message is None
        parts.window.command_actions["other_language"].trigger()
        await asked(parts)
        parts.window.command_actions["other_language"].trigger()
        assert parts.messages.message is None
        assert not parts.settings.now.asks_language

    run(story())


def test_one_language_has_nothing_to_switch_to(
    parts: Parts, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up = []
    monkeypatch.setattr(model_list, "installed_by_language", lambda: looked_up.append(1) or {"en": "english"})

    async def story() -> None:
        await ready(parts)
        await until(lambda: looked_up)
        await settle()
        assert not parts.window.command_actions["other_language"].isEnabled()

    run(story())


@pytest.mark.expects_log("OfflineError")
def test_a_model_that_can_not_be_had_is_told(parts: Parts, run: Run, two_languages: None) -> None:
    async def story() -> None:
        await at_french(parts)
        await asked(parts)
        parts.client.fails["load_model"] = OFFLINE
        parts.window.message_bar.remedies[Remedy.SWITCH].click()
        await asked(parts)
        assert parts.messages.message is not None
        assert parts.messages.message.text.startswith(OFFLINE.message)
        assert len(spoken(parts)) == 1

    run(story())


def test_what_is_installed_is_known_by_language() -> None:
    assert model_list.installed_by_language()["en"] == model_list.default_model()
