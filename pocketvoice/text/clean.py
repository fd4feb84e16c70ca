"""A passage of the source made fit to be read: marks of layout dropped, untrained characters mapped, punctuation put right.

Everything is a replacement on a TracedText, so each character still knows its place in the source. A passage is cleaned
by itself, before sentences are looked for. Every pattern is linear: what it scans ahead is bounded or consumed.
"""

import re
from collections.abc import Iterable, Sequence

from pocketvoice.text.characters import plain
from pocketvoice.text.pauses import PAUSE_MARK, SPEAKABLE
from pocketvoice.text.rules import TextRules
from pocketvoice.text.traced import Part, Replacement, TracedText

Step = tuple[re.Pattern[str], Replacement]

_LETTER = r"[^\W\d_]"
_ALNUM = r"[^\W_]"

# What layout leaves behind, on the original characters.
_MARKUP: Sequence[Step] = (
    (re.compile(r"[^\S\r\n\u2028\x85]{2,}"), (" ",)),  # first: with single spaces the patterns below stay linear
    (PAUSE_MARK, (" ",)),  # only malformed ones are left
    (re.compile(r"!?\[([^\[\]]{0,300})\]\((?:[^()\s]|\([^()\s]{0,200}\)){0,2000}(?:\s\"[^\"]{0,200}\")?\)"), (1,)),
    (re.compile(r"\[([^\[\]]{1,300})\]\[[^\[\]]{0,100}\]"), (1,)),
    (re.compile(r"<((?:https?://|mailto:)[^<>\s]{1,2000})>"), (1,)),
    (re.compile(r"(?<=[\w.,;:!?\"'”’»)])\[\d{1,3}\]"), ()),  # a footnote mark
    (re.compile(r"\A\s*`{3}[\w+-]*\s*\Z"), ()),  # the fence of a code block
    (re.compile(r"([^\w\s.,;:!?'\"])\1{3,}"), (" ",)),  # a rule drawn in characters
    (re.compile(r"([^\w\s.,;:!?'\"])(?: \1){2,}(?!\S)"), (" ",)),
    (re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE), ()),
    (re.compile(r"\A\s*#{1,6}[ \t]+|[ \t]+#+[ \t]*\Z"), ()),
    (re.compile(r"\A\s*(?:[-*+–—―]+[ \t]+|[•‣◦▪▫●○■□►▶–—―]+[ \t]*)(?:\[[ xX]\][ \t]+)?"), ()),
    (re.compile(rf"(?<={_LETTER})-[ \t]*(?:\r\n|[\n\r\u2028\x85])\s*(?=[a-zà-ÿ])"), ()),  # a word cut at the line's end
    (re.compile(r"(?<!\w)`+|`+(?!\w)"), ()),
    (re.compile(r"\*{2,}|~~+"), ()),
    (re.compile(r"(?<![^\s(\"'“‘«])\*(?=\S)|(?<=\S)\*(?![^\s.,;:!?)\"'”’»])"), ()),
    (re.compile(r"(?<!\S)[:;=][-^o']?[)(DPp/\\|*3\]\[](?!\S)|(?<!\S)<3(?!\S)"), ()),  # emoticons
    (re.compile(r"(?<!\S)(?:<?[-=]{1,3}>|<[-=]{1,3})(?!\S)"), (",",)),  # arrows
)  # fmt: skip

_QUOTES: Sequence[Step] = (
    # Quotation marks are not spoken; between two words without a space they part them.
    (re.compile(rf"(?<={_ALNUM})\"(?={_ALNUM})"), (" ",)),
    (re.compile(r"\"+|''+"), ()),
    # A pair of single quotes around words; apostrophes inside words and before shortened ones stay.
    (re.compile(r"(?<!\w)'(?=\w)([^']*(?:(?<=\w)'(?=\w)[^']*)*)(?<!\s)'(?!\w)"), (1,)),
    (re.compile(r"(?<!\w)'(?!\w)|(?<=[.!?,;:])'(?!\w)"), ()),
)

_BRACKETS: Sequence[Step] = (
    (re.compile(r"\(\s*\)"), ()),
    # Endings in brackets: word(s), Lehrer(in), amigo(a).
    (re.compile(rf"(?<={_LETTER}{{2}})\((e?[sndr]|ed|ne|in|nen|innen|as?|os?|[eix])\)(?!\w)"), (1,)),
    (re.compile(rf"(?<!\w)\(({_LETTER}{{1,4}})\)(?={_LETTER})"), (1,)),  # (un)known
    (re.compile(r"\s*\(\s*|\s*\)(?!\w)"), (", ",)),
    (re.compile(r"\s*\)"), (", ",)),
)

_DASHES: Sequence[Step] = (
    # Between numbers a dash says "to" or parts a telephone number: it stays, as a hyphen. Elsewhere it is a break.
    (re.compile(r"(?<=\d)–(?=\d)"), ("-",)),
    (re.compile(r"(?<=\d)\s+[-–]\s+(?=\d)"), ("-",)),
    (re.compile(r"\s*–[\s–]*"), (", ",)),
    (re.compile(r"\s+-{1,3}(?!\S)"), (", ",)),
    (re.compile(r"(?<=\w)--+(?=\w)"), (", ",)),
)

_SPACES: Step = (re.compile(r"\s{2,}|[^\S ]"), (" ",))
_MARKS = re.compile(r" *[,;:.!?](?: *[,;:.!?])*")
# Marks that a word follows without a space.
_GLUED: Sequence[Step] = (
    (re.compile(r"(?<!\.)\.{3,}(?=\w)"), ("... ",)),
    (re.compile(r"(?<![!?])[!?]{2,}(?=\w)"), lambda match: ("? " if "?" in match[0] else "! ",)),
)
# An ellipsis before the first word stays: it is a breath, and there are programs that put it there and cut it off again.
_LEADING: Step = (
    re.compile(r"\A(?:[\s,;:!?/|]|\.\.+|[.\-](?!\w))+"),
    lambda match: ("... ",) if "..." in match[0] else (),
)


def cleaned(passage: TracedText, rules: TextRules) -> TracedText | None:
    """The passage as it is read, in one line with single spaces; None if it says nothing."""
    traced = _without_underscores(_applied(passage, _MARKUP))
    traced = _plain_characters(traced).composed().sub(*_SPACES)
    for steps in (_QUOTES, _BRACKETS, _DASHES):
        traced = _applied(traced, steps).sub(*_SPACES)  # each group relies on single spaces to stay linear
    traced = _tidied(_by_rules(traced, rules).sub(*_SPACES))
    return traced if SPEAKABLE.search(traced.text) else None


def _applied(traced: TracedText, steps: Iterable[Step]) -> TracedText:
    for pattern, replacement in steps:
        traced = traced.sub(pattern, replacement)
    return traced


def _without_underscores(traced: TracedText) -> TracedText:
    """Drops underscores of emphasis, makes spaces of those in `snake_case`, leaves addresses whole."""
    return traced.sub(_UNDERSCORE, _instead_of_underscore) if "_" in traced.text else traced


_UNDERSCORE = re.compile(r"_+")
_NEAR = 200  # characters: an address is recognised from this far


def _instead_of_underscore(match: re.Match[str]) -> Sequence[Part]:
    start, stop = match.span()
    before = match.string[max(0, start - _NEAR) : start].split(" ")[-1]
    after = match.string[stop : stop + _NEAR].split(" ")[0]
    if not (before[-1:].isalnum() and after[:1].isalnum()):
        return ()
    return (0,) if "://" in before or "@" in before + after else (" ",)


def _plain_characters(traced: TracedText) -> TracedText:
    """Every character in its plain form, see `characters.plain`."""
    # Only the characters that occur are looked up, and only those that change are searched for.
    instead = {c: plain(c) for c in set(traced.text)}
    return _characters_replaced(traced, {c: new for c, new in instead.items() if new != c})


def _characters_replaced(traced: TracedText, instead: dict[str, str]) -> TracedText:
    if not instead:
        return traced
    # The longest first: of two keys that begin alike the pattern would else always take the shorter one.
    pattern = re.compile("|".join(map(re.escape, sorted(instead, key=len, reverse=True))))
    return traced.sub(pattern, lambda match: (instead[match[0]],), covering=True)


def _by_rules(traced: TracedText, rules: TextRules) -> TracedText:
    instead = {old: new for old, new in rules.replace_characters.items() if old and old in traced.text}
    traced = _characters_replaced(traced, instead)
    return _characters_replaced(traced, {";": ","}) if rules.remove_semicolons else traced


def _tidied(traced: TracedText) -> TracedText:
    traced = traced.sub(_MARKS, _instead_of_marks)
    traced = _applied(traced, _GLUED).sub(*_LEADING)
    return traced[: len(traced.text.rstrip(" /|"))]


def _instead_of_marks(match: re.Match[str]) -> Sequence[Part]:
    """One mark for a run of marks, and no space before it; inside a word (`3.5`, `x.org`, ` .NET`) nothing changes."""
    at_end_of_word = match.string[match.end() : match.end() + 1] in ("", " ")
    mark = _strongest(match[0]) if at_end_of_word else match[0]
    return (0,) if mark == match[0] else (mark,)


def _strongest(marks: str) -> str:
    """The mark that a run of marks comes to: a question or an exclamation, then a stop, then a weak one."""
    for mark in "?!":
        if mark in marks:
            return mark
    if "." in marks:
        return "..." if marks.count(".") >= 3 else "."
    return next(mark for mark in ":;," if mark in marks)
