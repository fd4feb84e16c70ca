"""The switch for other programs: the real server within the program, over the worker that the window speaks with."""

import asyncio
import json
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QInputDialog

from pocketvoice import settings
from pocketvoice.app import Program
from pocketvoice.gui.controllers.messages import Importance, Messages
from pocketvoice.gui.controllers.single_instance import Handover, SingleInstance
from pocketvoice.settings import Settings
from pocketvoice.worker.messages import OutputKind, WorkerOptions
from tests.gui.conftest import Run, until
from tests.gui.parts import SENTENCES
from tests.model_factory import ModelFactory, random_state


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


Make = Callable[[Settings], Program]


@pytest.fixture
def make(run: Run) -> Iterator[Make]:
    """Programs without a loudspeaker."""
    made: list[Program] = []

    def one(remembered: Settings) -> Program:
        program = Program(
            Messages(), remembered, SingleInstance(), 0.0, WorkerOptions(output=OutputKind.NULL_VIRTUAL)
        )
        made.append(program)
        return program

    yield one
    for program in made:
        program.dispose()


async def get(url: str) -> httpx.Response:
    """On a thread: the loop is the server's."""
    return await asyncio.to_thread(httpx.get, url, timeout=20)


async def speak(url: str) -> httpx.Response:
    body = {"input": SENTENCES[0], "model": "tts-1", "voice": "alloy", "response_format": "pcm"}
    return await asyncio.to_thread(httpx.post, f"{url}/v1/audio/speech", json=body, timeout=60)


async def scene_in(program: Program, scene: Callable[[], object], config: str | None = None) -> None:
    running = asyncio.ensure_future(program.run(Handover("", False), config))
    try:
        await scene()  # type: ignore[misc]
    finally:
        program.quit()
        await asyncio.wait_for(running, 20)


@pytest.fixture
def tiny(models: ModelFactory, tmp_path: Path) -> tuple[str, str]:
    """Config and voice of a model that ends each segment at once."""
    from pocketvoice.engine.voice_state import export_model_state

    files = models.tiny("at_once")
    export_model_state(random_state(files.raw), tmp_path / "voice.safetensors")
    return str(files.config), str(tmp_path / "voice.safetensors")


def test_speaks_for_others_while_the_window_speaks(make: Make, run: Run, tiny: tuple[str, str]) -> None:
    config, voice = tiny
    program = make(Settings(voice=voice, serve_port=free_port()))

    async def scene() -> None:
        menu = program.serving_menu
        assert not menu.copy.isEnabled()
        menu.switch.trigger()
        await until(lambda: program.serving.address)
        assert program.services.messages.message is not None
        assert program.serving.address in program.services.messages.message.text
        await until(lambda: program.client.ready, 60)
        program.desktop.text_commands.show_text("".join(SENTENCES))
        program.desktop.speech_commands.speak_all()
        answer = await speak(program.serving.address)
        assert answer.status_code == 200
        assert len(answer.content) > 10_000
        menu.copy.trigger()
        assert QGuiApplication.clipboard().text() == program.serving.address
        url = program.serving.address
        menu.switch.trigger()
        await until(lambda: not program.serving.address)
        with suppress(httpx.TransportError):
            await get(url)
            raise AssertionError("it still answers")

    run(scene_in(program, scene, config), 120)
    assert json.loads(settings.settings_path().read_text())["serve"] is False


def test_is_as_it_was_left_and_moves(make: Make, run: Run) -> None:
    first, second = free_port(), free_port()
    program = make(Settings(language="builtin_en", serve=True, serve_port=first))

    async def scene() -> None:
        menu = program.serving_menu
        await until(lambda: program.serving.address.endswith(f":{first}"))
        assert menu.switch.isChecked()
        assert program.services.messages.message is None
        assert (await get(f"{program.serving.address}/")).status_code == 200
        menu.port.trigger()
        (dialog,) = [one for one in QApplication.topLevelWidgets() if isinstance(one, QInputDialog)]
        dialog.setIntValue(second)
        dialog.accept()
        await until(lambda: program.serving.address.endswith(f":{second}"))
        assert (await get(f"{program.serving.address}/")).status_code == 200

    run(scene_in(program, scene), 60)
    kept = json.loads(settings.settings_path().read_text())
    assert (kept["serve"], kept["serve_port"]) == (True, second)


@pytest.mark.expects_log("Address already in use")
def test_taken_port_is_told_and_the_switch_is_off(make: Make, run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        program = make(Settings(language="builtin_en", serve=True, serve_port=other.getsockname()[1]))

        async def scene() -> None:
            menu = program.serving_menu
            await until(
                lambda: (
                    program.services.messages.message
                    and "another port" in program.services.messages.message.text
                )
            )
            assert program.services.messages.message is not None
            assert program.services.messages.message.importance is Importance.PROBLEM
            assert not menu.switch.isChecked()

        run(scene_in(program, scene), 60)
    assert program.serving.address == ""
