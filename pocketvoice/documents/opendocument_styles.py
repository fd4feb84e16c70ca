"""The styles of an OpenDocument text: which paragraphs are quotes or code, which spans stand out, how lists are labelled."""

from collections.abc import Iterator
from dataclasses import dataclass

from pocketvoice.documents.blocks import BlockKind, MarkKind
from pocketvoice.documents.flow import Style
from pocketvoice.documents.numerals import numeral
from pocketvoice.documents.xml import Element, attribute, children, descendants, local

_KINDS = (
    ("quot", BlockKind.QUOTE),
    ("block_20_text", BlockKind.QUOTE),
    ("preformatted", BlockKind.CODE),
    ("source", BlockKind.CODE),
    ("caption", BlockKind.CAPTION),
    ("illustration", BlockKind.CAPTION),
)


@dataclass(frozen=True)
class OdtStyles:
    """Styles by name; an automatic style stands for the named one it is derived from."""

    parents: dict[str, str]
    marks: dict[str, tuple[MarkKind, ...]]
    lists: dict[tuple[str, int], tuple[str, str, int]]
    """(list style, level) -> form of its numbers (empty for a bullet), what follows them, the first number."""
    lists_of: dict[str, str]
    """Paragraph style -> the list style that it names."""
    language: str

    @classmethod
    def of(cls, *roots: Element | None) -> "OdtStyles":
        parents: dict[str, str] = {}
        marks: dict[str, tuple[MarkKind, ...]] = {}
        lists: dict[tuple[str, int], tuple[str, str, int]] = {}
        lists_of: dict[str, str] = {}
        language = ""
        for root in roots:
            for element in descendants(root, "style") if root is not None else ():
                parents[attribute(element, "name")] = attribute(element, "parent-style-name")
                marks[attribute(element, "name")] = tuple(_marks(element))
                lists_of[attribute(element, "name")] = attribute(element, "list-style-name")
            for element in descendants(root, "list-style") if root is not None else ():
                lists.update(_levels(element))
            for element in descendants(root, "default-style") if root is not None else ():
                language = language or _language(element)
        return cls(parents, marks, lists, lists_of, language)

    def kind_of(self, name: str) -> Style | None:
        """What a paragraph of this style is, if it is no plain one."""
        seen: set[str] = set()
        while name and name not in seen:
            seen.add(name)
            lowered = name.lower()
            if lowered == "title":
                return Style(BlockKind.HEADING, 1)
            for word, kind in _KINDS:
                if word in lowered:
                    return Style(kind, int(kind is BlockKind.QUOTE), preformatted=kind is BlockKind.CODE)
            name = self.parents.get(name, "")
        return None

    def marks_of(self, name: str) -> tuple[MarkKind, ...]:
        """How a span of this style stands out."""
        if name in ("Emphasis",):
            return (MarkKind.EMPHASIS,)
        if name in ("Strong_20_Emphasis",):
            return (MarkKind.STRONG,)
        if name in ("Source_20_Text", "Teletype"):
            return (MarkKind.CODE,)
        return self.marks.get(name, ())

    def label(self, name: str, level: int, number: int) -> str:
        """The label of item `number` (from 0) of a list."""
        form, suffix, start = self.lists.get((name, level), ("", "", 1))
        return numeral(start + number, form) + suffix if form else "•"


def _marks(style: Element) -> Iterator[MarkKind]:
    for properties in children(style, "text-properties"):
        if attribute(properties, "font-weight") in ("bold", "600", "700", "800", "900"):
            yield MarkKind.STRONG
        if attribute(properties, "font-style") in ("italic", "oblique"):
            yield MarkKind.EMPHASIS


def _levels(style: Element) -> Iterator[tuple[tuple[str, int], tuple[str, str, int]]]:
    for level in style:
        number, start = attribute(level, "level"), attribute(level, "start-value")
        if number.isdecimal():
            form = attribute(level, "num-format") if local(level) == "list-level-style-number" else ""
            first = int(start) if start.isdecimal() else 1
            yield (
                (attribute(style, "name"), int(number)),
                (form, attribute(level, "num-suffix") or ".", first),
            )


def _language(style: Element) -> str:
    for properties in children(style, "text-properties"):
        language, country = attribute(properties, "language"), attribute(properties, "country")
        if language and language != "none":
            return f"{language}-{country}" if country and country != "none" else language
    return ""
