"""What a book will come to, told before anything is spoken: length, size, and what may disappoint. Pure functions."""

from collections.abc import Iterator
from dataclasses import dataclass

from pocketvoice.book.formats import BookFormat
from pocketvoice.book.script import Chapter, Script
from pocketvoice.text.alphabet import unknown_letters

LETTERS_PER_S = 14.5
"""Of speech, about: what is spoken of a text is longer than the text where it has numbers."""
_LONG_CHAPTER_S = 2 * 3600.0
_MOST_CHAPTERS = 255  # players that read the chapters in MP4's older form count them in a byte


@dataclass(frozen=True)
class Estimate:
    """About how long a book will be."""

    seconds: float
    chapters: tuple[float, ...]
    """Of each chapter, seconds."""


def estimate(script: Script) -> Estimate:
    """The length of the speech, by the letters and the pauses."""
    chapters = tuple(_seconds(chapter) for chapter in script.chapters)
    return Estimate(sum(chapters), chapters)


def size_bytes(seconds: float, book_format: BookFormat) -> int:
    """About how large the files will be."""
    return int(seconds * book_format.bytes_per_second)


def problems(script: Script, language: str) -> Iterator[str]:
    """Sentences, one a problem; `language` is the code of the model's."""
    letters = unknown_letters(script.text, language)
    if letters is not None:
        yield letters.sentence
    else:
        for chapter in script.chapters:
            found = unknown_letters("\n".join(passage.text for passage in chapter.passages), language)
            if found is not None:
                yield f"“{chapter.title}” is mostly in {found.alphabet} letters, which the model was not made for."
    for chapter in script.chapters:
        length_s = _seconds(chapter)
        if length_s > _LONG_CHAPTER_S:
            yield f"“{chapter.title}” is very long (about {length_s / 3600:.1f} hours): players find their place worse in it."
    if len(script.chapters) == 1:
        yield "No chapters were found: the book is one piece."
    elif len(script.chapters) > _MOST_CHAPTERS:
        yield f"There are {len(script.chapters)} chapters: some players show only the first {_MOST_CHAPTERS}."
    if script.tables:
        what = "1 table is" if script.tables == 1 else f"{script.tables} tables are"
        yield f"{what} read out row by row: `--skip tables` leaves tables out."


def _seconds(chapter: Chapter) -> float:
    return chapter.letters / LETTERS_PER_S + sum(passage.pause_after_s for passage in chapter.passages)
