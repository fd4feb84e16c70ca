"""Plain text to blocks: paragraphs whatever way they are set apart, headings where they show themselves.

A text is looked at once to see how it is set: lines broken at a width (joined again), or one line a paragraph; paragraphs
parted by empty lines or by indents. Long texts are cut into parts at empty lines, so that the first words come at once.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pocketvoice.documents.blocks import Block, BlockKind, Place
from pocketvoice.documents.document import Details, Part
from pocketvoice.documents.encoding import decode
from pocketvoice.documents.flow import seen
from pocketvoice.documents.plain_headings import heading_level, is_rule
from pocketvoice.documents.positions import ContentsEntry
from pocketvoice.documents.source import Source

_PART_LINES = 4000
_SAMPLE_LINES = 3000
_LIST_ITEM = re.compile(r"(\s*)([-*•–+]|\(?\d{1,3}[.)]|[a-z]\))\s+(?=\S)")
_SENTENCE_END = re.compile(r"""[.!?…。！？:;]["'»”’)\]]*$""")
_QUOTED = re.compile(r"(?:> ?)+")


def open_reader(source: Source) -> "PlainReader":
    return PlainReader(decode(source.data(), source.name), source.name)


@dataclass(frozen=True)
class _Setting:
    """How a text is set."""

    wrapped: bool
    """Lines are broken at a width: a paragraph is several lines."""
    indented: bool
    """A paragraph begins with an indent, without an empty line before it."""
    width: int
    """Characters of a full line, where lines are broken."""


class PlainReader:
    """Reads a plain text."""

    needs_file = False
    contents: Sequence[ContentsEntry] = ()

    def __init__(self, text: str, name: str) -> None:
        self._lines = [seen(line).expandtabs(8).rstrip() for line in text.replace("\f", "\n\n").split("\n")]
        self._setting = _setting_of(self._lines)
        self._starts = _part_starts(self._lines)
        self.parts: Sequence[Part] = [Part() for _ in self._starts]
        self.details = _details(self._lines)

    def read(self, part: int) -> Iterator[Block]:
        start = self._starts[part]
        end = self._starts[part + 1] if part + 1 < len(self._starts) else len(self._lines)
        yield from lines_to_blocks(self._lines[start:end], self._setting, part, start)

    def cover(self) -> bytes | None:
        return None

    def close(self) -> None:
        pass


def plain_blocks(text: str) -> Iterator[Block]:
    """The blocks of a text that is part of something else: a mail's."""
    lines = [seen(line).expandtabs(8).rstrip() for line in text.split("\n")]
    return lines_to_blocks(lines, _setting_of(lines))


def lines_to_blocks(
    lines: Sequence[str], setting: _Setting, part: int = 0, first: int = 0
) -> Iterator[Block]:
    """The blocks of these lines; `first` is the number of the line before them in the source."""
    group: list[str] = []
    began = 0
    for number, line in enumerate([*lines, ""]):
        if group and (not line.strip() or _begins_paragraph(line, group, setting)):
            yield from _blocks_of(group, setting, Place(part, line=first + began + 1))
            group = []
        if line.strip():
            began = began if group else number
            group.append(line)


def _begins_paragraph(line: str, group: Sequence[str], setting: _Setting) -> bool:
    """True if the line begins a paragraph though no empty line stands before it."""
    if is_rule(line):
        return len(group) > 1  # else it underlines the heading above
    if len(group) > 1 and is_rule(group[-1]):
        return True
    if _LIST_ITEM.match(line) and (_LIST_ITEM.match(group[0]) or group[-1].endswith(":")):
        return True
    if line.lstrip().startswith(">") != group[-1].lstrip().startswith(">"):
        return True
    if not setting.wrapped:
        return True
    indent, before = _indent(line), _indent(group[-1])
    if setting.indented and indent > before and indent - before <= 8 and _indent(group[0]) >= before:
        return True
    return len(group) == 1 and heading_level(group[0]) is not None and len(group[0]) < 0.7 * setting.width


def _blocks_of(group: Sequence[str], setting: _Setting, place: Place) -> Iterator[Block]:
    """The blocks of lines that belong together."""
    if len(group) == 2 and is_rule(group[1]):
        underlined = 1 if group[1].strip()[0] in "=#*" else 2
        yield Block(BlockKind.HEADING, group[0].strip(), underlined, place=place)
        return
    group = [line for line in group if not is_rule(line)]
    if not group:
        return
    text = _joined(group, setting)
    if item := _LIST_ITEM.match(group[0]):
        text = text.removeprefix(item[2]).lstrip()
        yield Block(BlockKind.LIST_ITEM, text, 1 + len(item[1]) // 4, item[2], place=place)
    elif all(line.lstrip().startswith(">") for line in group):
        plain = [_QUOTED.sub("", line.lstrip(), count=1).strip() for line in group]
        depth = _QUOTED.match(group[0].lstrip())
        if text := _joined([line for line in plain if line], setting):
            yield Block(BlockKind.QUOTE, text, depth[0].count(">") if depth else 1, place=place)
    elif len(group) <= 2 and (level := heading_level(text)) is not None:
        yield Block(BlockKind.HEADING, text.replace("\n", " "), level, place=place)
    else:
        yield Block(BlockKind.PARAGRAPH, text, place=place)


def _joined(lines: Sequence[str], setting: _Setting) -> str:
    """The lines as a paragraph: joined with spaces, or kept as lines where they are verse or an address."""
    if not lines:
        return ""
    lines = [line.strip() for line in lines]
    if not setting.wrapped or _is_verse(lines, setting.width):
        return "\n".join(lines)
    text = lines[0]
    for line in lines[1:]:
        text += _glue(text, line) + line
    return text


def _glue(before: str, after: str) -> str:
    """What joins two lines: nothing after an ideograph or inside a word that a dash parts."""
    if before[-1] > "\u2e80" and after[0] > "\u2e80" and not "\uac00" <= before[-1] <= "\ud7a3":
        return ""
    inside_compound = before[-1] == "-" and before[-2:-1].isalpha() and after[0].isalpha()
    return "" if inside_compound or before.endswith(("—", "--")) else " "


def _is_verse(lines: Sequence[str], width: int) -> bool:
    """True for several lines of which most stop well before the full width: verse, an address, a list."""
    if len(lines) < 2:
        return False
    short = sum(len(line) < 0.72 * width for line in lines[:-1])
    return short >= 0.6 * (len(lines) - 1)


def _setting_of(lines: Sequence[str]) -> _Setting:
    sample = [line for line in lines[:_SAMPLE_LINES] if line.strip()]
    lengths = sorted(len(line) for line in sample)
    if not lengths:
        return _Setting(False, False, 80)
    wide = sum(1 for line in sample if line[-1] > "\u2e80") > len(sample) // 2
    width = lengths[int(0.95 * (len(lengths) - 1))]
    pairs = [(a, b) for a, b in pairwise(lines[:_SAMPLE_LINES]) if a.strip() and b.strip()]
    broken = sum(not _SENTENCE_END.search(a) for a, _ in pairs)
    wrapped = len(pairs) > 0 and width <= 132 and broken > 0.35 * len(pairs) and (width >= 40 or wide)
    indents = sum(_indent(b) > _indent(a) for a, b in pairs)
    return _Setting(wrapped, wrapped and indents > 0.04 * len(pairs), width)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _part_starts(lines: Sequence[str]) -> list[int]:
    """The first lines of the parts: each begins after an empty line, if there is one in sight."""
    starts = [0]
    while starts[-1] + 1.5 * _PART_LINES < len(lines):
        wanted = starts[-1] + _PART_LINES
        ahead = range(wanted, min(wanted + _PART_LINES // 2, len(lines)))
        starts.append(next((number + 1 for number in ahead if not lines[number].strip()), wanted))
    return starts


def _details(lines: Sequence[str]) -> Details:
    """A title that says so (`Title: ...`, as Project Gutenberg does), else a heading on top."""
    start = lines[:200]
    named = {
        key: line.partition(":")[2].strip()
        for line in start
        for key in ("title", "author", "language")
        if line.lower().startswith(key + ":")
    }
    title = named.get("title", "") if "author" in named else ""
    first = next((line.strip() for line in start if line.strip()), "")
    follows_gap = len(start) > 1 and any(not line.strip() for line in start[1:4])
    if not title and follows_gap and len(first) <= 80 and not _SENTENCE_END.search(first):
        title = first
    return Details(title, (named["author"],) if named.get("author") and named.get("title") else ())
