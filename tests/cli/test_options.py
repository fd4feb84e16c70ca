"""The frozen options: every argument of every command is a field of its options, and nothing wanders on beside them."""

import argparse
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from pocketvoice.cli import options
from pocketvoice.cli.options import freeze
from pocketvoice.cli.parser import build_parser

UNUSED = {"help", "version", "ui", "action", argparse.SUPPRESS}
"""--ui is the reference's and means nothing here; the names of commands and actions choose the parser that knows its `run`."""


def commands(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The parsers of all commands and actions."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from commands(below)


def fields(kind: type) -> Iterator[str]:
    """The names of all fields, nested ones included."""
    hints = get_type_hints(kind)
    for each in dataclasses.fields(kind):
        if dataclasses.is_dataclass(hints[each.name]):
            yield from fields(hints[each.name])
        else:
            yield each.name


def parsed(*arguments: str) -> Any:
    given = build_parser().parse_args(arguments)
    return freeze(given.run.kind, given)


@pytest.mark.parametrize(
    "parser",
    [each for each in commands(build_parser()) if each.get_default("run")],
    ids=lambda each: each.prog,
)
def test_every_argument_is_a_field(parser: argparse.ArgumentParser) -> None:
    arguments = {action.dest for action in parser._actions} - UNUSED
    assert arguments <= set(fields(parser.get_default("run").kind)), parser.prog


def test_options_are_frozen_and_rich() -> None:
    said = parsed(
        "say", "Hello.", "--language", "french", "-v", "estelle", "--seed", "3", "-o", "a.wav", "-q"
    )
    assert said == options.SayOptions(
        text="Hello.",
        speaker=options.SpeakerOptions(
            model=options.ModelOptions(language="french", any_device=True), voice="estelle"
        ),
        speech=options.SpeechOptions(seed=3),
        output_path=Path("a.wav"),
        quiet=True,
    )
    with pytest.raises(dataclasses.FrozenInstanceError):
        said.text = "Good-bye."


def test_standard_output_is_no_path() -> None:
    assert parsed("generate", "-o", "-").output_path is None
    assert parsed("generate").output_path == Path("tts_output.wav")


def test_lists_become_tuples() -> None:
    served = parsed("serve", "--allowed-host", "a.example", "--allowed-host", "b.example", "--workers", "2")
    assert (served.allowed_host, served.cors_origin) == (("a.example", "b.example"), ())
    assert served.engine.workers == 2
    assert parsed("bench", "--only", "speed", "gaps").only == ("speed", "gaps")


def test_no_command_is_the_window() -> None:
    assert parsed("-q") == options.GuiOptions(quiet=True)
    assert parsed("gui", "a.txt", "--speak") == options.GuiOptions(files=(Path("a.txt"),), speak=True)


def test_no_action_lists_the_voices() -> None:
    assert parsed("voices") == parsed("voices", "list") == options.ListOptions()


def test_seed_of_the_voice_is_a_default() -> None:
    assert options.SpeechOptions().with_default_seed(7).seed == 7
    assert options.SpeechOptions(seed=3).with_default_seed(7).seed == 3
