"""A text to its spoken form: cut into pieces, put into plain characters, freed of marks, read."""

from collections.abc import Iterator

from pocketvoice.errors import UnknownNameError
from pocketvoice.text.normalise.canonical import canonical
from pocketvoice.text.normalise.chunks import pieces
from pocketvoice.text.normalise.languages import LANGUAGES
from pocketvoice.text.normalise.markup import without_marks
from pocketvoice.text.normalise.scanner import scanner_of
from pocketvoice.text.normalise.spoken import Spoken, joined
from pocketvoice.text.normalise.style import Style
from pocketvoice.text.traced import TracedText

_DEFAULT = Style()


def normalise(text: str, language: str, style: Style = _DEFAULT) -> Spoken:
    """The whole text as it is spoken in `language` (`en`, `pt-BR`: the part before the dash counts).

    Raises UnknownNameError for a language that is none of LANGUAGES.
    """
    return joined(normalised_paragraphs(text, language, style))


def normalised_paragraphs(text: str, language: str, style: Style = _DEFAULT) -> Iterator[Spoken]:
    """The same in pieces, each worked on when it is asked for; their texts put together are the whole one's."""
    scanner = scanner_of(_known(language), style)
    return (scanner.say(_readable(text, start, stop)) for start, stop in pieces(text))


def _readable(text: str, start: int, stop: int) -> TracedText:
    return without_marks(canonical(TracedText.of(text, start, stop)))


def _known(language: str) -> str:
    code = language.lower().split("-")[0].split("_")[0]
    if code not in LANGUAGES:
        names = ", ".join(LANGUAGES)
        raise UnknownNameError(
            f"No language {language!r} to read numbers in: choose one of {names}.", suggestions=LANGUAGES
        )
    return code
