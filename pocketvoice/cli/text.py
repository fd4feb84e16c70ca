"""`text`: what will be spoken of a text, a line for every line; with `--json` what each thing was taken for and where it stands."""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pocketvoice.cli import checks, streams
from pocketvoice.errors import InputError, MissingFileError
from pocketvoice.text.normalise import Kind, Spoken, normalise


def text(options: argparse.Namespace) -> int:
    """Prints the spoken form of `options.file` (`-` is standard input) in `options.language`."""
    source = _read(options.file)
    for number, (start, line) in enumerate(_lines(source), 1):
        spoken = normalise(line, options.language)
        said = " ".join(spoken.text.split())
        if options.json:
            print(json.dumps(_as_row(number, start, line, spoken, said), ensure_ascii=False))
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


def _lines(source: str) -> Iterator[tuple[int, str]]:
    """Where each line begins, and the line without its end."""
    start = 0
    for line in source.splitlines(keepends=True):
        yield start, line.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029")
        start += len(line)


def _as_row(number: int, start: int, line: str, spoken: Spoken, said: str) -> dict[str, Any]:
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
    return {"line": number, "source": line, "spoken": said, "kinds": kinds, "words": words, "notes": notes}


def _moved(span: tuple[int, int], start: int) -> list[int]:
    """A span of a line as one of the whole source."""
    return [start + span[0], start + span[1]]
