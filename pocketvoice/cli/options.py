"""What each command was asked for: frozen options, made of the parsed line at the door. Imports nothing heavy.

Fields are called as the arguments are that fill them (`freeze`); groups that several commands share are nested. Inside the
commands no `argparse.Namespace` is known.
"""

import argparse
import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar, get_type_hints

Precision = Literal["float32", "bf16", "int8", "auto"]
BenchPart = Literal["speed", "gaps", "cold-start", "cloning", "errors", "voices"]

Options = TypeVar("Options")


def freeze(kind: type[Options], parsed: argparse.Namespace) -> Options:
    """Options of `kind` with the values of the parsed line; what the line does not know keeps its default."""
    hints, values = get_type_hints(kind), {}
    for each in dataclasses.fields(kind):  # type: ignore[arg-type]
        if dataclasses.is_dataclass(hints[each.name]):
            values[each.name] = freeze(hints[each.name], parsed)
        elif hasattr(parsed, each.name):
            values[each.name] = _frozen(getattr(parsed, each.name))
    return kind(**values)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """Which model is loaded, where it computes, and how it samples. None is the model's own value."""

    language: str | None = None
    """A model of the catalogue, by name; None is the best installed one."""
    config: str | None = None
    """A model config instead of a name: a path or an address."""
    checkpoint: str | None = None
    """A training checkpoint instead of the config's weights: a path or an address."""
    device: str = "cpu"
    """Where it computes: cpu, cuda, cuda:1, ... or mps."""
    any_device: bool = False
    """Whether this command can compute elsewhere than on the CPU."""
    quantize: bool = False
    """int8 weights: the same as `precision="int8"`."""
    precision: Precision | None = None
    """Arithmetic of the model; None is auto, or int8 with `quantize`."""
    temperature: float | None = None
    """Variance of the noise, 0 or more."""
    sampler_decode_steps: int = 1
    """Steps of the flow head for a frame."""
    lsd_decode_steps: int | None = None
    """The reference's old name of `sampler_decode_steps`."""
    noise_clamp: float | None = None
    """Largest noise value, above 0; None clamps nothing."""
    eos_threshold: float | None = None
    """Logit above which speech ends."""

    @property
    def is_custom(self) -> bool:
        """Whether the weights are the user's own: voices of the catalogue do not fit them."""
        return self.config is not None or self.checkpoint is not None


@dataclass(frozen=True, kw_only=True)
class SpeakerOptions:
    """A model and the voice it speaks with."""

    model: ModelOptions = field(default_factory=ModelOptions)
    voice: str | None = None
    """A name, a recording or a voice file (path or address); None is the model's default voice."""
    truncate: bool = False
    """Use the start of a recording of more than five minutes instead of refusing it."""


@dataclass(frozen=True, kw_only=True)
class SpeechOptions:
    """How a text is spoken. None is the model's own value."""

    max_tokens: int | None = None
    """Most tokens of a segment."""
    frames_after_eos: int | None = None
    """Frames of 80 ms that follow the end of speech."""
    seed: int | None = None
    """Repeats the sound exactly; None is another sound each time."""
    strict: bool = False
    """Split and prepare the text exactly as the reference does."""
    no_normalise: bool = False
    """Leave numbers, dates and signs to the model, and the user's pronunciations out."""
    emoji: Literal["skip", "name"] = "skip"
    """Whether emoji are called by their names."""

    def with_default_seed(self, seed: int | None) -> "SpeechOptions":
        """The same, with `seed` where none was asked for."""
        return self if self.seed is not None else dataclasses.replace(self, seed=seed)


@dataclass(frozen=True, kw_only=True)
class CommandOptions:
    """What every command takes."""

    quiet: bool = False
    """Tell nothing but errors."""
    debug: bool = False
    """Show the log and tracebacks."""


@dataclass(frozen=True, kw_only=True)
class GuiOptions(CommandOptions):
    """`gui`, and no command at all."""

    files: tuple[Path, ...] = ()
    """Text files to show, recordings and voices."""
    speak: bool = False
    """Speak them at once."""
    config: str | None = None
    """A model config of the user's: a path or an address."""
    voice: str | None = None
    """The voice to speak with: a name, a recording or a voice file."""
    seed: int | None = None
    """Speaks and saves a text the same way each time."""


@dataclass(frozen=True, kw_only=True)
class SayOptions(CommandOptions):
    """`say`."""

    text: str
    """The text itself, or `-` for standard input."""
    speaker: SpeakerOptions
    speech: SpeechOptions
    output_device: str | None = None
    """A sound device by name or number; None is the system's default."""
    output_path: Path | None
    """The WAV file that is written where there is no sound device; None is standard output."""


@dataclass(frozen=True, kw_only=True)
class GenerateOptions(CommandOptions):
    """`generate`."""

    text: str | None = None
    """The text itself, or `-` for standard input; None is a demo text of the model's language."""
    speaker: SpeakerOptions
    speech: SpeechOptions
    output_path: Path | None
    """The WAV file; None is standard output."""
    json: bool = False
    """Print what was made as JSON."""


@dataclass(frozen=True, kw_only=True)
class BookOptions(CommandOptions):
    """`book`."""

    file: Path
    """The document."""
    output: Path | None = None
    """The audiobook, or a folder for a file a chapter; None is an M4B beside the document."""
    speaker: SpeakerOptions
    speech: SpeechOptions
    heading_voice: str | None = None
    """The voice of headings; None is that of the text."""
    quote_voice: str | None = None
    """The voice of quotes that stand by themselves; None is that of the text."""
    format: str | None = None
    """Of the files in a folder, without a dot; None is mp3."""
    title: str | None = None
    """Instead of the document's own."""
    author: str | None = None
    """Instead of the document's own."""
    cover: Path | None = None
    """A picture instead of the document's own."""
    loudness: float | None = -19.0
    """LUFS; None leaves it as it is."""
    subtitles: tuple[str, ...] = ()
    """Kinds of texts with times that are written beside."""
    skip: tuple[str, ...] = ()
    """Kinds of blocks that are not read."""
    jobs: int | None = None
    """Processes that speak at a time; None is as many as are worth it."""
    dry_run: bool = False
    """Tell length and problems, and speak nothing."""
    until_stdin_ends: bool = False
    """End at once when standard input does; the same command goes on later."""
    json: bool = False
    """Print progress and result as lines of JSON."""


@dataclass(frozen=True, kw_only=True)
class BookEngineOptions(CommandOptions):
    """`book-engine`, which `book` starts."""


@dataclass(frozen=True, kw_only=True)
class TextOptions(CommandOptions):
    """`text`."""

    file: str
    """A text file, or `-` for standard input."""
    text_language: str
    """The language it is read in: a code or a name, or `auto`."""
    voice: str = ""
    """Whose pronunciations count beside those for all."""
    emoji: Literal["skip", "name"] = "skip"
    """Whether emoji are called by their names."""
    json: bool = False
    """Print what each thing was taken for and where it stands, as JSON."""


@dataclass(frozen=True, kw_only=True)
class ExportVoiceOptions(CommandOptions):
    """`export-voice`."""

    audio_path: str
    """A recording (path or address), a folder of recordings, or a voice by name."""
    export_path: Path
    """The voice file to write, or the folder to write voice files to."""
    model: ModelOptions
    truncate: bool = False
    """Use the start of a recording of more than five minutes instead of refusing it."""


@dataclass(frozen=True, kw_only=True)
class ListOptions(CommandOptions):
    """Commands that only show something: `doctor`, `models list`, `voices list`, `voices trash`."""

    json: bool = False
    """Print it as JSON."""


@dataclass(frozen=True, kw_only=True)
class NamedOptions(CommandOptions):
    """Commands on one thing: `models download` and `path`; `voices show`, `remove`, `restore` and `delete`."""

    name: str
    """A model's name; a voice's name or number; for what is in the trash its name or key."""
    json: bool = False
    """Print what there is to tell as JSON."""


@dataclass(frozen=True, kw_only=True)
class NewVoiceOptions:
    """What is kept with a voice that is made."""

    name: str | None = None
    """What it is called; None is the file's name."""
    language: str = ""
    """Its language as a code of two letters; "" is unknown."""
    consent: bool = False
    """The user says that the speaker has agreed."""
    seed: int | None = None
    """The take it always speaks with."""
    json: bool = False
    """Print the voice as JSON."""


@dataclass(frozen=True, kw_only=True)
class AddVoiceOptions(CommandOptions):
    """`voices add`."""

    file: Path
    """The recording."""
    start: float | None = None
    """Where the clip begins, in seconds; without `start` and `stop` the best part is chosen."""
    stop: float | None = None
    """Where the clip ends, in seconds."""
    voice: NewVoiceOptions


@dataclass(frozen=True, kw_only=True)
class RecordVoiceOptions(CommandOptions):
    """`voices record`."""

    input_device: str | None = None
    """A microphone by a part of its name; None is the system's default."""
    seconds: float | None = None
    """End after so many seconds of speech; None ends with Enter."""
    voice: NewVoiceOptions


@dataclass(frozen=True, kw_only=True)
class RenameVoiceOptions(CommandOptions):
    """`voices rename` and `voices duplicate`."""

    name: str
    """The voice, by name or number."""
    new: str | None = None
    """Its new name, or the copy's; None finds one for a copy."""


@dataclass(frozen=True, kw_only=True)
class ExportVoicePackageOptions(CommandOptions):
    """`voices export`."""

    name: str
    """The voice, by name or number."""
    file: Path
    """The .pvoice file to write, or a folder."""
    without_clip: bool = False
    """Leave the recording out."""


@dataclass(frozen=True, kw_only=True)
class ImportVoicesOptions(CommandOptions):
    """`voices import`."""

    file: Path
    """A .pvoice or .safetensors file, or a folder of them."""
    model_id: str = ""
    """The weights that .safetensors files were made for, if they do not say."""
    language: str = ""
    """Their language, if they do not say."""
    json: bool = False
    """Print what was brought in as JSON."""


@dataclass(frozen=True, kw_only=True)
class EngineOptions:
    """What both servers take: a model with its voice, and how much they do at once."""

    speaker: SpeakerOptions
    workers: int = 1
    """Engine processes."""
    max_text: int = 20_000
    """Characters of a text, at most."""
    max_sound: int = 60
    """Minutes of sound that a request may make, at most."""
    max_requests: int = 32
    """Texts being spoken or waiting, at most."""


@dataclass(frozen=True, kw_only=True)
class ServeOptions(CommandOptions):
    """`serve`."""

    engine: EngineOptions
    host: str = "127.0.0.1"
    """Address to listen at."""
    port: int = 8000
    """Port to listen at; 0 is a free one."""
    api_key: str | None = None
    """A key that requests must bring; None is that of the environment, if there is one."""
    api_key_file: Path | None = None
    """A file with a key on each line."""
    allowed_host: tuple[str, ...] = ()
    """Names under which the server is reached, besides its address."""
    cors_origin: tuple[str, ...] = ()
    """Origins whose web pages may use it."""
    allow_voice_urls: bool = False
    """Fetch voices by address for whoever asks."""
    max_upload_mb: int = 32
    """Size of an uploaded recording, at most, in MiB."""


@dataclass(frozen=True, kw_only=True)
class WyomingOptions(CommandOptions):
    """`wyoming`."""

    engine: EngineOptions
    uri: str = "tcp://127.0.0.1:10200"
    """Where to listen: tcp://host:port or unix:///path."""


@dataclass(frozen=True, kw_only=True)
class BenchOptions(CommandOptions):
    """`bench`."""

    speaker: SpeakerOptions
    folder: Path | None = None
    """A folder with a config of the same name and voice.safetensors, instead of a model and a voice."""
    against: Literal["reference"] | None = None
    """The package that is measured beside ours."""
    rounds: int = 7
    """Measurements of each part, of which the median counts."""
    threads: int = 1
    """torch threads of each contender."""
    only: tuple[BenchPart, ...] = ()
    """The parts to measure; none are the usual ones."""
    long: int | None = None
    """Instead of the parts: minutes of speech, of which every minute is told."""
    json: bool = False
    """Print the report as JSON."""
