"""The commands and their options, as argparse sees them. Every value is checked as far as it can be by itself.

Imports nothing heavy. A line that can't be parsed is an InputError, told as every other mistake.
"""

import argparse
import importlib
import math
import re
from collections.abc import Callable
from typing import NoReturn

from pocketvoice import __version__
from pocketvoice.cli.voices_parser import add_voices
from pocketvoice.errors import InputError

_ABOUT = "Reads any text aloud in a voice you choose, on your own computer, offline."
_NAMED = "a model of `pocketvoice models list`"
_TRUNCATE = "use the start of a recording of more than five minutes"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One sentence instead of the usage."""
        named = re.fullmatch(r"argument (\S+): (.*)", message, re.DOTALL)
        if named:
            option, what = max(named[1].split("/"), key=len), named[2]
            message = f"{option} {what}" if what.startswith("must") else f"{option}: {what}"
        raise InputError(f"{message[0].upper()}{message[1:]}. See `{self.prog} --help`.")


def build_parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    parser = _Parser(prog="pocketvoice", description=_ABOUT, parents=[_common(False)], allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"pocketvoice {__version__}")
    parser.set_defaults(run=_lazily("window", "gui"))
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    def command(name: str, module: str, about: str) -> argparse.ArgumentParser:
        added = commands.add_parser(
            name, help=about, description=about, parents=[_common()], allow_abbrev=False
        )
        added.set_defaults(run=_lazily(module, name.replace("-", "_")))
        return added

    _add_gui(command("gui", "window", "open the window (the same as no command)"))
    _add_say(command("say", "say", "speak a text through the loudspeaker"))
    _add_generate(command("generate", "generate", "write a spoken text to a WAV file"))
    _add_export_voice(command("export-voice", "export_voice", "make a voice file from a recording"))
    _add_models(command("models", "listings", "list, download and find models"))
    add_voices(command("voices", "voices", "your voices and those of the catalogue"), _common())
    _add_serve(
        command("serve", "serve", "speak for other programs: an HTTP server (OpenAI's API and others)")
    )
    _add_wyoming(command("wyoming", "wyoming", "speak for Home Assistant: a Wyoming server"))
    _add_doctor(command("doctor", "doctor", "show what this installation has and can do"))
    _add_bench(command("bench", "bench", "measure the speed on this machine"))
    return parser


def _add_gui(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", metavar="FILE", help="text files to show")
    parser.add_argument("--speak", action="store_true", help="speak them at once")
    parser.add_argument("--config", help="a model config of your own")
    parser.add_argument("-v", "--voice", help="the voice to speak with: a name, a recording, a voice file")
    about = "speak and save a text the same way each time"
    parser.add_argument("--seed", type=_whole(0, 2**64 - 1), help=about)


def _lazily(module: str, function: str) -> Callable[[argparse.Namespace], int]:
    def run(options: argparse.Namespace) -> int:
        return int(getattr(importlib.import_module(f"pocketvoice.cli.{module}"), function)(options))

    return run


def _common(below: bool = True) -> _Parser:
    """Options of every command, before or after its name."""
    default = argparse.SUPPRESS if below else False
    common = _Parser(add_help=False)
    common.add_argument("--debug", action="store_true", default=default, help="show the log and tracebacks")
    common.add_argument("-q", "--quiet", action="store_true", default=default, help="say nothing but errors")
    return common


def _whole(least: int, most: int) -> Callable[[str], int]:
    """A whole number of the range, as argparse's `type`."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"must be a whole number from {least} to {most}, not {text!r}")
        return value

    return parse


def _real(least: float = -math.inf, *, above: bool = False) -> Callable[[str], float]:
    """A finite number of at least `least`, or `above` it, as argparse's `type`."""
    wanted = "a number" if least == -math.inf else f"above {least:g}" if above else f"{least:g} or more"

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or value < least or (above and value == least):
            raise argparse.ArgumentTypeError(f"must be {wanted}, not {text!r}")
        return value

    return parse


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="as JSON")


def _add_model_options(parser: argparse.ArgumentParser, *, any_device: bool = False) -> None:
    add = parser.add_argument
    parser.set_defaults(any_device=any_device)
    add("--language", "--variant", help=_NAMED)
    add("--config", help="a model config of your own: a path, https:// or hf://owner/repo/file.yaml@revision")
    about = "cpu, cuda, cuda:1, ... or mps: where the model computes (cpu)" if any_device else "cpu"
    add("--device", default="cpu", help=about)
    add("--quantize", action="store_true", help="int8 weights: less memory, faster on most machines")
    about = "arithmetic of the model; auto is the fastest here that is exact enough (auto)"
    add("--precision", choices=("float32", "bf16", "int8", "auto"), help=about)


def _add_speech_options(parser: argparse.ArgumentParser) -> None:
    _add_model_options(parser, any_device=True)
    add = parser.add_argument
    add("-v", "--voice", help="a voice name, an audio file or a .safetensors voice (path or address)")
    add("--truncate", action="store_true", help=_TRUNCATE)
    add("--checkpoint", help="a training checkpoint (.pt) instead of the config's weights")
    add("--sampler-decode-steps", type=_whole(1, 1000), default=1, help="steps of the flow head (1)")
    add("--lsd-decode-steps", type=_whole(1, 1000), help=argparse.SUPPRESS)
    add("--temperature", type=_real(0), help="variance of the noise (the model's own, mostly 0.3)")
    add("--noise-clamp", type=_real(0, above=True), help="largest noise value (none)")
    add("--eos-threshold", type=_real(), help="end-of-speech threshold (the model's own, mostly -4)")
    add("--frames-after-eos", type=_whole(0, 1000), help="80 ms frames after the end of speech")
    add("--max-tokens", type=_whole(1, 1000), help="most tokens spoken at once (the model's own, mostly 50)")
    add("--seed", type=_whole(0, 2**64 - 1), help="repeats the sound exactly")
    add("--strict", action="store_true", help="split and prepare the text exactly as the reference does")


def _add_say(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", help="the text, or - to read it from standard input")
    _add_speech_options(parser)
    parser.add_argument("--output-device", help="a sound device by name or number (see `pocketvoice doctor`)")
    where = "the file that is written when there is no sound device (pocketvoice.wav)"
    parser.add_argument("-o", "--output-path", default="pocketvoice.wav", help=where)


def _add_generate(parser: argparse.ArgumentParser) -> None:
    about = "the text, or - to read it from standard input (a short demo text)"
    parser.add_argument("-t", "--text", help=about)
    _add_speech_options(parser)
    where = "a WAV file, or - for standard output (./tts_output.wav)"
    parser.add_argument("-o", "--output-path", "--output", default="./tts_output.wav", help=where)
    parser.add_argument("--json", action="store_true", help="print what was made as JSON")


def _add_export_voice(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("audio_path", help="a recording, a voice of yours by name, or a folder of recordings")
    parser.add_argument("export_path", help="the .safetensors file to write, or the folder to write them to")
    _add_model_options(parser, any_device=True)
    parser.add_argument("--truncate", action="store_true", help=_TRUNCATE)


def _add_models(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True, dest="action")

    def action(name: str, about: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=about, parents=[_common()], allow_abbrev=False)

    _add_json(action("list", "all models, with sizes and what is installed"))
    download = action("download", "fetch a model and its voice now, to be used offline later")
    download.add_argument("name", help=_NAMED)
    where = action("path", "where a model's files lie")
    where.add_argument("name", help=_NAMED)
    _add_json(where)


def _add_engine_options(parser: argparse.ArgumentParser) -> None:
    """Of the servers."""
    _add_model_options(parser)
    add = parser.add_argument
    add("-v", "--voice", "--default-voice", help="the voice of requests that name none")
    add("--temperature", type=_real(0), help="variance of the noise (the model's own, mostly 0.3)")
    add(
        "--sampler-decode-steps",
        "--lsd-decode-steps",
        type=_whole(1, 1000),
        default=1,
        help="steps of the flow head (1)",
    )
    add("--eos-threshold", type=_real(), help="end-of-speech threshold (the model's own, mostly -4)")
    add(
        "--workers",
        type=_whole(1, 64),
        default=1,
        help="engine processes, each with two cores' worth of work (1)",
    )
    add(
        "--max-text", type=_whole(1, 10_000_000), default=20_000, help="characters of a text, at most (20000)"
    )
    add(
        "--max-requests",
        type=_whole(1, 10_000),
        default=32,
        help="texts being spoken or waiting, at most (32)",
    )
    parser.set_defaults(checkpoint=None, truncate=False)


def _add_serve(parser: argparse.ArgumentParser) -> None:
    _add_engine_options(parser)
    add = parser.add_argument
    add("--host", default="127.0.0.1", help="address to listen at; others than 127.0.0.1 need an API key")
    add("-p", "--port", type=_whole(0, 65535), default=8000, help="port (8000); 0 takes a free one")
    add("--api-key", metavar="KEY", help="better in POCKETVOICE_API_KEY: others can read this command line")
    add("--api-key-file", metavar="FILE", help="a file with a key on each line")
    about = "a name under which the server is reached, besides its address; may be given again"
    add("--allowed-host", action="append", default=[], metavar="NAME", help=about)
    about = "a web page of another origin that may use it (https://example.org); may be given again"
    add("--cors-origin", action="append", default=[], metavar="ORIGIN", help=about)
    add("--allow-voice-urls", action="store_true", help="fetch voices by web or hub address for whoever asks")
    add(
        "--max-upload-mb",
        type=_whole(1, 1000),
        default=32,
        help="size of an uploaded recording, at most (32)",
    )
    add("--ui", choices=("standard",), default="standard", help=argparse.SUPPRESS)


def _add_wyoming(parser: argparse.ArgumentParser) -> None:
    _add_engine_options(parser)
    about = "tcp://host:port or unix:///path (tcp://127.0.0.1:10200); the protocol knows no keys"
    parser.add_argument("--uri", default="tcp://127.0.0.1:10200", help=about)


def _add_doctor(parser: argparse.ArgumentParser) -> None:
    _add_json(parser)


def _add_bench(parser: argparse.ArgumentParser) -> None:
    _add_model_options(parser)
    add = parser.add_argument
    add("--model", help="a folder with a config of the same name and voice.safetensors")
    add("-v", "--voice", help="the voice to measure with (DIR/voice.safetensors, or the default voice)")
    add("--against", choices=("reference",), help="run the reference package beside it, in turn")
    rounds = "measurements of each, of which the median counts (7)"
    add("--rounds", type=_whole(1, 1000), default=7, help=rounds)
    add("--threads", type=_whole(1, 256), default=1, help="torch threads of each (1)")
    parts = ("speed", "gaps", "cold-start", "cloning", "errors", "voices")
    add(
        "--only",
        nargs="+",
        choices=parts,
        help="the parts to measure (all but voices, a table of voice lengths and threads)",
    )
    add(
        "--long",
        type=_whole(1, 600),
        metavar="MINUTES",
        help="instead: speak so long, and tell the speed of every minute",
    )
    _add_json(parser)
