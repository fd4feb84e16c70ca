"""What the window asks of the worker, as a protocol: `WorkerClient` satisfies it, and so does the fake one of the tests.

The methods are those of the client, with only the arguments that the window uses. Main thread only.
"""

from abc import abstractmethod
from collections.abc import AsyncIterator, Callable
from typing import Protocol

from pocketvoice.worker.messages import DeviceName, Event, Ready, SeekTo, Terminal, WorkerState


class RunningRequest(Protocol):
    """A request that was sent: its events, and a way to stop it."""

    request_id: str

    @abstractmethod
    def __aiter__(self) -> AsyncIterator[Event]:
        """The events of this request, for one consumer; the terminal one is the last."""

    @property
    @abstractmethod
    def done(self) -> bool:
        """Whether the terminal event has come."""

    @abstractmethod
    async def result(self) -> Terminal:
        """Waits for the terminal event; a Failed is returned, not raised."""

    @abstractmethod
    async def stop(self) -> Terminal:
        """Ends the request and waits for its terminal event."""


class Worker(Protocol):
    """The process that speaks. A method returns when its request was sent, not when it is done."""

    state: WorkerState
    """What the worker is doing; every change is a StateChanged event."""
    ready: Ready | None
    """The loaded model; None before, and while another one is being loaded."""

    @abstractmethod
    def listen(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Calls `listener` with every event of every request; returns a function that ends that."""

    @abstractmethod
    async def restart(self) -> None:
        """Starts a new worker after the last one gave up."""

    @abstractmethod
    async def load_model(
        self, language: str | None = None, *, config: str | None = None, voice: str | None = None
    ) -> RunningRequest:
        """Loads a model instead of the loaded one."""

    @abstractmethod
    async def speak(
        self,
        text: str,
        *,
        voice: str | None = None,
        start: int = 0,
        stop: int | None = None,
        seed: int | None = None,
    ) -> RunningRequest:
        """Speaks `text` from index `start` to `stop`; it waits while a model is being loaded."""

    @abstractmethod
    async def preview(self, voice: str | None, text: str) -> RunningRequest:
        """Speaks a short text in a voice; what it interrupts goes on afterwards."""

    @abstractmethod
    async def play_file(
        self, path: str, *, start_s: float = 0.0, stop_s: float | None = None
    ) -> RunningRequest:
        """Plays a sound file, or a part of it; what it interrupts goes on afterwards."""

    @abstractmethod
    async def export(
        self,
        text: str,
        path: str,
        *,
        voice: str | None = None,
        speed: float = 1.0,
        seed: int | None = None,
    ) -> RunningRequest:
        """Speaks `text` into a WAV file."""

    @abstractmethod
    async def clone_voice(self, source: str, path: str, *, truncate: bool = False) -> RunningRequest:
        """Makes a voice file of the clip `source`."""

    @abstractmethod
    async def stop(self) -> RunningRequest:
        """Stops every speech, spoken or waiting."""

    @abstractmethod
    async def pause(self) -> RunningRequest:
        """Holds the sound."""

    @abstractmethod
    async def resume(self) -> RunningRequest:
        """Goes on with the next sample."""

    @abstractmethod
    async def seek(self, to: int | SeekTo) -> RunningRequest:
        """Moves the current speech to an index of its text, or by a sentence."""

    @abstractmethod
    async def set_speed(self, speed: float) -> RunningRequest:
        """Sets the tempo, 0.5 to 3."""

    @abstractmethod
    async def set_volume(self, volume: float) -> RunningRequest:
        """Sets the loudness, 0 to 2; 1 is as made."""

    @abstractmethod
    async def set_device(self, device: DeviceName | None) -> RunningRequest:
        """Plays through another loudspeaker; None is the system's default."""

    @abstractmethod
    async def list_devices(self) -> RunningRequest:
        """Asks which loudspeakers there are; the answer is a Devices event."""
