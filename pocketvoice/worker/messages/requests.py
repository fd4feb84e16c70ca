"""What the client asks of the worker: one frozen dataclass a request, plain data only.

Positions called `source` are indices of the request's text (a Python str); spans are (start, stop) of it.
"""

from dataclasses import dataclass, field

from pocketvoice.worker.messages.common import PREVIEW_TEXT, DeviceName, Priority, SamplingOptions, SeekTo


@dataclass(frozen=True)
class Request:
    """Base of all requests: what they are sent and answered under."""

    request_id: str = field(default="", kw_only=True)
    """Set by the client when it is sent."""


@dataclass(frozen=True)
class LoadModel(Request):
    """Load a model, instead of the one loaded before, which speaks on until the files are here and stays if they can't be had.

    Loading, then Ready and Finished; when the files are here, speech that was asked for before it stops.
    """

    language: str | None = None
    """A name of the catalogue; with neither this nor `config`: the best installed model."""
    config: str | None = None
    """A config of the user's: path, https:// or hf:// address."""
    precision: str | None = None
    """float32, bf16, int8 or auto; None is auto: the engine's choice, by a trial that is remembered."""
    voice: str | None = None
    """The voice that speaks where a request names none, made ready at once; None is the model's default voice."""
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    """How it draws unless a request says otherwise; None is what the model's config recommends."""


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
    """Whether it begins paused: Resume lets it be heard."""
    seed: int | None = None
    """Repeats the sound exactly (same text, voice, model and precision), also that of an Export, unless a seek or something more
    urgent broke off the making. Each part of a long text (800 letters or so) begins with the seed anew, so that beyond the first
    part it is not the sound of `generate` (Synthesize's is). The text that was spoken last is the same sound again for a while,
    with a seed or without."""
    max_tokens: int | None = None
    """The most a segment may have; None is the model's own number."""
    normalise: bool = True
    """Whether numbers, dates, signs and abbreviations are spoken in words, and the user's pronunciations count."""
    text_language: str | None = None
    """The language of the text, for that: a code (`en`, `pt-BR`) or a name; None is the model's."""
    names_emoji: bool = False
    """Whether emoji are called by their names, while `normalise` is on; else they are skipped."""


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
    """Let the sound go on with the very next sample after `Pause`."""


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


SETTINGS = (SetSpeed, SetVolume, SetDevice)
"""Requests that stay in force, after a crash too."""


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
    """Repeats the sound exactly, as for Speak."""
    max_tokens: int | None = None
    """The most a segment may have; None is the model's own number."""
    normalise: bool = True
    """Whether numbers, dates, signs and abbreviations are spoken in words, and the user's pronunciations count."""
    text_language: str | None = None
    """The language of the text, for that: a code (`en`, `pt-BR`) or a name; None is the model's."""
    names_emoji: bool = False
    """Whether emoji are called by their names, while `normalise` is on; else they are skipped."""


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
    normalise: bool = True
    """Whether numbers, dates, signs and abbreviations are spoken in words, and the user's pronunciations count."""
    text_language: str | None = None
    """The language of the text, for that: a code (`en`, `pt-BR`) or a name; None is the model's."""
    names_emoji: bool = False
    """Whether emoji are called by their names, while `normalise` is on; else they are skipped."""
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    window_s: float = 20.0
    """Seconds of sound made ahead of what was taken, at most."""
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
