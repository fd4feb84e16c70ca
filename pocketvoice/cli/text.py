"""`text`: what will be spoken of a text, a line for every line; with `--json` what each thing was taken for and where it stands."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pocketvoice.cli import checks, streams
from pocketvoice.cli.options import TextOptions
from pocketvoice.errors import InputError, MissingFileError
from pocketvoice.text.normalise import LANGUAGES, Kind, Normaliser, Spoken, Style, language_code
from pocketvoice.text.normalise.guess import guessed_language
from pocketvoice.text.pronunciations import UserPronunciations

_FALLBACK = "en"
"""Of lines whose language can't be guessed, before one that can."""


def text(options: TextOptions) -> int:
    """Prints the spoken form of `options.file` line by line, each as soon as it is known."""
    rules = UserPronunciations().rules()
    rules = rules and rules.for_voice(options.voice)
    style = Style(emoji="named" if options.emoji == "name" else "skipped")
    normalisers: dict[str, Normaliser] = {}
    for number, (start, line, language) in enumerate(_lines(_read(options.file), options.text_language), 1):
        if language not in normalisers:
            normalisers[language] = Normaliser(language, rules, style=style)
        spoken = normalisers[language].line(line, 0, len(line))
        said = " ".join(spoken.text.split())
        if options.json:
            print(json.dumps(_as_row(number, start, line, language, spoken, said), ensure_ascii=False))
        else:
            streams.show(said)
    return 0


def _read(name: str) -> str:
    if name == "-":
        return checks.text_of("-", strict=True)
    path = Path(name)
    try:
        data = path.read_bytes()
    except FileNotFoundError as exc:
        raise MissingFileError(f"The text file {name} does not exist: check the path.") from exc
    except OSError as exc:
        raise InputError(
            f"The text file {name} can't be read: {exc.strerror or exc}.", detail=str(exc)
        ) from exc
    try:
        return data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as exc:
        raise InputError(
            f"{name} is not UTF-8 (at byte {exc.start}): convert it first, for example with `iconv -f latin1 -t utf-8`.",
            detail=str(exc),
        ) from exc


def _lines(source: str, language: str) -> Iterator[tuple[int, str, str]]:
    """Where each line begins, the line without its end, and the code of its language."""
    start, code = 0, _FALLBACK if language == "auto" else language_code(language)
    for line in source.splitlines(keepends=True):
        if language == "auto":
            code = guessed_language(line, LANGUAGES) or code
        yield start, line.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"), code
        start += len(line)


def _as_row(number: int, start: int, line: str, language: str, spoken: Spoken, said: str) -> dict[str, Any]:
    """The line's words with their places in the whole source, and its notes."""
    words = [
        {
            "text": word.text,
            "kind": str(word.kind),
            "span": _moved(word.span, start),
            "source": line[slice(*word.span)],
        }
        for word in spoken.words()
    ]
    kinds = [str(kind) for kind in spoken.kinds() if kind is not Kind.WORD]
    notes = [{"message": note.message, "span": _moved(note.span, start)} for note in spoken.notes]
    return {
        "line": number, "language": language, "source": line, "spoken": said, "kinds": kinds, "words": words, "notes": notes,
    }  # fmt: skip


def _moved(span: tuple[int, int], start: int) -> list[int]:
    """A span of a line as one of the whole source."""
    return [start + span[0], start + span[1]]
