"""`gui`, and no command at all: the desktop app. Where there is no screen to open it on, the help and a sentence instead."""

import argparse
import os
import sys

from pocketvoice.cli import parser


def gui(options: argparse.Namespace) -> int:
    """Opens the window and runs until it is closed."""
    if not _has_screen():
        parser.build_parser().print_help()
        print(
            "pocketvoice: There is no screen to open the window on: use the commands above.", file=sys.stderr
        )
        return 0
    from pocketvoice import app

    return app.main(_for_app(options))


def _has_screen() -> bool:
    """On Linux Qt ends the process where it finds none."""
    named = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
    return named or not sys.platform.startswith("linux")


def _for_app(options: argparse.Namespace) -> list[str]:
    given = vars(options)  # without a command it has none of these
    arguments = [*given.get("files", [])]
    for name in ("config", "voice", "seed"):
        if given.get(name) is not None:
            arguments += [f"--{name}", str(given[name])]
    return [*arguments, "--speak"] if given.get("speak") else arguments
