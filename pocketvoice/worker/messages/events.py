"""What the worker tells the client: one frozen dataclass an event, plain data only, each with the id of its request.

Every request ends in exactly one event of `TERMINAL`, also when the worker dies: then the client writes it. Events that belong to
no request have the id "".
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pocketvoice.worker.messages.common import DeviceName, ErrorInfo, Span, WorkerState

if TYPE_CHECKING:
    from pocketvoice.audio.chunk import AudioChunk


@dataclass(frozen=True)
class Event:
    """Base of all events: which request they belong to."""

    request_id: str


@dataclass(frozen=True)
class Hello(Event):
    """The process runs and takes requests (id ""). For the client alone."""

    pid: int


@dataclass(frozen=True)
class Alive(Event):
    """Twice a second, so that a frozen worker is noticed (id ""). For the client alone."""

    busy: bool


@dataclass(frozen=True)
class StateChanged(Event):
    """The client's own event (id ""): `old` -> `new`, with a sentence for the user where something happened."""

    old: WorkerState
    new: WorkerState
    sentence: str = ""


@dataclass(frozen=True)
class Loading(Event):
    """A file of the model or the voice is being downloaded; at most ten times a second."""

    file: str
    done_bytes: int
    total_bytes: int | None
    bytes_per_second: float


@dataclass(frozen=True)
class PreparingVoice(Event):
    """A voice of the user's is being made ready for the loaded model, once: some seconds. Comes at 0 and at 1 at the least."""

    voice: str
    """Name of the voice."""
    fraction: float
    """How much of it is done, 0 to 1."""


@dataclass(frozen=True)
class Ready(Event):
    """A model is loaded: what it is, and how fast on this machine."""

    model_id: str
    language: str | None
    """Its name in the catalogue; None for a config of the user's."""
    precision: str
    sample_rate: int
    cloning: bool
    """Whether it can make voices from clips."""
    cloning_reason: str
    """One sentence: which weights are loaded, and why."""
    default_voice: str
    """The voice that speaks where a request names none."""
    real_time_factor: float | None
    """Seconds of sound made in a second, measured at the start; None if its voice could not be had yet."""


@dataclass(frozen=True)
class Queued(Event):
    """It waits: for the model to load, or behind other speeches."""

    ahead: int
    """How many speeches come before it."""
    loading: bool
    """Whether the model is being loaded."""


@dataclass(frozen=True)
class Started(Event):
    """Its turn has come. Comes again with `resumed` when it goes on after an interruption or a crash."""

    sentences: tuple[Span, ...]
    """What will be spoken, in order, as spans of the text. Of a long text the later ones are parts of some ten sentences; where
    they are split is told by SentenceStarted."""
    resumed: bool = False


@dataclass(frozen=True)
class SentenceStarted(Event):
    """The ear begins to hear a sentence (after a seek as well)."""

    span: Span
    index: int
    """Its number among the sentences, from 0."""


@dataclass(frozen=True)
class Position(Event):
    """What is heard right now, by the device's own clock; 20 times a second while sound moves."""

    span: Span
    """The sentence being heard, as a span of the text."""
    source: int
    """Index in the text, in proportion to the time within the sentence (exact at its start)."""
    heard_s: float
    """Seconds of speech from the text's start to here, at speed 1; sentences not made yet are estimated."""
    total_s: float
    """Seconds of the whole text at speed 1, estimated where not made yet."""
    remaining_s: float
    """Seconds until the end at the present speed."""
    made_s: float
    """Seconds of sound made beyond this position without a hole, at speed 1."""


@dataclass(frozen=True)
class Level(Event):
    """Loudness of what is heard, 20 times a second while there is sound; -60 or less is silence."""

    peak_dbfs: float
    rms_dbfs: float


@dataclass(frozen=True)
class PausedChanged(Event):
    """The player was paused or goes on (id of the current speech, or "")."""

    paused: bool


@dataclass(frozen=True)
class Buffering(Event):
    """The model is slower than the speech: sound is being collected so that it does not break off. 0 s: it goes on."""

    seconds: float
    """About how long that takes."""
    sentence: str
    """For the user: what is happening."""


@dataclass(frozen=True)
class ExportProgress(Event):
    """How far an export is."""

    fraction: float
    """0 to 1, by the text."""
    sound_s: float
    """Seconds of sound written."""


@dataclass(frozen=True)
class Synthesized(Event):
    """The next piece of a synthesis."""

    chunk: "AudioChunk"
    position: int
    """How many samples come before it, from the start."""
    seed: int
    """With which the same sound is made again."""


@dataclass(frozen=True)
class VoiceCloned(Event):
    """A voice was made, and its file is in its place."""

    path: str
    notes: tuple[str, ...]
    """Sentences for the user on how the clip was cut."""


@dataclass(frozen=True)
class DeviceEntry:
    """A loudspeaker in a list."""

    device: DeviceName
    is_default: bool


@dataclass(frozen=True)
class Devices(Event):
    """The loudspeakers there are, in the sound system's order."""

    devices: tuple[DeviceEntry, ...]


@dataclass(frozen=True)
class DeviceChanged(Event):
    """The sound goes elsewhere now, because it was asked for or because the device was lost (id of the speech, or "").

    Comes too when no device is left; the speech fails if none is found in eight seconds.
    """

    device: DeviceName | None
    """None is the system's default."""
    sentence: str
    """For the user: what is happening."""


@dataclass(frozen=True)
class LogRecord(Event):
    """A line of the worker's log (id ""). The client gives it to the parent's logger of the same name."""

    logger: str
    level: int
    message: str


@dataclass(frozen=True)
class Stats:
    """What a request came to."""

    sound_s: float = 0.0
    """Seconds of sound made for it."""
    made_in_s: float = 0.0
    """Seconds the model worked on that."""
    first_sound_s: float | None = None
    """From the arrival of the request at the worker to its first sample in the device's hands (its turn, if it waited)."""
    underruns: int = 0
    """How often the sound broke off because it was not made in time."""
    text_tokens: int = 0
    """Tokens of text that the model read; counted for a synthesis."""

    @property
    def real_time_factor(self) -> float | None:
        """Seconds of sound made in a second."""
        return self.sound_s / self.made_in_s if self.made_in_s > 0 else None


@dataclass(frozen=True)
class Finished(Event):
    """The end of a request: all was done; a speech was heard to its last sample."""

    stats: Stats = field(default_factory=Stats)


@dataclass(frozen=True)
class Stopped(Event):
    """The end of a request: someone stopped it, or another took its place."""

    source: int | None = None
    """For a speech: the start of the sentence that was being heard."""
    stats: Stats = field(default_factory=Stats)


@dataclass(frozen=True)
class Failed(Event):
    """The end of a request: it could not be done."""

    error: ErrorInfo
    source: int | None = None
    """For a speech: the start of the sentence that was being heard; speak from there to go on."""


Terminal = Finished | Stopped | Failed
TERMINAL = (Finished, Stopped, Failed)
