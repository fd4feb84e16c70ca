"""Any file in, a `Document` of chapters and blocks out: text, Markdown, HTML, PDF, EPUB, DOCX, ODT, RTF, FB2, subtitles, mail.

Only names live here; everything is loaded when it is first used, a format's library when the first file of its kind is
opened. Nothing is ever fetched from the network, nothing is unpacked to the disk.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pocketvoice.documents.blocks import Block, BlockKind, BlockText, Mark, MarkKind, Place
    from pocketvoice.documents.document import Details, Document, Part
    from pocketvoice.documents.faults import DocumentError, NoTextError, ProtectedDocumentError
    from pocketvoice.documents.opening import (
        EXTENSIONS,
        can_open,
        document_from_bytes,
        document_from_html,
        document_from_text,
        open_document,
    )
    from pocketvoice.documents.positions import Chapter, ContentsEntry, Position

__all__ = [
    "open_document",
    "document_from_bytes",
    "document_from_html",
    "document_from_text",
    "can_open",
    "EXTENSIONS",
    "Document",
    "Details",
    "Part",
    "Block",
    "BlockKind",
    "BlockText",
    "Mark",
    "MarkKind",
    "Place",
    "Chapter",
    "ContentsEntry",
    "Position",
    "DocumentError",
    "NoTextError",
    "ProtectedDocumentError",
]

_HOMES = {
    "blocks": ("Block", "BlockKind", "BlockText", "Mark", "MarkKind", "Place"),
    "document": ("Document", "Details", "Part"),
    "faults": ("DocumentError", "NoTextError", "ProtectedDocumentError"),
    "positions": ("Chapter", "ContentsEntry", "Position"),
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'pocketvoice.documents' has no attribute {name!r}")
    home = next((home for home, names in _HOMES.items() if name in names), "opening")
    return getattr(import_module(f"pocketvoice.documents.{home}"), name)
