"""The options of `voices`, as argparse sees them. Imports nothing heavy."""

import argparse
from collections.abc import Callable

_NAME = "a voice of yours, by name or number"

AddAction = Callable[[str, str], argparse.ArgumentParser]


def add_voices(parser: argparse.ArgumentParser, common: argparse.ArgumentParser) -> None:
    """All actions; without one the voices are listed."""
    parser.set_defaults(action="list", json=False)
    actions = parser.add_subparsers(title="actions", metavar="ACTION", dest="action", required=False)

    def action(name: str, about: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=about, description=about, parents=[common], allow_abbrev=False)

    _json(
        action(
            "list", "all voices: yours, and those of the catalogue with the languages whose default they are"
        )
    )
    _add_making(action)
    _add_keeping(action)
    _add_moving(action)


def _add_making(action: AddAction) -> None:
    add = action(
        "add", "make a voice of a recording: any audio or video file; its best 25 seconds are chosen"
    )
    add.add_argument("file", help="the recording")
    add.add_argument(
        "--start", type=float, metavar="S", help="take the clip from here on, instead of the best part"
    )
    add.add_argument("--stop", type=float, metavar="S", help="and up to here")
    _about(add)
    record = action("record", "make a voice with the microphone: read a text aloud for 20 to 30 seconds")
    record.add_argument("--input-device", help="a microphone by name (the system's default)")
    record.add_argument("--seconds", type=float, metavar="S", help="end by itself after so much speech")
    _about(record)


def _about(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", help="what the voice is called (the file's name)")
    parser.add_argument("--language", default="", help="its language: en, fr, de, it, pt, es, nl")
    agreed = "this is my voice, or I have the speaker's permission"
    parser.add_argument("--consent", action="store_true", help=f"say that {agreed}")
    parser.add_argument("--seed", type=int, help="the take it always speaks with")
    _json(parser)


def _add_keeping(action: AddAction) -> None:
    show = action("show", "what is known of a voice, and whether its files are whole")
    show.add_argument("name", help=_NAME)
    _json(show)
    rename = action("rename", "give a voice another name")
    rename.add_argument("name", help=_NAME)
    rename.add_argument("new", help="its new name")
    duplicate = action("duplicate", "copy a voice")
    duplicate.add_argument("name", help=_NAME)
    duplicate.add_argument("new", nargs="?", help="the name of the copy")
    remove = action("remove", "move a voice to the trash")
    remove.add_argument("name", help=_NAME)
    restore = action("restore", "bring a voice back from the trash")
    restore.add_argument("name", help="a voice of `voices trash`, by name or key")
    _json(action("trash", "the voices that can be restored"))
    delete = action("delete", "delete a voice of the trash for ever")
    delete.add_argument("name", help="a voice of `voices trash`, by name or key")


def _add_moving(action: AddAction) -> None:
    export = action("export", "write a voice to one .pvoice file, for another machine")
    export.add_argument("name", help=_NAME)
    export.add_argument("file", help="the .pvoice file to write, or a folder")
    export.add_argument(
        "--without-clip", action="store_true", help="leave the recording out: it speaks with its models only"
    )
    bring = action("import", "bring in a .pvoice or .safetensors file, or a folder of them")
    bring.add_argument("file", help="the file or folder")
    bring.add_argument(
        "--model-id", default="", help="the weights that .safetensors files were made for, if they do not say"
    )
    bring.add_argument("--language", default="", help="their language, if they do not say")
    _json(bring)


def _json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="as JSON")
