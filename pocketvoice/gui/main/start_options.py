"""What the desktop program is started with: files, texts and choices for this start alone."""

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pocketvoice.gui.controllers.single_instance import Handover


@dataclass(frozen=True)
class StartOptions:
    """The command line of the desktop program."""

    files: tuple[str, ...] = ()
    """Documents to read; voices to bring in, or a sound to make one of."""
    speak: bool = False
    """Whether to speak the texts at once."""
    config: str | None = None
    """Path or address of the config of a model of the user's own."""
    voice: str | None = None
    """Name, recording or voice file to speak with; not remembered."""
    seed: int | None = None
    """With it a text is spoken and saved the same way each time."""


def parse(arguments: Sequence[str] | None) -> StartOptions:
    """Reads the command line; None is that of the process. Ends the process if it makes no sense."""
    parser = argparse.ArgumentParser(prog="pocketvoice", description="Opens the window.")
    parser.add_argument("files", nargs="*", metavar="FILE", help="documents to read; voices and sounds")
    parser.add_argument("--speak", action="store_true", help="speak them at once")
    parser.add_argument(
        "--config", metavar="CONFIG", help="a model of your own: path or address of its config"
    )
    parser.add_argument(
        "--voice", metavar="VOICE", help="voice to speak with: a name, a recording, a voice file"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="speak and save a text the same way each time")
    given = vars(parser.parse_args(arguments))
    return StartOptions(**(given | {"files": tuple(given["files"])}))


def handover(files: Iterable[str], speak: bool) -> Handover:
    """What the program with the window is to open: it reads the files, for it can say which of them can't be read, and why."""
    return Handover(speak=speak, files=tuple(str(Path(name).absolute()) for name in files))
