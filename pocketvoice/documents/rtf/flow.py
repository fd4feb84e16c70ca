"""The tokens of an RTF to blocks: groups keep the state of letters, paragraphs theirs until they are told to forget it."""

import codecs
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from pocketvoice.documents.blocks import Block, BlockKind, MarkKind, table_block
from pocketvoice.documents.flow import Flow, Style, collapsed
from pocketvoice.documents.rtf.tokens import CHARSETS, Token
from pocketvoice.documents.rtf.words import LANGUAGES, SIGNS, SKIPPED

_MOST_DEPTH = 2000
_WRITTEN_LABEL = re.compile(r"([•–]|\(?(?:\d{1,3}|[a-z]{1,4})[.)])\s+(?=\S)")


@dataclass(frozen=True)
class _Group:
    """What holds inside a group and is given back at its end."""

    destination: str = ""
    """`skip`, `info:title`, `fonts`, `styles`; empty for text."""
    skipped_after_unicode: int = 1
    encoding: str = "cp1252"
    bold: bool = False
    italic: bool = False
    hidden: bool = False
    note: bool = False


@dataclass
class _Paragraph:
    """What holds for the paragraph until `\\pard`."""

    style: int = 0
    outline: int | None = None
    in_list: bool = False
    level: int = 0
    in_table: bool = False
    hangs: bool = False
    """The first line stands out to the left."""
    label: str = ""
    """The bullet or number as the writing program wrote it out."""


@dataclass
class RtfFlow:
    """The state of one reading."""

    info: dict[str, str] = field(default_factory=dict)
    language: str = ""
    _flow: Flow = field(default_factory=Flow)
    _group: _Group = field(default_factory=_Group)
    _groups: list[_Group] = field(default_factory=list)
    _paragraph: _Paragraph = field(default_factory=_Paragraph)
    _encoding: str = "cp1252"
    _fonts: dict[int, str] = field(default_factory=dict)
    _font: int = 0
    _styles: dict[int, str] = field(default_factory=dict)
    _style: int = 0
    _pending: bytes = b""
    _to_skip: int = 0
    _row: list[str] = field(default_factory=list)
    _rows: list[list[str]] = field(default_factory=list)
    _notes: list[Block] = field(default_factory=list)
    _outer: list[tuple[Flow, _Paragraph]] = field(default_factory=list)
    _notes_called: int = 0
    _high: int = 0
    _starred: bool = False
    """The destination that begins now may be skipped if it is not known."""

    def blocks(self, source: Iterator[Token]) -> Iterator[Block]:
        """The blocks, as they end."""
        for token in source:
            if token.data:
                self._bytes(token)
                continue
            self._decode_pending()
            if token.brace == "{":
                self._groups.append(self._group)
                if len(self._groups) > _MOST_DEPTH:
                    raise ValueError("RTF: groups are nested too deeply")
            elif token.brace == "}":
                self._end_group()
            else:
                self._word(token)
            yield from self._taken()
        self._decode_pending()
        self._end_paragraph()
        self._end_table()
        yield from self._taken()

    def _taken(self) -> Iterator[Block]:
        """The blocks that ended, unless a table or a footnote is being read."""
        if self._flow.done and not self._outer:
            yield from self._flow.take()
            notes, self._notes = self._notes, []
            yield from notes

    def _bytes(self, token: Token) -> None:
        data = token.data
        if self._to_skip:
            skipped = min(self._to_skip, len(data))
            self._to_skip -= skipped
            data = data[skipped:]
        if token.is_hex:
            self._pending += data
            return
        if self._pending and data:  # the second byte of a wide character may stand as a plain letter
            self._pending += data[:1]
            data = data[1:] if self._is_wide() else self._undo_join(data)
        self._decode_pending()
        self._text(data.decode(self._group.encoding if not data.isascii() else "ascii", "replace"))

    def _is_wide(self) -> bool:
        if self._group.encoding not in ("cp932", "cp949", "gb18030", "big5"):
            return False
        return "\ufffd" not in self._pending.decode(self._group.encoding, "replace")

    def _undo_join(self, data: bytes) -> bytes:
        self._pending = self._pending[:-1]
        return data

    def _decode_pending(self) -> None:
        if self._pending:
            data, self._pending = self._pending, b""
            self._text(data.decode(self._group.encoding, "replace"))

    def _text(self, text: str) -> None:
        destination = self._group.destination
        if destination == "":
            if not self._group.hidden:
                self._marked(text)
        elif destination == "label":
            self._paragraph.label += text
        elif destination == "styles":
            self._styles[self._style] = self._styles.get(self._style, "") + text
        elif destination.startswith("info:"):
            name = destination.removeprefix("info:")
            self.info[name] = self.info.get(name, "") + text

    def _marked(self, text: str) -> None:
        kinds = [
            kind
            for on, kind in ((self._group.bold, MarkKind.STRONG), (self._group.italic, MarkKind.EMPHASIS))
            if on
        ]
        for kind in kinds:
            self._flow.open(kind)
        self._flow.text(text)
        for _ in kinds:
            self._flow.close()

    def _end_group(self) -> None:
        ended = self._group
        self._group = self._groups.pop() if self._groups else _Group()
        if ended.note and not self._group.note:
            self._end_note()
        if self._group.destination == "styles" and ended.destination == "styles":
            self._style = 0

    def _word(self, token: Token) -> None:
        word, number = token.word, token.number
        starred, self._starred = self._starred, word == "*"
        if starred and word not in _DOERS:
            self._group = replace(self._group, destination="skip")
            return
        if self._to_skip and word in SIGNS:
            self._to_skip -= 1
            return
        if word == "u" and number is not None:
            self._unicode(number)
        elif word in SKIPPED:
            self._group = replace(self._group, destination="skip")
        elif word in _DOERS:
            _DOERS[word](self, 1 if number is None else number)
        elif word in SIGNS:
            self._text(SIGNS[word])

    def _unicode(self, number: int) -> None:
        code = number + 0x10000 if number < 0 else number
        self._to_skip = self._group.skipped_after_unicode
        if 0xD800 <= code < 0xDC00:
            self._high = code
        elif 0xDC00 <= code < 0xE000:
            if self._high:
                self._text(chr(0x10000 + ((self._high - 0xD800) << 10) + code - 0xDC00))
            self._high = 0
        elif 0 < code < 0x110000:
            self._text(chr(code))

    def _destination(self, name: str) -> None:
        if self._group.destination != "skip":
            self._group = replace(self._group, destination=name)

    def _set_codepage(self, number: int) -> None:
        try:
            self._encoding = codecs.lookup(f"cp{number}").name
        except LookupError:
            self._encoding = "cp1252"
        self._group = replace(self._group, encoding=self._encoding)

    def _set_font(self, number: int) -> None:
        self._font = number
        if self._group.destination != "fonts":
            self._group = replace(self._group, encoding=self._fonts.get(number, self._encoding))

    def _set_charset(self, number: int) -> None:
        if self._group.destination == "fonts" and number in CHARSETS:
            default = number == 0 and self._encoding != "cp1252"
            self._fonts[self._font] = self._encoding if default else CHARSETS[number]

    def _set_style(self, number: int) -> None:
        if self._group.destination == "styles":
            self._style = number
            self._styles[number] = ""
        else:
            self._paragraph.style = number

    def _reset_paragraph(self, _: int) -> None:
        if self._group.destination == "":
            self._paragraph = _Paragraph(label=self._paragraph.label)

    def _set_language(self, number: int) -> None:
        self.language = self.language or LANGUAGES.get(number, "")

    def _line(self, _: int) -> None:
        if self._group.destination == "":
            self._flow.line_break()

    def _paragraph_ends(self, _: int) -> None:
        if self._group.destination == "":
            if self._paragraph.in_table and not self._group.note:
                self._flow.text(" ")
            else:
                self._end_paragraph()

    def _end_paragraph(self) -> None:
        self._end_table()
        style, count = self._block_style(), len(self._flow.done)
        self._flow.end(style)
        if self._paragraph.hangs and style.kind is BlockKind.PARAGRAPH and len(self._flow.done) > count:
            self._flow.done[-1] = _as_item(self._flow.done[-1])

    def _block_style(self) -> Style:
        if self._group.note:
            return Style(
                BlockKind.FOOTNOTE, label=str(self._notes_called), names=(f"#note-{self._notes_called}",)
            )
        name = self._styles.get(self._paragraph.style, "").strip(" ;").lower()
        outline = self._paragraph.outline
        if name.startswith("heading ") and name[8:9].isdigit():
            outline = int(name[8]) - 1
        if name == "title":
            outline = 0
        if outline is not None and 0 <= outline < 9:
            return Style(BlockKind.HEADING, min(outline + 1, 6))
        label, self._paragraph.label = self._paragraph.label.strip(" \t·\uf0b7"), ""
        if self._paragraph.in_list:
            written = label and any(map(str.isalnum, label))
            return Style(BlockKind.LIST_ITEM, self._paragraph.level + 1, label if written else "•")
        if "quot" in name or name == "block text":
            return Style(BlockKind.QUOTE, 1)
        return Style(BlockKind.CAPTION) if name == "caption" else Style()

    def _cell_ends(self, _: int) -> None:
        if self._group.destination == "" and not self._group.note:
            self._flow.end(Style())
            self._row.append(" ".join(collapsed(block.text) for block in self._flow.done))
            self._flow.done = []

    def _row_ends(self, _: int) -> None:
        if self._row:
            self._rows.append(self._row)
            self._row = []

    def _end_table(self) -> None:
        """Puts the table that was read before this paragraph in front of it."""
        rows, self._rows = self._rows, []
        if not rows:
            return
        if max(map(len, rows)) > 1:
            if (block := table_block(rows, self._flow.place())) is not None:
                self._flow.done.append(block)
        else:
            self._flow.done += [Block(BlockKind.PARAGRAPH, cell) for row in rows for cell in row if cell]

    def _begin_note(self, _: int) -> None:
        if self._group.note or self._group.destination != "":
            return
        self._notes_called += 1
        self._flow.point(MarkKind.NOTE, str(self._notes_called), f"#note-{self._notes_called}")
        self._outer.append((self._flow, self._paragraph))
        self._flow, self._paragraph = Flow(), _Paragraph()
        self._group = replace(self._group, note=True)

    def _end_note(self) -> None:
        label = str(self._notes_called)
        self._flow.end(Style(BlockKind.FOOTNOTE, label=label, names=(f"#note-{label}",)))
        self._notes += self._flow.done
        self._flow, self._paragraph = self._outer.pop()


def _as_item(block: Block) -> Block:
    """A hanging paragraph that begins with a bullet or a number written as text, as an item of a list."""
    sign = _WRITTEN_LABEL.match(block.text)
    if sign is None:
        return block
    cut = sign.end()
    marks = tuple(
        replace(mark, start=max(mark.start - cut, 0), end=mark.end - cut)
        for mark in block.marks
        if mark.end > cut
    )
    return replace(
        block, kind=BlockKind.LIST_ITEM, text=block.text[cut:], level=1, label=sign[1], marks=marks
    )


def _set_hanging(flow: RtfFlow, number: int) -> None:
    if flow._group.destination == "":
        flow._paragraph.hangs = number < 0


def _change(name: str) -> Callable[[RtfFlow, int], None]:
    def change(flow: RtfFlow, number: int) -> None:
        flow._group = replace(flow._group, **{name: bool(number)})  # type: ignore[arg-type]

    return change


def _to(name: str) -> Callable[[RtfFlow, int], None]:
    return lambda flow, _: flow._destination(name)


def _in_paragraph(**values: int | bool) -> Callable[[RtfFlow, int], None]:
    def change(flow: RtfFlow, _: int) -> None:
        flow._paragraph = replace(flow._paragraph, **values)  # type: ignore[arg-type]

    return change


def _set_outline(flow: RtfFlow, number: int) -> None:
    if flow._group.destination == "":
        flow._paragraph.outline = number


def _set_level(flow: RtfFlow, number: int) -> None:
    flow._paragraph.level = min(max(number, 0), 8)


def _set_list(flow: RtfFlow, number: int) -> None:
    if flow._group.destination in ("", "label"):
        flow._paragraph.in_list = number > 0


def _set_skip(flow: RtfFlow, number: int) -> None:
    flow._group = replace(flow._group, skipped_after_unicode=min(max(number, 0), 10))


def _plain(flow: RtfFlow, _: int) -> None:
    flow._group = replace(flow._group, bold=False, italic=False, hidden=False)


_DOERS: dict[str, Callable[[RtfFlow, int], None]] = {
    "fonttbl": _to("fonts"), "stylesheet": _to("styles"), "info": _to("info"), "title": _to("info:title"),
    "author": _to("info:author"), "listtext": _to("label"), "pntext": _to("label"),
    "b": _change("bold"), "i": _change("italic"), "v": _change("hidden"),
    "deleted": _change("hidden"), "plain": _plain, "uc": _set_skip, "ansicpg": RtfFlow._set_codepage,
    "f": RtfFlow._set_font, "fcharset": RtfFlow._set_charset, "s": RtfFlow._set_style, "pard": RtfFlow._reset_paragraph,
    "par": RtfFlow._paragraph_ends, "sect": RtfFlow._paragraph_ends, "page": RtfFlow._paragraph_ends,
    "\n": RtfFlow._paragraph_ends, "line": RtfFlow._line, "cell": RtfFlow._cell_ends, "nestcell": RtfFlow._line,
    "row": RtfFlow._row_ends, "intbl": _in_paragraph(in_table=True), "outlinelevel": _set_outline, "ls": _set_list,
    "ilvl": _set_level, "fi": _set_hanging, "footnote": RtfFlow._begin_note, "lang": RtfFlow._set_language,
    "deflang": RtfFlow._set_language,
}  # fmt: skip
