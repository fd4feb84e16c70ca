"""The arguments of `book`. Imports nothing heavy."""

import argparse
from pathlib import Path

from pocketvoice.cli import options
from pocketvoice.cli.arguments import TRUNCATE, add_json, add_model, command, real, seed, whole

_SUBTITLES = ("srt", "vtt", "lrc")
_SKIPPABLE = ("tables", "footnotes", "code", "captions", "quotes")
_FORMATS = ("m4b", "mp3", "opus", "flac")


def add_book(parser: argparse.ArgumentParser) -> None:
    """All of them."""
    parser.set_defaults(run=command("book", "book", options.BookOptions))
    add = parser.add_argument
    add("file", type=Path, help="the document: EPUB, PDF, DOCX, HTML, Markdown, text and more")
    about = (
        "a .m4b, .mp3, .opus or .flac file, or a folder for a file a chapter (an .m4b beside the document)"
    )
    add("-o", "--output", type=Path, metavar="FILE|DIR", help=about)
    add("--format", choices=_FORMATS, help="of the files in a folder (mp3)")
    add_model(parser, any_device=True, by_text=True)
    add("-v", "--voice", help="a voice name, an audio file or a .safetensors voice (path or address)")
    add("--heading-voice", metavar="VOICE", help="another voice for headings")
    add("--quote-voice", metavar="VOICE", help="another voice for quotes that are paragraphs of their own")
    add("--truncate", action="store_true", help=TRUNCATE)
    add("--title", help="instead of the document's own")
    add("--author", help="instead of the document's own")
    add("--cover", type=Path, metavar="PICTURE", help="a JPEG or PNG (an EPUB's own cover)")
    add("--loudness", type=_loudness, default=-19.0, metavar="LUFS", help="how loud it is, or off (-19)")
    add(
        "--subtitles",
        action="append",
        choices=_SUBTITLES,
        default=[],
        help="when each sentence is heard, beside the sound; may be given again",
    )
    add("--skip", action="append", choices=_SKIPPABLE, default=[], help="leave these out; may be given again")
    add("--temperature", type=real(0), help="variance of the noise (the model's own, mostly 0.3)")
    add("--seed", type=seed, help="another reading of the same text (0)")
    about = "leave numbers, dates and signs to the model (`pocketvoice text` shows how they are read)"
    add("--no-normalise", action="store_true", help=about)
    add(
        "--jobs",
        type=whole(1, 64),
        help="processes that speak at a time (one a core); the sound is the same with any number",
    )
    add("--dry-run", action="store_true", help="tell the length and what may go wrong, and speak nothing")
    add("--until-stdin-ends", action="store_true", help=argparse.SUPPRESS)  # for the window
    add_json(parser, "progress and result as lines of JSON")


def _loudness(text: str) -> float | None:
    if text == "off":
        return None
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not -40.0 <= value <= -5.0:
        raise argparse.ArgumentTypeError(f"must be from -40 to -5, or off, not {text!r}")
    return value
