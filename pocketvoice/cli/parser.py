"""The commands and their arguments, as argparse sees them. Every value is checked as far as it can be by itself.

Imports nothing heavy: each command names the module it lies in and the frozen options it takes, and is imported when it runs.
"""

import argparse
from pathlib import Path

from pocketvoice import __version__
from pocketvoice.cli import options
from pocketvoice.cli.arguments import (
    MODEL_NAME,
    TRUNCATE,
    NotHere,
    Parser,
    add_emoji,
    add_engine,
    add_json,
    add_model,
    add_speech,
    command,
    common,
    output_path,
    seed,
    whole,
)
from pocketvoice.cli.book_parser import add_book
from pocketvoice.cli.voices_parser import add_voices

_ABOUT = "Reads any text aloud in a voice you choose, on your own computer, offline."


def build_parser() -> Parser:
    """All commands and their arguments; `run` of what it parses is the command."""
    parser = Parser(prog="pocketvoice", description=_ABOUT, parents=[common(below=False)], allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"pocketvoice {__version__}")
    parser.set_defaults(run=command("gui", "gui", options.GuiOptions))
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    def add(name: str, about: str) -> argparse.ArgumentParser:
        return commands.add_parser(
            name, help=about, description=about, parents=[common()], allow_abbrev=False
        )

    _add_gui(add("gui", "open the window (the same as no command)"))
    _add_say(add("say", "speak a text through the loudspeaker"))
    _add_generate(add("generate", "write a spoken text to a sound file"))
    add_book(add("book", "make an audiobook of a document"))
    _add_text(add("text", "show how a text is read: numbers, dates and signs in words"))
    _add_export_voice(add("export-voice", "make a voice file from a recording"))
    _add_models(add("models", "list, download and find models"))
    add_voices(add("voices", "your voices and those of the catalogue"))
    _add_serve(add("serve", "speak for other programs: an HTTP server (OpenAI's API and others)"))
    _add_wyoming(add("wyoming", "speak for Home Assistant: a Wyoming server"))
    _add_doctor(add("doctor", "show what this installation has and can do"))
    _add_bench(add("bench", "measure the speed on this machine"))
    # What `book` starts; without a help of its own the list does not show it.
    engine = commands.add_parser("book-engine", parents=[common()], allow_abbrev=False)
    engine.set_defaults(run=command("book_engine", "book_engine", options.BookEngineOptions))
    parser.commands = frozenset(commands.choices)
    return parser


def _add_gui(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=command("gui", "gui", options.GuiOptions))
    parser.add_argument(
        "files", nargs="*", type=Path, metavar="FILE", help="documents to read, voices, sounds"
    )
    parser.add_argument("--speak", action="store_true", help="speak them at once")
    parser.add_argument("--config", help="a model config of your own")
    parser.add_argument("-v", "--voice", help="the voice to speak with: a name, a recording, a voice file")
    parser.add_argument("--seed", type=seed, help="speak and save a text the same way each time")


def _add_say(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=command("say", "say", options.SayOptions))
    parser.add_argument("text", help="the text, or - to read it from standard input")
    add_speech(parser)
    parser.add_argument("--output-device", help="a sound device by name or number (see `pocketvoice doctor`)")
    where = "the file that is written when there is no sound device (pocketvoice.wav)"
    parser.add_argument("-o", "--output-path", type=output_path, default="pocketvoice.wav", help=where)


def _add_generate(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=command("generate", "generate", options.GenerateOptions))
    about = "the text, or - to read it from standard input (a short demo text)"
    parser.add_argument("-t", "--text", help=about)
    add_speech(parser)
    where = "a .wav, .flac, .mp3, .ogg or .opus file, or - for standard output (./tts_output.wav)"
    names = ("-o", "--output-path", "--output")
    parser.add_argument(*names, type=output_path, default="./tts_output.wav", help=where)
    add_json(parser, "print what was made as JSON")


def _add_text(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=command("text", "text", options.TextOptions))
    parser.add_argument("file", help="a text file, or - for standard input")
    about = "en, fr, de, pt, it, es or nl, or auto: guessed line by line (en)"
    parser.add_argument("--language", dest="text_language", default="en", help=about)
    parser.add_argument("-v", "--voice", default="", help="a voice whose pronunciations count, too")
    add_emoji(parser)
    add_json(parser, "what each thing is taken for, and where it stands, as JSON: a line for every line")


def _add_export_voice(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=command("export_voice", "export_voice", options.ExportVoiceOptions))
    parser.add_argument("audio_path", help="a recording, a voice of yours by name, or a folder of recordings")
    target = "the .safetensors file to write, or the folder to write them to"
    parser.add_argument("export_path", type=Path, help=target)
    add_model(parser, any_device=True)
    parser.add_argument("--truncate", action="store_true", help=TRUNCATE)


def _add_models(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True, dest="action")

    def action(name: str, function: str, kind: type, about: str) -> argparse.ArgumentParser:
        added = actions.add_parser(name, help=about, parents=[common()], allow_abbrev=False)
        added.set_defaults(run=command("models", function, kind))
        return added

    listed = action("list", "show_all", options.ListOptions, "all models, with sizes and what is installed")
    add_json(listed)
    about = "fetch a model and its voice now, to be used offline later"
    download = action("download", "download", options.NamedOptions, about)
    download.add_argument("name", help=MODEL_NAME)
    where = action("path", "show_path", options.NamedOptions, "where a model's files lie")
    where.add_argument("name", help=MODEL_NAME)
    add_json(where)


def _add_serve(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=command("serve", "serve", options.ServeOptions))
    add_engine(parser)
    add = parser.add_argument
    add("--host", default="127.0.0.1", help="address to listen at; others than 127.0.0.1 need an API key")
    add("-p", "--port", type=whole(0, 65535), default=8000, help="port (8000); 0 takes a free one")
    add("--api-key", metavar="KEY", help="better in POCKETVOICE_API_KEY: others can read this command line")
    add("--api-key-file", type=Path, metavar="FILE", help="a file with a key on each line")
    about = "a name under which the server is reached, besides its address; may be given again"
    add("--allowed-host", action="append", default=[], metavar="NAME", help=about)
    about = "a web page of another origin that may use it (https://example.org); may be given again"
    add("--cors-origin", action="append", default=[], metavar="ORIGIN", help=about)
    add("--allow-voice-urls", action="store_true", help="fetch voices by web or hub address for whoever asks")
    about = "size of an uploaded recording, at most (32)"
    add("--max-upload-mb", type=whole(1, 1000), default=32, help=about)
    add("--ui", choices=("standard",), default="standard", help=argparse.SUPPRESS)
    add("--reload", action=NotHere, why="is for people who change the program's code: leave it out")


def _add_wyoming(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=command("wyoming", "wyoming", options.WyomingOptions))
    add_engine(parser)
    about = "tcp://host:port or unix:///path (tcp://127.0.0.1:10200); the protocol knows no keys"
    parser.add_argument("--uri", default="tcp://127.0.0.1:10200", help=about)


def _add_doctor(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=command("doctor", "doctor", options.ListOptions))
    add_json(parser)


def _add_bench(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=command("bench", "bench", options.BenchOptions))
    add_model(parser)
    add = parser.add_argument
    about = "a folder with a config of the same name and voice.safetensors"
    add("--model", dest="folder", metavar="MODEL", type=Path, help=about)
    add("-v", "--voice", help="the voice to measure with (DIR/voice.safetensors, or the default voice)")
    add("--against", choices=("reference",), help="run the reference package beside it, in turn")
    about = "measurements of each, of which the median counts (7)"
    add("--rounds", type=whole(1, 1000), default=7, help=about)
    add("--threads", type=whole(1, 256), default=1, help="torch threads of each (1)")
    parts = ("speed", "gaps", "cold-start", "cloning", "errors", "voices")
    about = "the parts to measure (all but voices, a table of voice lengths and threads)"
    add("--only", nargs="+", choices=parts, default=[], help=about)
    about = "instead: speak so long, and tell the speed of every minute"
    add("--long", type=whole(1, 600), metavar="MINUTES", help=about)
    add_json(parser)
