"""What requests and events have in common: places in a text, limits, states, errors as data, options of the process.

Plain data: frozen dataclasses and enums that pickle. Knows no process, no engine and no loop.
"""

import enum
import traceback
from dataclasses import dataclass
from typing import Self

from pocketvoice import errors
from pocketvoice.errors import GenerationError, InputError, PocketVoiceError

Span = tuple[int, int]

MIN_SPEED, MAX_SPEED = 0.5, 3.0
MAX_VOLUME = 2.0
MIN_SYNTHESIS_SPEED, MAX_SYNTHESIS_SPEED = 0.25, 4.0
PREVIEW_TEXT = "Hello! This is how I sound when I read your texts aloud."
UNFORESEEN = "Something went wrong inside: try again."
"""Said of an error that nobody foresaw."""


class WorkerState(enum.Enum):
    """What the worker is doing, as the client sees it; only `WorkerClient._change` sets it."""

    STARTING = "starting"
    """The process was started and has not reported yet. Requests are taken and wait."""
    LOADING = "loading"
    """The model is being downloaded or read. Requests are taken and wait."""
    IDLE = "idle"
    """It waits for requests."""
    BUSY = "busy"
    """It speaks, exports or makes a voice."""
    STOPPED = "stopped"
    """It was closed, or has not been opened yet."""
    CRASHED = "crashed"
    """It died. It is being started again, unless that happened three times in a minute: then `restart` does it."""


class Priority(enum.Enum):
    """What a new speech does to the others."""

    INTERRUPT = "interrupt"
    """Replaces all of them: what is speaking or waiting ends as Stopped."""
    ENQUEUE = "enqueue"
    """Waits for its turn behind all others."""
    NOW_THEN_RESUME = "now-then-resume"
    """Speaks at once; what it interrupted goes on afterwards, at the start of the broken sentence."""


class SeekTo(enum.Enum):
    """A neighbour to jump to."""

    PREVIOUS = "previous"
    """The start of the sentence before; of this one if more than two seconds of it were heard."""
    NEXT = "next"
    """The start of the next sentence; after the last one the speech ends."""


class OutputKind(enum.Enum):
    """Which device the worker plays through."""

    DEVICE = "device"
    """A loudspeaker, through the sound system."""
    NULL = "null"
    """Nowhere, by the clock: an ideal device, for tests and computers without sound."""
    NULL_VIRTUAL = "null-virtual"
    """Nowhere, as fast as it is made."""


@dataclass(frozen=True)
class DeviceName:
    """A loudspeaker by what stays the same when devices come and go."""

    name: str
    host_api: str = ""
    """The sound system it belongs to (ALSA, Core Audio, Windows WASAPI ...); "" is any."""


@dataclass(frozen=True)
class SamplingOptions:
    """How the model draws each frame; None is what it was loaded with."""

    temp: float | None = None
    """Variance of the noise, 0 or more."""
    eos_threshold: float | None = None
    """The logit above which speech ends."""
    noise_clamp: float | None = None
    """The noise is truncated to +-this."""
    sampler_decode_steps: int | None = None
    """Steps of the flow head."""


@dataclass(frozen=True)
class ErrorInfo:
    """An error as data: foreign exceptions never cross the border."""

    kind: str
    """Name of its class: one of `pocketvoice.errors`, or "WorkerCrashed", or a foreign name (our bug)."""
    message: str
    """One sentence for the user, with the remedy."""
    detail: str = ""
    """For the log: the foreign words, a traceback."""

    @classmethod
    def from_exception(
        cls, exc: BaseException, sentence: str = UNFORESEEN, *, kind: str = "", trace: bool = False
    ) -> Self:
        """An exception as data.

        One of ours keeps its kind, sentence and detail; with `trace` the detail tells where it came from, too. Of any other one
        the user is told `sentence`, its traceback is the detail, and `kind`, if given, stands for the name of its class.
        """
        name = type(exc).__name__
        if not isinstance(exc, PocketVoiceError):
            return cls(kind or name, sentence, _trace_of(exc))
        return cls(name, exc.message, f"{exc.detail}\n\n{_trace_of(exc)}".strip() if trace else exc.detail)

    def to_exception(self) -> PocketVoiceError:
        """The exception again, to be raised here; what is not in `pocketvoice.errors` is a GenerationError."""
        found = getattr(errors, self.kind, None)
        if isinstance(found, type) and issubclass(found, PocketVoiceError):
            return found(self.message, detail=self.detail)
        return GenerationError(self.message, detail=self.detail)


@dataclass(frozen=True)
class WorkerOptions:
    """How a worker process is set up; the same again after a crash."""

    output: OutputKind = OutputKind.DEVICE
    threads: int = 1
    """torch threads per operator; engine stages have threads of their own beside that."""
    nice: int = 3
    """How much its priority is lowered."""
    log_level: int = 20
    """The least level of log records that are sent to the parent (logging.INFO)."""
    store_s: float = 900.0
    """Seconds of synthesised sound kept for going back."""
    heard_path: str | None = None
    """With a null output: at the end all that was heard is written here (.npy, float32). For tests."""


def within(value: float, least: float, most: float, what: str) -> float:
    """The value; raises InputError if it is not between the two."""
    if not least <= value <= most:  # NaN too
        raise InputError(f"The {what} must be from {least:g} to {most:g}, not {value:g}.")
    return value


def _trace_of(exc: BaseException) -> str:
    return "".join(traceback.format_exception(exc)).strip()
