"""Tables of HTML: which hold data and which only lay out a page, and the rows of the former."""

from collections.abc import Iterator

from pocketvoice.documents.blocks import Block, Place, table_block
from pocketvoice.documents.flow import collapsed
from pocketvoice.documents.html.elements import BLOCKS, UNREAD
from pocketvoice.documents.xml import Element, local

_LAYOUT_INSIDE = {
    "table",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "pre",
    "blockquote",
    "form",
    "article",
}
_MOST_CELL_CHARS = 600


def is_data_table(table: Element) -> bool:
    """True if the cells belong together in rows; a table that only places things on the page is read as running text."""
    rows = list(_rows(table))
    if max((sum(_has_text(cell) for cell in row) for row in rows), default=0) < 2:
        return False
    if any(local(cell) == "th" for row in rows for cell in row):
        return not any(local(inner) == "table" for inner in table.iterdescendants())
    if table.get("role") in ("presentation", "none"):
        return False
    inside = {local(inner) for row in rows for cell in row for inner in cell.iterdescendants()}
    longest = max(len("".join(cell.itertext())) for row in rows for cell in row)
    return not inside & _LAYOUT_INSIDE and longest <= _MOST_CELL_CHARS and len(rows) >= 2


def _has_text(cell: Element) -> bool:
    return any(piece.strip() for piece in cell.itertext())


def rows_of(table: Element, place: Place) -> Block | None:
    """The table as a block; None if it is empty."""
    return table_block(([_cell_text(cell) for cell in row] for row in _rows(table)), place)


def _rows(table: Element) -> Iterator[list[Element]]:
    """The rows' cells; rows of tables inside are not among them."""
    todo = [iter(table)]
    while todo:
        child = next(todo[-1], None)
        if child is None:
            todo.pop()
        elif local(child) == "tr":
            yield [cell for cell in child if local(cell) in ("td", "th")]
        elif local(child) in ("thead", "tbody", "tfoot"):
            todo.append(iter(child))


def _cell_text(cell: Element) -> str:
    return collapsed("".join(_pieces(cell)))


def _pieces(cell: Element) -> Iterator[str]:
    """The texts inside, with a space where a block or a line begins."""
    todo: list[tuple[Element, bool]] = [(cell, False)]
    while todo:
        element, ended = todo.pop()
        tag = local(element)
        if ended:
            yield (" " if tag in BLOCKS else "") + (element.tail or "")
            continue
        if element is not cell:
            todo.append((element, True))
        if tag and tag not in UNREAD:
            yield " " if tag in BLOCKS or tag == "br" else ""
            yield element.text or ""
            todo += [(child, False) for child in reversed(element)]
