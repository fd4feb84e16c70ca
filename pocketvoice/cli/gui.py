"""`gui`, and no command at all: the desktop app. Where there is no screen to open it on, the help and a sentence instead."""

import os
import sys

from pocketvoice.cli import streams
from pocketvoice.cli.options import GuiOptions
from pocketvoice.errors import InputError

_NO_SCREEN = "There is no screen to open the window on: use the commands above."


def gui(options: GuiOptions) -> int:
    """Opens the window and runs until it is closed."""
    if not _has_screen():
        if options.files:
            raise InputError(
                f"There is no screen to open {options.files[0].name} on: `pocketvoice say - < TEXT` reads a text aloud."
            )
        from pocketvoice.cli.parser import build_parser

        build_parser().print_help()
        streams.show(f"pocketvoice: {_NO_SCREEN}", error=True)
        return 0
    from pocketvoice import app

    return app.main(_arguments_of_app(options))


def _has_screen() -> bool:
    """On Linux Qt ends the process where it finds none."""
    named = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
    return named or not sys.platform.startswith("linux")


def _arguments_of_app(options: GuiOptions) -> list[str]:
    """The options as the app's own command line takes them."""
    arguments = [str(path) for path in options.files]
    for name, value in (("config", options.config), ("voice", options.voice), ("seed", options.seed)):
        if value is not None:
            arguments += [f"--{name}", str(value)]
    return [*arguments, "--speak"] if options.speak else arguments
