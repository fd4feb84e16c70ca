"""The commands of the speech, over a reader alone: there is no window."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from pocketvoice.gui.controllers import text_store
from pocketvoice.gui.controllers.messages import Topic
from pocketvoice.gui.controllers.services import Services
from pocketvoice.gui.controllers.speech import Phase
from pocketvoice.gui.main.reader import NOTHING_TO_READ, Reader
from pocketvoice.gui.main.speech_commands import SpeechCommands
from tests.gui.conftest import Run, delete, ready, until
from tests.gui.main.reading import TEXT


@dataclass
class Alone:
    services: Services
    reader: Reader
    commands: SpeechCommands

    def sent(self, kind: str) -> list[tuple[object, ...]]:
        return [request[1:] for request in self.services.client.requests if request[0] == kind]


@pytest.fixture
def alone(services: Services) -> Iterator[Alone]:
    reader = Reader()
    commands = SpeechCommands(
        reader,
        services.speech,
        services.models,
        services.settings,
        services.texts,
        services.messages,
        voice=lambda: "marius",
        show_text=reader.set_text,
    )
    yield Alone(services, reader, commands)
    delete(reader)


def test_play_speaks_then_pauses(alone: Alone, run: Run) -> None:
    async def story() -> None:
        await ready(alone.services)
        alone.reader.setPlainText(TEXT)
        alone.commands.play()
        await until(lambda: alone.services.speech.view.phase is Phase.SPEAKING)
        ((text, options),) = alone.sent("speak")
        assert (text, options["voice"]) == (TEXT, "marius")
        alone.commands.play()
        await until(lambda: alone.services.speech.view.paused)
        assert alone.services.texts.recent == (text_store.kept(TEXT),)

    run(story())


def test_share_of_the_text_is_sought(alone: Alone, run: Run) -> None:
    async def story() -> None:
        await ready(alone.services)
        alone.reader.setPlainText(TEXT)
        alone.commands.speak_all()
        await until(lambda: alone.services.speech.view.phase is Phase.SPEAKING)
        alone.commands.seek_share(0.5)
        await until(lambda: alone.sent("seek") == [(len(TEXT) // 2,)])

    run(story())


def test_cursor_goes_where_the_speech_broke_off(alone: Alone) -> None:
    alone.reader.setPlainText(TEXT)
    alone.commands.show_end(16)
    assert alone.reader.caret() == 16
    alone.commands.show_end(-1)
    assert alone.reader.caret() == 16


def test_empty_reader_is_told(alone: Alone) -> None:
    alone.commands.speak()
    assert alone.services.messages.message is not None
    assert alone.services.messages.message.text == NOTHING_TO_READ
    assert alone.sent("speak") == []


def test_speed_and_volume_are_remembered(alone: Alone, run: Run) -> None:
    async def story() -> None:
        await ready(alone.services)
        alone.commands.faster()
        alone.commands.faster()
        alone.commands.slower()
        alone.commands.set_volume(5)
        now = alone.services.settings.now
        assert (now.speed, now.volume) == (1.1, 2.0)
        alone.commands.normal_speed()
        assert alone.services.settings.now.speed == 1.0
        await until(lambda: alone.sent("set_speed")[-1:] == [(1.0,)])

    run(story())


def test_letters_that_the_model_does_not_know_are_told(alone: Alone, run: Run) -> None:
    async def story() -> None:
        messages = alone.services.messages
        await ready(alone.services)
        alone.reader.setPlainText("Мальчик пошёл в лес за грибами.")
        alone.commands.speak()
        await until(lambda: alone.services.speech.view.phase is Phase.SPEAKING)
        assert messages.message is not None
        assert messages.message.text.startswith("The text is in Cyrillic letters, which the English model")
        assert messages.message.topic is Topic.READING  # it goes when the speech is over

    run(story())
