"""The arguments of `voices`, as argparse sees them. Imports nothing heavy."""

import argparse
from collections.abc import Callable
from pathlib import Path

from pocketvoice.cli import options
from pocketvoice.cli.arguments import add_json, command, common

_NAME = "a voice of yours, by name or number"
_IN_TRASH = "a voice of `voices trash`, by name or key"

AddAction = Callable[[str, type, str], argparse.ArgumentParser]


def add_voices(parser: argparse.ArgumentParser) -> None:
    """All actions; without one the voices are listed."""
    parser.set_defaults(run=command("voices", "show_all", options.ListOptions), json=False)
    actions = parser.add_subparsers(title="actions", metavar="ACTION", dest="action", required=False)

    def action(name: str, kind: type, about: str) -> argparse.ArgumentParser:
        added = actions.add_parser(
            name, help=about, description=about, parents=[common()], allow_abbrev=False
        )
        module, function = _PLACES[name]
        added.set_defaults(run=command(module, function, kind))
        return added

    about = "all voices: yours, and those of the catalogue with the languages whose default they are"
    add_json(action("list", options.ListOptions, about))
    _add_new(action)
    _add_changes(action)
    _add_trash(action)
    _add_packages(action)


_PLACES = {
    "list": ("voices", "show_all"), "show": ("voices", "show"), "rename": ("voices", "rename"),
    "duplicate": ("voices", "duplicate"), "remove": ("voices", "remove"), "restore": ("voices", "restore"),
    "trash": ("voices", "show_trash"), "delete": ("voices", "delete"), "export": ("voices", "export"),
    "import": ("voices", "bring_in"), "add": ("new_voice", "add"), "record": ("new_voice", "record"),
}  # fmt: skip
"""Where each action lies: module and function."""


def _add_new(action: AddAction) -> None:
    about = "make a voice of a recording: any audio or video file; its best 25 seconds are chosen"
    add = action("add", options.AddVoiceOptions, about)
    add.add_argument("file", type=Path, help="the recording")
    start = "take the clip from here on, instead of the best part"
    add.add_argument("--start", type=float, metavar="S", help=start)
    add.add_argument("--stop", type=float, metavar="S", help="and up to here")
    _add_description(add)
    about = "make a voice with the microphone: read a text aloud for 20 to 30 seconds"
    record = action("record", options.RecordVoiceOptions, about)
    record.add_argument("--input-device", help="a microphone by name (the system's default)")
    record.add_argument("--seconds", type=float, metavar="S", help="end by itself after so much speech")
    _add_description(record)


def _add_description(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", help="what the voice is called (the file's name)")
    parser.add_argument("--language", default="", help="its language: en, fr, de, it, pt, es, nl")
    agreed = "this is my voice, or I have the speaker's permission"
    parser.add_argument("--consent", action="store_true", help=f"say that {agreed}")
    parser.add_argument("--seed", type=int, help="the take it always speaks with")
    add_json(parser)


def _add_changes(action: AddAction) -> None:
    show = action("show", options.NamedOptions, "what is known of a voice, and whether its files are whole")
    show.add_argument("name", help=_NAME)
    add_json(show)
    rename = action("rename", options.RenameVoiceOptions, "give a voice another name")
    rename.add_argument("name", help=_NAME)
    rename.add_argument("new", help="its new name")
    duplicate = action("duplicate", options.RenameVoiceOptions, "copy a voice")
    duplicate.add_argument("name", help=_NAME)
    duplicate.add_argument("new", nargs="?", help="the name of the copy")


def _add_trash(action: AddAction) -> None:
    remove = action("remove", options.NamedOptions, "move a voice to the trash")
    remove.add_argument("name", help=_NAME)
    restore = action("restore", options.NamedOptions, "bring a voice back from the trash")
    restore.add_argument("name", help=_IN_TRASH)
    add_json(action("trash", options.ListOptions, "the voices that can be restored"))
    delete = action("delete", options.NamedOptions, "delete a voice of the trash for ever")
    delete.add_argument("name", help=_IN_TRASH)


def _add_packages(action: AddAction) -> None:
    about = "write a voice to one .pvoice file, for another machine"
    export = action("export", options.ExportVoicePackageOptions, about)
    export.add_argument("name", help=_NAME)
    export.add_argument("file", type=Path, help="the .pvoice file to write, or a folder")
    about = "leave the recording out: it speaks with its models only"
    export.add_argument("--without-clip", action="store_true", help=about)
    about = "bring in a .pvoice or .safetensors file, or a folder of them"
    bring = action("import", options.ImportVoicesOptions, about)
    bring.add_argument("file", type=Path, help="the file or folder")
    about = "the weights that .safetensors files were made for, if they do not say"
    bring.add_argument("--model-id", default="", help=about)
    bring.add_argument("--language", default="", help="their language, if they do not say")
    add_json(bring)
