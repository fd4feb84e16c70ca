"""Markdown to blocks: CommonMark with tables, footnotes, definitions and front matter, by markdown-it through HTML.

HTML inside is read as HTML without what a page could do: scripts are dropped like anywhere.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pocketvoice.documents.blocks import Block, BlockKind
from pocketvoice.documents.document import Details, Part
from pocketvoice.documents.encoding import decode
from pocketvoice.documents.flow import collapsed
from pocketvoice.documents.html.flow import html_blocks
from pocketvoice.documents.positions import ContentsEntry
from pocketvoice.documents.source import Source
from pocketvoice.documents.xml import parse_html

_PART_CHARS = 60_000
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_TOP = re.compile(r"#{1,2} ")
_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]{1,200}\]:.*(?:\n(?:    |\t).*)*", re.M)
_FRONT = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_ATTRIBUTES = re.compile(r"[ \t]+\{[#.][^}\n]*\}[ \t]*$", re.M)


def open_reader(source: Source) -> "MarkdownReader":
    return MarkdownReader(decode(source.data(), source.name), source.name)


class MarkdownReader:
    """Reads a Markdown text; a long one in parts that begin at headings."""

    needs_file = False
    contents: Sequence[ContentsEntry] = ()

    def __init__(self, text: str, name: str) -> None:
        self._name = name
        front = _FRONT.match(text)
        body = text[front.end() :] if front else text
        self._first_line = text[: front.end()].count("\n") if front else 0
        self._pieces = list(_pieces(_ATTRIBUTES.sub("", body)))
        self._definitions = "\n\n".join(_DEFINITION.findall(body)) if len(self._pieces) > 1 else ""
        self._parser = _parser()
        self.parts: Sequence[Part] = [Part() for _ in self._pieces]
        self.details = self._details(front[1] if front else "")

    def read(self, part: int) -> Iterator[Block]:
        line, piece = self._pieces[part]
        text = f"{piece}\n\n{self._definitions}" if self._definitions else piece
        html = self._rendered(text, self._first_line + line)
        yield from html_blocks(parse_html(f"<div>{html}</div>", self._name), part=part)

    def cover(self) -> bytes | None:
        return None

    def close(self) -> None:
        pass

    def _rendered(self, text: str, first_line: int) -> str:
        env: dict[str, Any] = {}
        tokens = self._parser.parse(text, env)
        for token in tokens:
            if token.map and token.nesting >= 0 and not token.hidden:
                token.attrSet("data-line", str(first_line + token.map[0] + 1))
        return str(self._parser.renderer.render(tokens, self._parser.options, env))

    def _details(self, front: str) -> Details:
        named = dict(_front_matter(front))
        title = named.get("title", "") or self._first_heading()
        authors = tuple(filter(None, (one.strip(" []'\"") for one in named.get("author", "").split(","))))
        return Details(title, authors, named.get("lang", named.get("language", "")))

    def _first_heading(self) -> str:
        """The heading of level 1, if it is the only one."""
        blocks = [block for block in self.read(0) if block.kind is BlockKind.HEADING and block.level == 1]
        return blocks[0].text if blocks and (len(blocks) == 1 or len(self._pieces) > 1) else ""


def _front_matter(front: str) -> Iterator[tuple[str, str]]:
    """The plain keys of a front matter in YAML; lists are joined by commas."""
    key = ""
    for line in front.split("\n"):
        found = re.match(r"([A-Za-z_-]+):\s*(.*)", line)
        if found:
            key = found[1].lower()
            if found[2]:
                yield key, collapsed(found[2]).strip("'\"")
        elif key == "author" and (item := re.match(r"\s*-\s+(?:name:\s*)?(.+)", line)):
            yield key, collapsed(item[1]).strip("'\"")


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """(number of the line before it, text) of the parts: cut at headings of the first two levels, never inside code."""
    lines, start, size, fence = text.split("\n"), 0, 0, ""
    for number, line in enumerate(lines):
        if found := _FENCE.match(line):
            if not fence:
                fence = found[1]
            elif found[1].startswith(fence):
                fence = ""
        if size > _PART_CHARS and not fence and _TOP.match(line):
            yield start, "\n".join(lines[start:number])
            start, size = number, 0
        size += len(line) + 1
    yield start, "\n".join(lines[start:])


def _parser() -> Any:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.footnote import footnote_plugin

    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return parser.use(footnote_plugin).use(deflist_plugin)
