"""Everything that crosses the process border: one frozen dataclass a message, plain data only, each with a request id.

Requests go from the client to the worker, events come back. Every request ends in exactly one event of `TERMINAL`
(Finished, Stopped or Failed), also when the worker dies: then the client writes it. Events that belong to no request have the
id "". Positions called `source` are indices of the request's text (a Python str); spans are (start, stop) of it.
"""

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pocketvoice.audio.chunk import AudioChunk

Span = tuple[int, int]

MIN_SPEED, MAX_SPEED = 0.5, 3.0
MAX_VOLUME = 2.0
MIN_SYNTHESIS_SPEED, MAX_SYNTHESIS_SPEED = 0.25, 4.0
PREVIEW_TEXT = "Hello! This is how I sound when I read your texts aloud."


class WorkerState(enum.Enum):
    """What the worker is doing, as the client sees it; only `WorkerClient._change` sets it."""

    STARTING = "starting"
    """The process was started and has not reported yet. Requests are taken and wait."""
    LOADING = "loading"
    """The model is being downloaded or read. Requests are taken and wait."""
    IDLE = "idle"
    """Nothing to do."""
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
    """Where the sound goes."""

    DEVICE = "device"
    """The loudspeaker."""
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
class ErrorInfo:
    """An error as data: foreign exceptions never cross the border."""

    kind: str
    """Name of its class: one of `pocketvoice.errors`, or "WorkerCrashed", or a foreign name (our bug)."""
    message: str
    """One sentence for the user, with the remedy."""
    detail: str = ""
    """For the log: the foreign words, a traceback."""


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


# ---------------------------------------------------------------- requests


@dataclass(frozen=True)
class Request:
    """Base of all requests."""

    request_id: str


@dataclass(frozen=True)
class LoadModel(Request):
    """Load a model, instead of the one loaded before. Speech stops. Loading, then Ready and Finished."""

    language: str | None = None
    """A name of the catalogue; with neither this nor `config`: the best installed model."""
    config: str | None = None
    """A config of the user's: path, https:// or hf:// address."""
    precision: str | None = None
    """float32, bf16, int8 or auto; None is auto: the engine's choice, by a trial that is remembered."""
    voice: str | None = None
    """The voice that speaks where a request names none, made ready at once; None is the model's default voice."""
    sampler_decode_steps: int = 1
    temp: float | None = None
    eos_threshold: float | None = None


@dataclass(frozen=True)
class Speak(Request):
    """Speak a text: Queued if it must wait, Started, then SentenceStarted, Position, Level, Buffering ... and one terminal."""

    text: str
    voice: str | None = None
    """A voice name, a clip or a .safetensors state; None is the voice of LoadModel."""
    priority: Priority = Priority.INTERRUPT
    start: int = 0
    """Index in `text` to begin at: the sentence that holds it. What stands before can be reached with Seek."""
    stop: int | None = None
    """Index in `text` to end at; None is the end."""
    paused: bool = False
    """Begin paused."""
    seed: int | None = None
    """Repeats the sound exactly (same text, voice, model and precision), also that of an Export, unless a seek or something more
    urgent broke off the making. Each part of a long text (800 letters or so) begins with the seed anew, so that beyond the first
    part it is not the sound of `generate` (Synthesize's is). The text that was spoken last is the same sound again for a while,
    with a seed or without."""
    max_tokens: int | None = None
    """The most a segment may have; None is the model's own number."""


@dataclass(frozen=True)
class Preview(Request):
    """Speak a short text in a voice, at once; what it interrupts goes on afterwards (`Priority.NOW_THEN_RESUME`)."""

    voice: str | None = None
    text: str = PREVIEW_TEXT


@dataclass(frozen=True)
class PlayFile(Request):
    """Play a sound file at its own speed, at once; what it interrupts goes on afterwards. Started, Position (`heard_s`, counted
    from `start_s`), Level, and one terminal. Needs no model."""

    path: str
    start_s: float = 0.0
    stop_s: float | None = None
    """Seconds of the file; None is its end."""


@dataclass(frozen=True)
class Stop(Request):
    """End a request (Stopped); its sound fades out within 10 ms. Finished, also if there was nothing to stop."""

    target_id: str | None = None
    """Its id; None is every speech, spoken or waiting. Exports and clones are stopped by id alone."""


@dataclass(frozen=True)
class Pause(Request):
    """Hold the sound; `Resume` goes on with the very next sample. Stays in force for the next speech in the queue."""


@dataclass(frozen=True)
class Resume(Request):
    """Go on after `Pause`."""


@dataclass(frozen=True)
class Seek(Request):
    """Move the current speech; Failed if nothing is spoken."""

    to: int | SeekTo
    """An index of the text, or a neighbour."""


@dataclass(frozen=True)
class SetSpeed(Request):
    """Tempo without change of pitch, 0.5 to 3; also while speaking, and for everything spoken afterwards."""

    speed: float


@dataclass(frozen=True)
class SetVolume(Request):
    """0 (silent) to 2 (twice as loud, with a limiter); also while speaking, and for everything spoken afterwards."""

    volume: float


@dataclass(frozen=True)
class SetDevice(Request):
    """Play through another loudspeaker, from the next moment on; None is the system's default."""

    device: DeviceName | None


@dataclass(frozen=True)
class ListDevices(Request):
    """Ask which loudspeakers there are: Devices, then Finished."""


@dataclass(frozen=True)
class CloneVoice(Request):
    """Make a voice state from a clip and write it to a file: VoiceCloned, then Finished. Waits for speech being made."""

    source: str
    """An audio file, or the name of a catalogue voice."""
    path: str
    """Where the .safetensors file goes."""
    truncate: bool = False
    """Take the start of a clip of more than five minutes instead of refusing it."""


@dataclass(frozen=True)
class Export(Request):
    """Speak into a WAV file, as fast as it goes and beside any speech, which has the model first: ExportProgress, then Finished."""

    text: str
    path: str
    voice: str | None = None
    speed: float = 1.0
    seed: int | None = None
    """As for Speak."""
    max_tokens: int | None = None
    """The most a segment may have; None is the model's own number."""


@dataclass(frozen=True)
class Synthesize(Request):
    """Speak into the client's hands: Synthesized ... and one terminal. Several take turns, a segment each, and speech goes first.

    Nothing is made beyond `window_s` seconds (and the segment begun) that the client has not said it took (`Taken`).
    """

    text: str
    voice: str | None = None
    speed: float = 1.0
    """Tempo without change of pitch, 0.25 to 4."""
    seed: int | None = None
    """Repeats the sound of `generate` with the same seed; None is the one chosen for a voice of the user's, or any."""
    max_tokens: int | None = None
    """The most a segment may have; None is the model's own number."""
    temp: float | None = None
    """Variance of the noise; this and the three below: None is what the model was loaded with."""
    eos_threshold: float | None = None
    noise_clamp: float | None = None
    sampler_decode_steps: int | None = None
    window_s: float = 20.0
    skip: int = 0
    """Samples that the client has already: they are made again, and not sent. After a crash."""


@dataclass(frozen=True)
class Taken(Request):
    """The client has used a synthesis up to a position: there is room for more. Finished, also if it has ended."""

    target_id: str
    position: int
    """Samples used, counted from the start."""


@dataclass(frozen=True)
class Shutdown(Request):
    """End the process: what is not finished ends as Stopped."""


# ---------------------------------------------------------------- events


@dataclass(frozen=True)
class Event:
    """Base of all events."""

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
    """Its name."""
    fraction: float
    """0 to 1."""


@dataclass(frozen=True)
class Ready(Event):
    """A model is loaded."""

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
    """Speeches before it."""
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
    """The sentence being heard."""
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
    """For the user."""


@dataclass(frozen=True)
class ExportProgress(Event):
    """How far an export is."""

    fraction: float
    """0 to 1, by the text."""
    sound_s: float
    """Seconds written."""


@dataclass(frozen=True)
class Synthesized(Event):
    """The next piece of a synthesis."""

    chunk: "AudioChunk"
    position: int
    """Samples before it."""
    seed: int
    """With which the same sound is made again."""


@dataclass(frozen=True)
class VoiceCloned(Event):
    """A voice was made."""

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
    """The loudspeakers there are."""

    devices: tuple[DeviceEntry, ...]


@dataclass(frozen=True)
class DeviceChanged(Event):
    """The sound goes elsewhere now, because it was asked for or because the device was lost (id of the speech, or "").

    Comes too when no device is left; the speech fails if none is found in eight seconds.
    """

    device: DeviceName | None
    """None is the system's default."""
    sentence: str
    """For the user."""


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
