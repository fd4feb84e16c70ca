"""A text to its spoken form: cut into pieces, put into plain characters, freed of marks, read."""

import re
from collections.abc import Iterator
from dataclasses import replace

from pocketvoice.text.normalise.canonical import canonical
from pocketvoice.text.normalise.chunks import pieces
from pocketvoice.text.normalise.emoji_names import named as emoji_named
from pocketvoice.text.normalise.languages import language_code
from pocketvoice.text.normalise.markup import without_marks
from pocketvoice.text.normalise.rules import PronunciationRules, RunningRules
from pocketvoice.text.normalise.scanner import Scanner, only_replaced, scanner_of
from pocketvoice.text.normalise.spoken import Note, Spoken, joined
from pocketvoice.text.normalise.style import Style
from pocketvoice.text.traced import TracedText

_DEFAULT = Style()
_CUT_WORD = re.compile(
    r"(?<=[^\W\d_])[-\u2010]?\u00ad?(?<=[-\u2010\u00ad])[ \t]*(?:\r\n|[\n\r\u2028\x85])\s*(?=[a-zà-ÿ])"
)
"""Between the parts of a word that was cut at the end of a line."""
_QUOTED_LINE = re.compile(r"((?:\r\n|[\n\r])[ \t]*)(?:>(?!\d)[ \t]?){1,10}")
_LINE_ENDS = dict.fromkeys(map(ord, "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"), " ")


def normalise(
    text: str,
    language: str,
    rules: PronunciationRules | None = None,
    voice: str = "",
    style: Style = _DEFAULT,
) -> Spoken:
    """The whole text as it is spoken in `language` (`en`, `pt-BR`: the part before the dash counts).

    `rules` are the user's pronunciations, of which those for `language` and `voice` count. Raises UnknownNameError for a
    language that is none of LANGUAGES.
    """
    return joined(normalised_paragraphs(text, language, rules, voice, style))


def normalised_paragraphs(
    text: str,
    language: str,
    rules: PronunciationRules | None = None,
    voice: str = "",
    style: Style = _DEFAULT,
) -> Iterator[Spoken]:
    """The same in pieces, each worked on when it is asked for; their texts put together are the whole one's."""
    normaliser = Normaliser(language, rules, voice, style)
    return (normaliser.piece(text, start, stop) for start, stop in pieces(text))


class Normaliser:
    """Normalises the parts of one text as they come; not shared between texts nor threads."""

    def __init__(
        self,
        language: str,
        rules: PronunciationRules | None = None,
        voice: str = "",
        style: Style = _DEFAULT,
    ) -> None:
        """Raises UnknownNameError for a language that is none of LANGUAGES; with "" only the rules count."""
        code = language and language_code(language)
        self._scanner = scanner_of(code, style) if code else None
        self._running = rules.running(code, voice) if rules else None

    def piece(self, text: str, start: int, stop: int) -> Spoken:
        """One of `pieces(text)`."""
        return _said(TracedText.of(text, start, stop), self._scanner, self._running)

    def line(self, source: str, start: int, stop: int) -> Spoken:
        """The part of `source` from `start` to `stop`, read as one line: what text preparation speaks without a break.

        Places are those in `source`.
        """
        whole = TracedText.of(source, start, stop).sub(_CUT_WORD, ()).sub(_QUOTED_LINE, (1,))
        whole = TracedText(whole.text.translate(_LINE_ENDS), whole.starts, whole.stops)
        return joined(_said(whole[a:b], self._scanner, self._running) for a, b in pieces(whole.text))


def normalise_part(
    source: str,
    start: int,
    stop: int,
    language: str,
    rules: PronunciationRules | None = None,
    voice: str = "",
    style: Style = _DEFAULT,
) -> Spoken:
    """`Normaliser.line` for one part alone."""
    return Normaliser(language, rules, voice, style).line(source, start, stop)


def _said(part: TracedText, scanner: Scanner | None, running: RunningRules | None) -> Spoken:
    named = (
        emoji_named(part, scanner.language.code)
        if scanner and scanner.language.style.emoji == "named"
        else part
    )
    traced = without_marks(canonical(named)) if scanner else named
    say = scanner.say if scanner else only_replaced
    if running is None:
        return say(traced)
    slow = len(running.slow)
    spoken = say(traced, running.places(traced.text))
    place = part.span(0, len(part))
    late = [
        Note(f"The pronunciation for {rule.written!r} takes too long and is left out.", place)
        for rule in running.slow[slow:]
    ]
    return replace(spoken, notes=(*spoken.notes, *late)) if late else spoken
