"""What a worker can be asked for, as methods of the client: each takes the fields of its message and sends that. Loop's thread.

Each returns when the request was sent, not when it is done: `await (await client.speak(text)).result()` waits for that.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec

from pocketvoice.worker.messages import (
    CloneVoice,
    Export,
    ListDevices,
    LoadModel,
    Pause,
    PlayFile,
    Preview,
    Request,
    Resume,
    Seek,
    SetDevice,
    SetSpeed,
    SetVolume,
    Speak,
)
from pocketvoice.worker.parent.open_requests import RequestHandle

P = ParamSpec("P")


def _sends(
    message: Callable[P, Request],
) -> Callable[Concatenate["Requests", P], Coroutine[Any, Any, RequestHandle]]:
    """A method with the arguments of a message, which it sends: the fields of a request are listed in one place only."""

    async def method(self: "Requests", /, *args: P.args, **kwargs: P.kwargs) -> RequestHandle:
        return await self.send(message(*args, **kwargs))

    method.__doc__ = message.__doc__
    return method


class Requests(ABC):
    """Short forms of `send`, for what is asked for often."""

    @abstractmethod
    async def send(self, request: Request) -> RequestHandle:
        """Sends a request under an id of its own; what is expected of it stands with its message."""

    load_model = _sends(LoadModel)
    speak = _sends(Speak)
    preview = _sends(Preview)
    play_file = _sends(PlayFile)
    pause = _sends(Pause)
    resume = _sends(Resume)
    seek = _sends(Seek)
    set_speed = _sends(SetSpeed)
    set_volume = _sends(SetVolume)
    set_device = _sends(SetDevice)
    list_devices = _sends(ListDevices)
    export = _sends(Export)
    clone_voice = _sends(CloneVoice)
