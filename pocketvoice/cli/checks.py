"""What can be told before anything heavy is loaded: a mistake is reported in the time it takes to start Python.

Checks what the user typed against itself, the catalogue and the disk; loads neither torch, unless another device than the CPU
is asked for, nor, unless a recording is given as voice, numpy. What only the loaded model knows, the engine checks.
"""

import errno
import os
import sys
from pathlib import Path

from pocketvoice.cli.options import ModelOptions, SpeakerOptions
from pocketvoice.cli.progress import tell
from pocketvoice.engine import state_file
from pocketvoice.engine.checks import device, is_cpu
from pocketvoice.errors import (
    EmptyTextError,
    InputError,
    MissingFileError,
    UnknownNameError,
    from_os_error,
)
from pocketvoice.hub import catalogue
from pocketvoice.hub.source import LocalFile, parse
from pocketvoice.voices.library import open_library
from pocketvoice.worker.child.own_voices import find_own
from pocketvoice.worker.heavy_imports import heavy_imports


def check_model(options: ModelOptions) -> None:
    """Raises InputError if the options that name a model contradict each other, or name what is not there."""
    check_device(options)
    if options.quantize and options.precision not in (None, "int8"):
        raise InputError(f"--quantize means int8, which contradicts --precision {options.precision}.")
    if options.config is not None and options.language is not None:
        raise InputError("Give either --language or --config, not both.")
    if options.language is not None:
        catalogue.entry(options.language)
    for option, given in (("config", options.config), ("checkpoint", options.checkpoint)):
        if given is not None and is_missing(given):
            raise MissingFileError(f"There is no file {given} for --{option}: check the path.")


def check_device(options: ModelOptions) -> None:
    """Raises InputError unless --device is one that this command computes on, and that is there."""
    device(options.device)
    if is_cpu(options.device):
        return
    if not options.any_device:
        raise InputError(
            f"This command computes on the CPU, not on {options.device}: use cpu, or the command generate, say or export-voice."
        )
    if options.quantize or options.precision == "int8":
        raise InputError(f"int8 is computed on the CPU only: with {options.device} use float32 or bf16.")
    with heavy_imports():
        from pocketvoice.engine.devices import find
    find(options.device)


def is_missing(source: str) -> bool:
    """Whether `source` is a path, and nothing lies there."""
    place = parse(source)
    return isinstance(place, LocalFile) and not os.path.exists(place.path)  # noqa: PTH110 - False for any text


def check_voice(options: SpeakerOptions) -> int | None:
    """Checks --voice: a name, a readable recording or voice file, or an address. Raises InputError.

    Returns the seed that a voice of the user's always speaks with; None for other voices, and for one without a seed.
    """
    voice, is_custom = options.voice, options.model.is_custom
    if voice is None:
        return None
    if voice in catalogue.voice_names():
        if is_custom:
            raise InputError(
                f"The voice {voice!r} was prepared for the models of the catalogue, not for weights of your own: "
                "give the voice as a recording or a voice file instead."
            )
        return None
    local = None if is_custom else _of_local_model(options.model.language, voice)
    if local == voice:
        return None
    own = find_own(open_library(), voice)
    if own is not None:
        return own.seed
    if local is not None:
        return None
    place = parse(voice)
    if isinstance(place, LocalFile):
        check_voice_file(voice, place.path, truncate=options.truncate)
    return None


def _of_local_model(language: str | None, voice: str) -> str | None:
    """The voice of a local model that is called so, by its name or by the one for people."""
    entry = catalogue.entry(language or catalogue.default_language())
    return catalogue.local_voice(entry.name, voice) if entry.is_local else None


def check_voice_file(named: str, path: Path, *, truncate: bool) -> None:
    """Checks a recording or a voice file on this disk; raises InputError."""
    if not os.path.exists(path):  # noqa: PTH110 - False for any text, also one too long for a name
        if not any(sign in named for sign in "/\\."):
            _check_own_names(named)
            catalogue.voice_clip_source(named)  # no path at all: the error with suggestions
        raise MissingFileError(f"Voice file {named} does not exist: check the path.")
    if path.is_dir():
        raise InputError(f"The voice {named} is a folder: give a recording or a voice file.")
    if path.suffix == state_file.SUFFIX:
        with state_file.opened(path, "np"):
            return  # whether it fits the model is seen when that is loaded
    if path.is_fifo():
        return  # it can be read once only
    from pocketvoice.audio.clip import load_clip

    load_clip(path, truncate=truncate)


def _check_own_names(named: str) -> None:
    """Raises UnknownNameError if, of all names, the one most like it is a voice of the user's."""
    import difflib

    library = open_library()
    own = [voice.name for voice in library.voices()]
    if set(difflib.get_close_matches(named, [*own, *catalogue.voice_names()], n=1, cutoff=0.5)) & set(own):
        library.get(named)


def text_of(given: str, *, strict: bool = False) -> str:
    """The text to be spoken; `-` reads it from standard input. Raises EmptyTextError, and InputError if it is not UTF-8."""
    from pocketvoice.text.pauses import SPEAKABLE

    text = _standard_input() if given == "-" else given
    try:
        text.encode()
    except UnicodeEncodeError as exc:
        raise InputError("The text is not UTF-8: check the encoding of the terminal or the script.") from exc
    if not text.strip():
        raise EmptyTextError("There is no text to speak: give some, or pipe it in with -.")
    if not strict and not SPEAKABLE.search(text):
        raise EmptyTextError("The text holds nothing that can be spoken: no letter and no digit.")
    return text


def tell_unknown_letters(text: str, options: ModelOptions, *, quiet: bool) -> None:
    """Tells that most of a text is in letters that the model does not know."""
    from pocketvoice.text.alphabet import unknown_letters

    language = catalogue.language_to_load(options.language, options.config or options.checkpoint)
    found = unknown_letters(text, catalogue.language_code(language))
    if found is not None:
        tell(found.sentence, quiet=quiet)


def _standard_input() -> str:
    data = sys.stdin.buffer.read()
    has_utf16_mark = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        return data.decode("utf-16" if has_utf16_mark else "utf-8-sig")
    except UnicodeDecodeError as exc:
        raise InputError(
            f"The text on standard input is not UTF-8 (at byte {exc.start}): convert it first, "
            "for example with `iconv -f latin1 -t utf-8`.",
            detail=str(exc),
        ) from exc


def check_sound_kind(path: Path) -> None:
    """Raises InputError if the name asks for a kind of sound file that is not written."""
    from pocketvoice.audio.saving import kind_of

    kind_of(path)


def check_writable(path: Path) -> None:
    """Raises OutputError if the file can't be made: before a minute of work, not after it."""
    folder = path.absolute().parent
    try:
        exists = path.exists()
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not folder.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if not os.access(path if exists else folder, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as exc:  # a name that is too long is found out by `exists`
        raise from_os_error(exc, path) from exc


def known_model(name: str) -> catalogue.ModelEntry:
    """The catalogue's entry of a model that is given by name; UnknownNameError speaks of models."""
    try:
        return catalogue.entry(name)
    except UnknownNameError as exc:
        sentence = exc.message.replace("no language", "no model", 1)
        raise UnknownNameError(sentence, suggestions=exc.suggestions) from exc
