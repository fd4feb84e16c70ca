"""What a worker can be asked for, as methods: each makes a message and sends it. The base of `WorkerClient`; loop's thread.

Each returns when the request was sent, not when it is done: `await (await client.speak(text)).result()` waits for that.
"""

import itertools
from abc import ABC, abstractmethod
from typing import TypeVar

from pocketvoice.worker.messages import (
    PREVIEW_TEXT,
    CloneVoice,
    DeviceName,
    Export,
    ListDevices,
    LoadModel,
    Pause,
    PlayFile,
    Preview,
    Priority,
    Request,
    Resume,
    Seek,
    SeekTo,
    SetDevice,
    SetSpeed,
    SetVolume,
    Speak,
    Synthesize,
)
from pocketvoice.worker.parent.open_requests import RequestHandle

_R = TypeVar("_R", bound=Request)


class Requests(ABC):
    """The vocabulary."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._settings: dict[type[Request], Request] = {}  # the last of each kind: a new worker is told

    @abstractmethod
    def _send(self, request: Request) -> RequestHandle:
        """Sends it and keeps account of it."""

    def _new_id(self) -> str:
        return f"r{next(self._numbers)}"

    def _set(self, request: _R) -> RequestHandle:
        self._settings[type(request)] = request
        return self._send(request)

    async def load_model(
        self,
        language: str | None = None,
        *,
        config: str | None = None,
        precision: str | None = None,
        voice: str | None = None,
        sampler_decode_steps: int = 1,
        temp: float | None = None,
        eos_threshold: float | None = None,
    ) -> RequestHandle:
        """Loads a model; what is spoken with the old one ends."""
        return self._send(
            LoadModel(
                self._new_id(),
                language=language,
                config=config,
                precision=precision,
                voice=voice,
                sampler_decode_steps=sampler_decode_steps,
                temp=temp,
                eos_threshold=eos_threshold,
            )
        )

    async def speak(
        self,
        text: str,
        *,
        voice: str | None = None,
        priority: Priority = Priority.INTERRUPT,
        start: int = 0,
        stop: int | None = None,
        paused: bool = False,
        seed: int | None = None,
        max_tokens: int | None = None,
    ) -> RequestHandle:
        """Speaks a text; see `Speak`. It may be asked for while the model is being loaded: it waits."""
        return self._send(Speak(self._new_id(), text, voice, priority, start, stop, paused, seed, max_tokens))

    async def preview(self, voice: str | None = None, text: str = PREVIEW_TEXT) -> RequestHandle:
        """Speaks a short text in a voice; what it interrupts goes on afterwards."""
        return self._send(Preview(self._new_id(), voice, text))

    async def play_file(
        self, path: str, *, start_s: float = 0.0, stop_s: float | None = None
    ) -> RequestHandle:
        """Plays a sound file, or a part of it; what it interrupts goes on afterwards."""
        return self._send(PlayFile(self._new_id(), path, start_s, stop_s))

    async def export(
        self,
        text: str,
        path: str,
        *,
        voice: str | None = None,
        speed: float = 1.0,
        seed: int | None = None,
        max_tokens: int | None = None,
    ) -> RequestHandle:
        """Speaks into a WAV file."""
        return self._send(Export(self._new_id(), text, path, voice, speed, seed, max_tokens))

    async def synthesize(
        self,
        text: str,
        *,
        voice: str | None = None,
        speed: float = 1.0,
        seed: int | None = None,
        max_tokens: int | None = None,
        temp: float | None = None,
        eos_threshold: float | None = None,
        noise_clamp: float | None = None,
        sampler_decode_steps: int | None = None,
        window_s: float = 20.0,
    ) -> RequestHandle:
        """Speaks into the caller's hands: events Synthesized, and `took` says how far they were used."""
        return self._send(
            Synthesize(
                self._new_id(),
                text,
                voice,
                speed,
                seed,
                max_tokens,
                temp,
                eos_threshold,
                noise_clamp,
                sampler_decode_steps,
                window_s,
            )
        )

    async def clone_voice(self, source: str, path: str, *, truncate: bool = False) -> RequestHandle:
        """Makes a voice file from a clip."""
        return self._send(CloneVoice(self._new_id(), source, path, truncate))

    async def pause(self) -> RequestHandle:
        """Holds the sound."""
        return self._send(Pause(self._new_id()))

    async def resume(self) -> RequestHandle:
        """Goes on with the very next sample."""
        return self._send(Resume(self._new_id()))

    async def seek(self, to: int | SeekTo) -> RequestHandle:
        """Moves the current speech."""
        return self._send(Seek(self._new_id(), to))

    async def set_speed(self, speed: float) -> RequestHandle:
        """0.5 to 3; stays in force, after a crash too."""
        return self._set(SetSpeed(self._new_id(), speed))

    async def set_volume(self, volume: float) -> RequestHandle:
        """0 to 2; stays in force, after a crash too."""
        return self._set(SetVolume(self._new_id(), volume))

    async def set_device(self, device: DeviceName | None) -> RequestHandle:
        """Another loudspeaker, None for the default; stays in force, after a crash too."""
        return self._set(SetDevice(self._new_id(), device))

    async def list_devices(self) -> RequestHandle:
        """Asks for the loudspeakers: an event Devices."""
        return self._send(ListDevices(self._new_id()))
