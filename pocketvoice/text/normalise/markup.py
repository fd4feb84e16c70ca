"""Marks of Markdown, HTML and LaTeX taken out: what is seen on a page and not read. The words between them stay in place.

Replacements on a TracedText, made only where a character that begins such a mark occurs. Every pattern is bounded.
"""

import re
from collections.abc import Iterator, Sequence
from html import unescape

from pocketvoice.text.normalise import latex
from pocketvoice.text.traced import Part, Replacement, TracedText

Step = tuple[str, re.Pattern[str], Replacement]
"""A character that must occur, what is looked for, and what stands in its place."""


def _entity(match: re.Match[str]) -> Sequence[Part]:
    plain = unescape(match[0])
    return (0,) if plain == match[0] else (plain,)


def _pause(match: re.Match[str]) -> Sequence[Part]:
    """A block or a break ends what was said, unless something else did."""
    before = match.string[: match.start()].rstrip()[-1:]
    return (" ",) if before in ".,;:!?" else (", ",)


_URL = r"(?:[^()\s]|\([^()\s]{0,200}\)){0,1000}"
_NO_NOTES = frozenset(
    {
        "covid",
        "windows",
        "iphone",
        "level",
        "section",
        "version",
        "python",
        "season",
        "chapter",
        "galaxy",
        "route",
        "group",
        "player",
    }
)


def _footnote(match: re.Match[str]) -> Sequence[Part]:
    """`treaty1,`: a digit stuck to a long word in small letters."""
    return (0,) if match[1].lower() in _NO_NOTES else (1,)


_BLOCK = re.compile(
    r"</?(?:br|p|div|li|ul|ol|tr|td|th|h[1-6]|table|hr|blockquote|section|article|break)\b[^<>]{0,500}/?>",
    re.IGNORECASE,
)
_HTML: Sequence[Step] = (
    ("<", re.compile(r"<!--.{0,4000}?-->", re.DOTALL), (" ",)),
    ("<", re.compile(r"<(script|style)\b[^<>]{0,500}>[^<]{0,4000}</\1>", re.IGNORECASE), (" ",)),
    ("<", re.compile(r"<((?:https?://|mailto:)[^<>\s]{1,2000})>"), (1,)),
    ("<", re.compile(r"<([\w.+-]{1,64}@[\w.-]{1,200})>"), (1,)),
    ("<", _BLOCK, _pause),
    ("<", re.compile(r"</?[a-zA-Z][\w:-]{0,40}(?:\s[^<>]{0,500}|=[^<>]{0,100})?/?>"), ()),
)  # fmt: skip
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,31}|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")

_MARKDOWN: Sequence[Step] = (
    ("`", re.compile(r"^[ \t]*`{3,}[^\n`]{0,80}$", re.MULTILINE), ()),
    ("~", re.compile(r"^[ \t]*~{3,}[^\n~]{0,80}$", re.MULTILINE), ()),
    ("[", re.compile(r"^[ \t]*\[\^[^\]\n]{1,60}\]:[ \t]*", re.MULTILINE), ()),
    ("[", re.compile(r"\[\^[^\]\n]{1,60}\]"), ()),
    ("[", re.compile(r"^[ \t]{0,3}\[[^\]\n]{1,100}\]:[ \t]+\S{1,1000}.{0,200}$", re.MULTILINE), ()),
    ("[", re.compile(rf"!?\[([^\[\]]{{0,300}})\]\({_URL}(?:\s\"[^\"\n]{{0,200}}\")?\)"), (1,)),
    ("[", re.compile(r"\[([^\[\]\n]{1,300})\]\[[^\[\]\n]{0,100}\]"), (1,)),
    ("[", re.compile(r"(?<=[\w.,;:!?\"'”’»)])[ ]?\[\*?\d{1,3}(?:[,–-][ ]?\d{1,3}){0,8}\]"), ()),
    ("[", re.compile(r"\[(?:edit|citation needed|sic)\]", re.IGNORECASE), ()),
    ("[", re.compile(r"^([ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+)\[[ xX]\][ \t]+", re.MULTILINE), (1,)),
    ("|", re.compile(r"^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*){0,40}\|?[ \t]*$", re.MULTILINE), ()),
    ("|", re.compile(r"^[ \t]*\|[ \t]*|[ \t]*\|[ \t]*$", re.MULTILINE), ()),
    ("|", re.compile(r"[ \t]+\|[ \t]+"), (", ",)),
    (">", re.compile(r"^[ \t]*(?:>(?!\d)[ \t]?){1,10}", re.MULTILINE), ()),
    ("#", re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+|[ \t]+#{1,6}[ \t]*$", re.MULTILINE), ()),
    ("", re.compile(r"^[ \t]*([-*_=~])(?:[ \t]?\1){2,200}[ \t]*$", re.MULTILINE), ()),
    ("", re.compile(r"^[ \t]*(?:[*+•‣◦▪▫●○■□►▶]|[-–—](?!\d))[ \t]+", re.MULTILINE), ()),
    ("*", re.compile(r"\*{2,3}"), ()),
    ("~", re.compile(r"~~"), ()),
    ("*", re.compile(r"(?<![\w*\\])\*(?=[^\s*])([^*\n]{1,400}?)(?<=[^\s*])\*(?![\w*])"), (1,)),
    ("_", re.compile(r"(?<![\w\\])_{1,3}(?=[^\s_])([^\n]{1,400}?)(?<=[^\s_])_{1,3}(?!\w)"), (1,)),
    ("`", re.compile(r"`{1,2}(?=\S)([^`\n]{1,300})(?<=\S)`{1,2}"), (1,)),
    ("`", re.compile(r"(?<!\w)`+|`+(?!\w)"), ()),
    ("\\", re.compile(r"\\([\\`*_{}\[\]()#+.!|~>$&-])"), (1,)),
)  # fmt: skip

_NOTES: Sequence[Step] = (
    ("", re.compile(r"(?<=[^\W\d_]{3})(?<!(?<![^\W\d_])\dm)[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}(?!\w)"), ()),
    ("", re.compile(r"(?<=[.,;:!?\"'”’»)])[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}(?!\w)"), ()),
    ("", re.compile(r"(?<!\w)([a-zà-ÿ]{5,30})\d{1,2}(?=[.,;:!?)]|\s[a-zà-ÿ]|\s?$)(?![.,:]\d)", re.MULTILINE), _footnote),
    ("(", re.compile(r"(?<=[^\W\d_]{3})\(\d{1,3}\)|(?<=[.,;:!?])\(\d{1,3}\)"), ()),
    ("†", re.compile(r"[†‡]"), ()),
)  # fmt: skip

_EMOTICONS: Step = (
    "", re.compile(r"(?<!\S)(?:[:;=8][-^o']?[)(DPpO/\\|*3\]\[]|<3|\^_\^|:'\()(?![^\s.,!?])"), ()
)  # fmt: skip


def without_marks(traced: TracedText) -> TracedText:
    """The text with what it says between its marks."""
    traced = _applied(traced, _HTML)
    if "&" in traced.text:
        traced = traced.sub(_ENTITY, _entity, covering=True)
    traced = latex.without_commands(traced)
    traced = _applied(traced, _MARKDOWN)
    return _applied(traced, (*_NOTES, _EMOTICONS))


def _applied(traced: TracedText, steps: Sequence[Step]) -> TracedText:
    for pattern, replacement in _wanted(traced, steps):
        traced = traced.sub(pattern, replacement)
    return traced


def _wanted(traced: TracedText, steps: Sequence[Step]) -> Iterator[tuple[re.Pattern[str], Replacement]]:
    present = set(traced.text)
    return ((pattern, replacement) for sign, pattern, replacement in steps if not sign or sign in present)
