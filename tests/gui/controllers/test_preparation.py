"""A voice that is being made ready for the model: how far it is, and how it is cancelled. Without any window."""

import pytest

from pocketvoice.gui.controllers.services import Services
from pocketvoice.worker.messages import Finished, PreparingVoice
from tests.gui.conftest import Run, ready, until


def test_tells_how_far_it_is_and_when_it_ends(services: Services) -> None:
    client, told = services.client, []
    services.preparation.progressed.connect(lambda sentence, fraction: told.append((sentence, fraction)))
    services.preparation.ended.connect(lambda: told.append("ended"))
    client.tell(PreparingVoice("speak-1", "Agnes", 0.0))
    client.tell(PreparingVoice("speak-1", "Agnes", 0.5))
    client.tell(Finished("speak-0"))
    client.tell(PreparingVoice("speak-1", "Agnes", 1.0))
    sentence = "Making Agnes ready for this model…"
    assert told == [(sentence, None), (sentence, 0.5), "ended"]


@pytest.mark.expects_log("No model is loaded")
def test_cancelling_ends_the_loading_that_it_is_for(services: Services, run: Run) -> None:
    client = services.client

    async def story() -> None:
        services.models.load("english")
        await until(lambda: client.load is not None)
        load = client.load.request_id
        services.preparation.cancel()
        await until(lambda: ("stop", load) in client.requests)

    run(story())


def test_cancelling_ends_the_speech_that_it_is_for(services: Services, run: Run) -> None:
    async def story() -> None:
        await ready(services)
        services.preparation.cancel()
        await until(lambda: ("stop_all",) in services.client.requests)

    run(story())
