"""The parent's side: it never loads the child's, and what it can be asked for are the messages themselves."""

import asyncio
import subprocess
import sys
from dataclasses import fields

import pytest

from pocketvoice.worker.messages import Request, SamplingOptions, SetVolume, Speak, Synthesize
from pocketvoice.worker.parent.open_requests import RequestHandle
from pocketvoice.worker.parent.requests import Requests


class Recorder(Requests):
    """Keeps what would be sent."""

    def __init__(self) -> None:
        self.sent: list[Request] = []

    async def send(self, request: Request) -> RequestHandle:
        self.sent.append(request)
        return RequestHandle(request.request_id, lambda _: None)  # type: ignore[arg-type, return-value]


def test_the_child_is_not_loaded() -> None:
    code = "import sys, pocketvoice.worker.parent.client; print([n for n in sys.modules if '.worker.child' in n])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[]\n"


def test_short_forms_take_the_fields_of_their_messages() -> None:
    recorder = Recorder()

    async def story() -> None:
        await recorder.speak("Hello.", seed=3)
        await recorder.set_volume(0.5)
        await recorder.send(Synthesize("Hello.", sampling=SamplingOptions(temp=0.1)))

    asyncio.run(story())
    assert recorder.sent == [
        Speak("Hello.", seed=3),
        SetVolume(0.5),
        Synthesize("Hello.", sampling=SamplingOptions(temp=0.1)),
    ]


def test_no_request_has_an_id_before_it_is_sent() -> None:
    def all_of(kind: type[Request]) -> list[type[Request]]:
        return [kind, *(one for sub in kind.__subclasses__() for one in all_of(sub))]

    for kind in all_of(Request):
        (request_id,) = (field for field in fields(kind) if field.name == "request_id")
        assert request_id.kw_only, kind
        assert request_id.default == "", kind


def test_a_short_form_refuses_what_its_message_does_not_know() -> None:
    with pytest.raises(TypeError, match="loudness"):
        asyncio.run(Recorder().set_volume(loudness=1.0))  # type: ignore[call-arg]
