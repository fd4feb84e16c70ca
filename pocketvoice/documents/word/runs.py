"""The runs of a paragraph of a DOCX into a flow: text, marks, notes, pages, links; what was deleted or hidden stays out."""

from dataclasses import dataclass, field

from pocketvoice.documents.blocks import MarkKind
from pocketvoice.documents.flow import Flow
from pocketvoice.documents.xml import Element, attribute, children, local, text_of

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_UNREAD = {
    "del",
    "movefrom",
    "ppr",
    "rpr",
    "instrtext",
    "deltext",
    "delinstrtext",
    "fallback",
    "rt",
    "sdtpr",
    "tblpr",
    "txbxcontent",
}
_OFF = ("0", "false", "off", "none")


@dataclass
class Runs:
    """Adds paragraphs to a flow."""

    flow: Flow
    links: dict[str, str]
    note_calls: list[tuple[str, str, str]] = field(default_factory=list)
    """(footnote or endnote, id, label) of the notes that were called and are to be shown next."""
    notes_called: int = 0
    pages: int = 1

    def add(self, paragraph: Element, *, preformatted: bool = False) -> list[Element]:
        """Adds the text of a paragraph; its text boxes are handed back, to stand behind it."""
        boxes: list[Element] = []
        todo: list[tuple[Element, int]] = [(paragraph, -1)]
        while todo:
            element, opened = todo.pop()
            if opened >= 0:
                for _ in range(opened):
                    self.flow.close()
                continue
            tag = local(element)
            if tag == "txbxcontent":
                boxes.append(element)
            if tag in _UNREAD or (tag == "r" and _is_hidden(element)):
                continue
            if tag == "omath":
                self.flow.text(text_of(element))
                continue
            self._leaf(element, tag, preformatted)
            marks = self._marks(element, tag)
            for kind, target in marks:
                self.flow.open(kind, target)
            if marks:
                todo.append((element, len(marks)))
            todo += [(child, -1) for child in reversed(element)]
        return boxes

    def _leaf(self, element: Element, tag: str, preformatted: bool) -> None:
        if tag == "t":
            self.flow.text(element.text or "", preformatted=preformatted)
        elif tag in ("tab", "ptab") and local(element.getparent()) == "r":
            self.flow.text("\t" if preformatted else " ", preformatted=preformatted)
        elif tag in ("br", "cr"):
            if attribute(element, "type") not in ("page", "column"):
                self.flow.line_break()
        elif tag == "nobreakhyphen":
            self.flow.text("-")
        elif tag == "sym":
            self._symbol(element)
        elif tag == "lastrenderedpagebreak":
            self.pages += 1
            self.flow.point(MarkKind.PAGE, str(self.pages))
        elif tag == "bookmarkstart" and (name := attribute(element, "name")) not in ("", "_GoBack"):
            self.flow.name(f"#{name}")
        elif tag in ("footnotereference", "endnotereference"):
            self._note(tag.removesuffix("reference"), attribute(element, "id"))

    def _note(self, kind: str, number: str) -> None:
        self.notes_called += 1
        label = str(self.notes_called)
        self.flow.point(MarkKind.NOTE, label, f"#{kind}-{number}")
        self.note_calls.append((kind, number, label))

    def _symbol(self, element: Element) -> None:
        code = attribute(element, "char")
        try:
            letter = chr(int(code, 16))
        except ValueError:
            return
        if not "\ue000" <= letter <= "\uf8ff":  # signs of a symbol font have no meaning without it
            self.flow.text(letter)

    def _marks(self, element: Element, tag: str) -> list[tuple[MarkKind, str]]:
        if tag == "hyperlink":
            anchor = attribute(element, "anchor")
            return [(MarkKind.LINK, f"#{anchor}" if anchor else self.links.get(attribute(element, "id"), ""))]
        if tag != "r":
            return []
        properties = next(children(element, "rpr"), None)
        if properties is None:
            return []
        marks = []
        for name, kind in (("b", MarkKind.STRONG), ("i", MarkKind.EMPHASIS)):
            if _is_on(properties, name):
                marks.append((kind, ""))
        if property_of(properties, "rstyle").lower() in ("verbatimchar", "htmlcode", "sourcetext"):
            marks.append((MarkKind.CODE, ""))
        return marks


def property_of(properties: Element | None, name: str) -> str:
    """The value of a property; empty if it is not given."""
    if properties is None:
        return ""
    return next((attribute(one, "val") for one in children(properties, name)), "")


def _is_on(properties: Element, name: str) -> bool:
    return any(attribute(one, "val") not in _OFF for one in children(properties, name))


def _is_hidden(run: Element) -> bool:
    return any(_is_on(properties, "vanish") for properties in children(run, "rpr"))
