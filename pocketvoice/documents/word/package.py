"""The files inside a DOCX beside its text: what it is called, where links lead, how its lists are numbered."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from pocketvoice.documents.archive import Archive
from pocketvoice.documents.document import Details
from pocketvoice.documents.flow import collapsed
from pocketvoice.documents.numerals import numeral
from pocketvoice.documents.xml import Element, attribute, children, descendants, first, parse_xml, text_of

_MOST_SIDE_BYTES = 32_000_000
_FORMS = {"lowerLetter": "a", "upperLetter": "A", "lowerRoman": "i", "upperRoman": "I"}


@dataclass(frozen=True)
class WordPackage:
    """The archive of a DOCX and the member that holds its text."""

    archive: Archive
    main: str

    def side(self, name: str) -> Element | None:
        """The root of a file that lies beside the text (`styles.xml`); None if there is none."""
        member = self.archive.resolve(self.main, name)
        if member is None:
            return None
        return parse_xml(self.archive.read(member, _MOST_SIDE_BYTES), self.archive.name)

    def links(self) -> dict[str, str]:
        """Where the hyperlinks of the text lead, by the id of the relation."""
        folder, _, name = self.main.rpartition("/")
        member = f"{folder}/_rels/{name}.rels".lstrip("/")
        if member not in self.archive:
            return {}
        root = parse_xml(self.archive.read(member, _MOST_SIDE_BYTES), self.archive.name)
        relations = (one for one in root if one.get("Type", "").endswith("/hyperlink"))
        return {one.get("Id", ""): one.get("Target", "") for one in relations}

    def details(self) -> Details:
        """The title, the author and the language."""
        root = None
        if "docProps/core.xml" in self.archive:
            root = parse_xml(self.archive.read("docProps/core.xml", _MOST_SIDE_BYTES), self.archive.name)
        title, author, language = (_property(root, name) for name in ("title", "creator", "language"))
        return Details(
            title, tuple(filter(None, map(str.strip, author.split(";")))), language or self._language()
        )

    def _language(self) -> str:
        styles = self.side("styles.xml")
        defaults = first(styles, "docdefaults") if styles is not None else None
        language = first(defaults, "lang") if defaults is not None else None
        return attribute(language, "val") if language is not None else ""


def open_package(archive: Archive) -> WordPackage:
    """Finds the text in the archive."""
    main = "word/document.xml"
    if "_rels/.rels" in archive:
        root = parse_xml(archive.read("_rels/.rels", _MOST_SIDE_BYTES), archive.name)
        for relation in root:
            if relation.get("Type", "").endswith("/officeDocument"):
                main = archive.resolve("", relation.get("Target", "")) or main
    return WordPackage(archive, main)


def _property(root: Element | None, name: str) -> str:
    return collapsed(text_of(first(root, name))) if root is not None else ""


@dataclass
class Numbering:
    """The labels of numbered and bulleted paragraphs, counted as they come."""

    _formats: dict[tuple[str, int], tuple[str, str, int]]
    """(list, level) -> (kind of number, pattern such as `%1.%2.`, first number)."""
    _lists: dict[str, str]
    """numId -> abstractNumId: lists that count on together."""
    _restarts: set[str] = field(default_factory=set)
    _counts: dict[str, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, root: Element | None) -> "Numbering":
        if root is None:
            return cls({}, {})
        lists = {
            attribute(num, "numId"): attribute(one, "val")
            for num in children(root, "num")
            for one in children(num, "abstractnumid")
        }
        formats = {key: value for num in children(root, "abstractnum") for key, value in _levels(num)}
        restarts = {
            attribute(num, "numId")
            for num in children(root, "num")
            if first(num, "startoverride") is not None
        }
        return cls(formats, lists, restarts)

    def label(self, number: str, level: int) -> str | None:
        """The label of the next paragraph of a list at a level from 0; None if the list does not exist."""
        key = self._lists.get(number)
        if key is None:
            return None
        kind, pattern, _ = self._formats.get((key, level), ("bullet", "", 1))
        if kind == "none":
            return ""
        if kind == "bullet":
            return "•"
        if (
            number in self._restarts
        ):  # a list that is told to begin anew; else it counts on where its like stopped
            self._restarts.discard(number)
            self._counts.pop(key, None)
        counts = self._counts.setdefault(key, [])
        while len(counts) <= level:
            counts.append(self._formats.get((key, len(counts)), ("", "", 1))[2] - 1)
        counts[level] += 1
        del counts[level + 1 :]
        for at in range(level + 1):
            kind_here = self._formats.get((key, at), ("decimal", "", 1))[0]
            form = _FORMS.get(kind_here, "1")
            pattern = pattern.replace(f"%{at + 1}", numeral(max(counts[at], 0), form))
        return pattern


def _levels(num: Element) -> Iterator[tuple[tuple[str, int], tuple[str, str, int]]]:
    for level in children(num, "lvl"):
        said = dict.fromkeys(("numfmt", "lvltext", "start"), "")
        for name in said:
            said[name] = next((attribute(one, "val") for one in children(level, name)), "")
        start = int(said["start"]) if said["start"].isdecimal() else 1
        number = attribute(level, "ilvl")
        key = attribute(num, "abstractNumId"), int(number) if number.isdecimal() else 0
        yield key, (said["numfmt"] or "decimal", said["lvltext"], start)


@dataclass(frozen=True)
class ParagraphStyle:
    """What a style says of a paragraph."""

    name: str = ""
    outline: int | None = None
    """Level of the heading from 0; None for body text."""
    number: str = ""
    """The list that it belongs to."""
    list_level: int = 0


def read_styles(root: Element | None) -> dict[str, ParagraphStyle]:
    """The paragraph styles by their id, with what they take over from the styles they are based on."""
    if root is None:
        return {}
    elements = {attribute(one, "styleId"): one for one in children(root, "style")}
    return {style: _style(style, elements) for style in elements}


def _style(style: str, elements: dict[str, Element]) -> ParagraphStyle:
    name, outline, number, level = "", None, "", 0
    seen: set[str] = set()
    while style in elements and style not in seen:  # styles based on each other in a circle end it
        seen.add(style)
        element = elements[style]
        name = name or next((attribute(one, "val").lower() for one in children(element, "name")), "")
        for said in descendants(element, "outlinelvl"):
            value = attribute(said, "val")
            outline = int(value) if outline is None and value.isdecimal() else outline
        for said in descendants(element, "numpr"):
            number = number or next((attribute(one, "val") for one in children(said, "numid")), "")
            level = level or int(next((attribute(one, "val") for one in children(said, "ilvl")), "0") or 0)
        style = next((attribute(one, "val") for one in children(element, "basedon")), "")
    return ParagraphStyle(name, outline, number, level)
