"""Arguments that several commands share, and the kinds of values they take. Imports nothing heavy.

A line that can't be parsed is an InputError, told as every other mistake.
"""

import argparse
import importlib
import itertools
import math
import re
from collections.abc import Callable, Container
from pathlib import Path
from typing import Any, NoReturn

from pocketvoice.cli.options import freeze
from pocketvoice.errors import InputError

MODEL_NAME = "a model of `pocketvoice models list`"
TRUNCATE = "use the start of a recording of more than five minutes"
_TEMPERATURE = "variance of the noise (the model's own, mostly 0.3)"
_EOS_THRESHOLD = "end-of-speech threshold (the model's own, mostly -4)"


class Parser(argparse.ArgumentParser):
    """argparse's, with one sentence for a mistake instead of the usage."""

    commands: Container[str] = frozenset()
    """The names of the commands, of a parser that has some."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Raises InputError, also for a long option with one dash, which would be read as a short one with a value."""
        for given in itertools.takewhile(lambda one: one != "--", args or ()):
            name = given.partition("=")[0]
            if re.fullmatch(r"-[a-z][a-z-]+", name) and f"-{name}" in self._option_string_actions:
                self.error(f"{name} has one dash where two are needed: write -{name}")
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Raises InputError."""
        named = re.fullmatch(r"argument (\S+): (.*)", message, re.DOTALL)
        if named:
            option, what = max(named[1].split("/"), key=len), named[2]
            message = f"{option} {what}" if what.startswith("must") else f"{option}: {what}"
        raise InputError(f"{message[0].upper()}{message[1:]}. See `{self.prog} --help`.")


class NotHere(argparse.Action):
    """An option of the reference that means nothing here: one sentence says why."""

    def __init__(self, option_strings: list[str], dest: str, why: str) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help=argparse.SUPPRESS)
        self._why = why

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        parser.error(f"{option_string} {self._why}")


def command(module: str, function: str, kind: type) -> Callable[[argparse.Namespace], int]:
    """A command as the parser's `run`: imports its module when it runs, and hands it frozen options of `kind`."""

    def run(parsed: argparse.Namespace) -> int:
        found = getattr(importlib.import_module(f"pocketvoice.cli.{module}"), function)
        return int(found(freeze(kind, parsed)))

    run.kind = kind  # type: ignore[attr-defined]  # for the tests
    return run


def common(below: bool = True) -> Parser:
    """Options of every command, before or after its name (`below`)."""
    default = argparse.SUPPRESS if below else False
    shared = Parser(add_help=False)
    shared.add_argument("--debug", action="store_true", default=default, help="show the log and tracebacks")
    shared.add_argument("-q", "--quiet", action="store_true", default=default, help="say nothing but errors")
    return shared


def whole(least: int, most: int) -> Callable[[str], int]:
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


def real(least: float = -math.inf, *, above: bool = False) -> Callable[[str], float]:
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


def seed(text: str) -> int:
    """A seed of the noise, as argparse's `type`: 64 bits."""
    return whole(0, 2**64 - 1)(text)


def output_path(text: str) -> Path | None:
    """A file, as argparse's `type`; None for `-`, which is standard output."""
    return None if text == "-" else Path(text)


def add_json(parser: argparse.ArgumentParser, about: str = "as JSON") -> None:
    """--json."""
    parser.add_argument("--json", action="store_true", help=about)


def add_model(parser: argparse.ArgumentParser, *, any_device: bool = False, by_text: bool = False) -> None:
    """The arguments that choose a model and its arithmetic; `by_text`: the language of the text can choose it."""
    add = parser.add_argument
    parser.set_defaults(any_device=any_device)
    about = f"{MODEL_NAME}, or auto: an installed one of the text's language" if by_text else MODEL_NAME
    add("--language", "--variant", help=about)
    add("--config", help="a model config of your own: a path, https:// or hf://owner/repo/file.yaml@revision")
    about = "cpu, cuda, cuda:1, ... or mps: where the model computes (cpu)" if any_device else "cpu"
    add("--device", default="cpu", help=about)
    add("--quantize", action="store_true", help="int8 weights: less memory, faster on most machines")
    add("--no-quantize", dest="quantize", action="store_false", help=argparse.SUPPRESS)
    about = "arithmetic of the model; auto is the fastest here that is exact enough (auto)"
    add("--precision", choices=("float32", "bf16", "int8", "auto"), help=about)


def _add_sampling(add: Callable[..., Any]) -> None:
    add("--temperature", type=real(0), help=_TEMPERATURE)
    add("--eos-threshold", type=real(), help=_EOS_THRESHOLD)


def add_speech(parser: argparse.ArgumentParser) -> None:
    """The arguments of commands that speak one text: model, voice, sampling, and how the text is split."""
    add_model(parser, any_device=True, by_text=True)
    add = parser.add_argument
    add("-v", "--voice", help="a voice name, an audio file or a .safetensors voice (path or address)")
    add("--truncate", action="store_true", help=TRUNCATE)
    add("--checkpoint", help="a training checkpoint (.pt) instead of the config's weights")
    add("--sampler-decode-steps", type=whole(1, 1000), default=1, help="steps of the flow head (1)")
    add("--lsd-decode-steps", type=whole(1, 1000), help=argparse.SUPPRESS)
    _add_sampling(add)
    add("--noise-clamp", type=real(0, above=True), help="largest noise value (none)")
    add("--frames-after-eos", type=whole(0, 1000), help="80 ms frames after the end of speech")
    add("--max-tokens", type=whole(1, 1000), help="most tokens spoken at once (the model's own, mostly 50)")
    add("--seed", type=seed, help="repeats the sound exactly")
    about = "leave numbers, dates and signs to the model (`pocketvoice text` shows how they are read)"
    add("--no-normalise", action="store_true", help=about)
    add_emoji(parser)
    add("--strict", action="store_true", help="split and prepare the text exactly as the reference does")


def add_emoji(parser: argparse.ArgumentParser) -> None:
    """--emoji."""
    about = "skip emoji, or say their names (skip)"
    parser.add_argument("--emoji", choices=("skip", "name"), default="skip", help=about)


def add_engine(parser: argparse.ArgumentParser) -> None:
    """The arguments of the servers: model, default voice, sampling, and how much they do at once."""
    add_model(parser)
    add = parser.add_argument
    add("-v", "--voice", "--default-voice", help="the voice of requests that name none")
    steps = ("--sampler-decode-steps", "--lsd-decode-steps")
    add(*steps, type=whole(1, 1000), default=1, help="steps of the flow head (1)")
    _add_sampling(add)
    about = "engine processes, each with two cores' worth of work (1)"
    add("--workers", type=whole(1, 64), default=1, help=about)
    about = "characters of a text, at most (20000)"
    add("--max-text", type=whole(1, 10_000_000), default=20_000, help=about)
    about = "minutes of sound that a request may make, at most, pauses and speed counted (default: 60)"
    add("--max-sound", type=whole(1, 10_000), default=60, help=about)
    about = "texts being spoken or waiting, at most (32)"
    add("--max-requests", type=whole(1, 10_000), default=32, help=about)
