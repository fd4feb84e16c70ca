"""The model: what the window would show while it is loaded, downloaded, missing, or lost with its worker."""

import asyncio

import pytest

from pocketvoice.gui.controllers.messages import Importance, Remedy
from pocketvoice.gui.controllers.models import ModelPhase
from pocketvoice.gui.controllers.speech import Phase
from pocketvoice.worker.messages import (
    DeviceChanged,
    DeviceName,
    ErrorInfo,
    Failed,
    Loading,
    Stopped,
    WorkerState,
)
from tests.gui.conftest import Run, ready, until
from tests.gui.fake_client import OFFLINE, READY
from tests.gui.parts import Parts

TEXT = "First sentence. Second one here. And a third."


@pytest.mark.expects_log("OfflineError")
def test_model_that_cannot_be_had(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await parts.client.__aenter__()
        parts.client.fails["load_model"] = OFFLINE
        parts.models.load("english")
        await until(lambda: parts.client.load is not None)  # the built-in one, which is not there either
        parts.client.load.put(Failed(parts.client.load.request_id, OFFLINE))
        await until(lambda: parts.models.view.phase is ModelPhase.MISSING)
        parts.client.load = None
        message = parts.messages.message
        assert message is not None
        assert message.text == OFFLINE.message
        assert message.importance is Importance.PROBLEM
        assert message.remedies == (Remedy.TRY_AGAIN, Remedy.CHOOSE_MODEL)
        parts.models.recover()
        await until(lambda: parts.client.load is not None)
        parts.client.be_ready()
        assert parts.models.view.phase is ModelPhase.READY
        assert parts.messages.message is None

    run(story())


@pytest.mark.expects_log("No model is loaded")
def test_download_can_be_cancelled(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await parts.client.__aenter__()
        parts.models.load("english")
        await until(lambda: parts.client.load is not None)
        parts.client.download(1_000_000)
        parts.models.cancel()
        await until(lambda: parts.models.view.phase is ModelPhase.MISSING)
        assert parts.models.view.loading is None

    run(story())


def test_loading_that_the_end_of_the_program_stops_is_not_told(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await parts.client.__aenter__()
        parts.models.load("english")
        await until(lambda: parts.client.load is not None)
        load = parts.client.load
        parts.models.close()
        load.put(Stopped(load.request_id))
        await until(lambda: load.done)
        await asyncio.sleep(0)  # the controller's task goes on
        assert parts.messages.message is None

    run(story())


def test_voice_download_leaves_the_model_ready(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.speech.speak(TEXT)
        await until(lambda: parts.client.speech is not None)
        speech = parts.client.speech
        assert speech is not None
        speech.put(Loading(speech.request_id, "alba.safetensors", 1_000_000, 3_000_000, 1e6))
        assert parts.models.view.loading is not None
        assert parts.models.view.phase is ModelPhase.READY
        parts.client.finish()
        assert parts.models.view.loading is None

    run(story())


@pytest.mark.expects_log("broke down")
def test_crash_is_told_once(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.client.ready = None
        parts.client.change(WorkerState.CRASHED, "The speech engine broke down and was started again.")
        parts.client.change(WorkerState.STARTING)
        message = parts.messages.message
        assert message is not None
        assert message.remedies == ()
        parts.client.change(WorkerState.LOADING)
        parts.client.tell(READY)
        assert parts.models.view.phase is ModelPhase.READY

    run(story())


@pytest.mark.expects_log("broke down three times")
def test_worker_that_gave_up_can_be_started(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.speech.speak(TEXT)
        await until(lambda: parts.speech.view.phase is Phase.SPEAKING)
        parts.client.ready = None
        parts.client.change(WorkerState.CRASHED, "It broke down three times: restart it.")
        parts.client.fail_speech(ErrorInfo("WorkerCrashed", "It broke down three times: restart it."))
        await until(lambda: not parts.speech.view.active)
        assert parts.messages.message is not None
        assert parts.messages.message.remedies == (Remedy.RESTART,)
        parts.models.recover()
        await until(lambda: ("restart",) in parts.client.requests)

    run(story())


def test_lost_loudspeaker_is_told(parts: Parts, run: Run) -> None:
    async def story() -> None:
        await ready(parts)
        parts.client.tell(DeviceChanged("", None, "The headphones are gone: the default device plays."))
        assert parts.messages.message is not None
        assert parts.messages.message.importance is Importance.NOTE
        parts.models.set_device(DeviceName("HDMI", "ALSA"))
        await until(lambda: parts.models.view.device == DeviceName("HDMI", "ALSA"))

    run(story())
