"""Why a document can't be opened: errors of this room, each with one sentence and the remedy, below `InputError`.

InputError
`-- DocumentError                  a file that holds no document we can read: of another kind, damaged, too large
    |-- ProtectedDocumentError     encrypted or locked to a shop's programs
    `-- NoTextError                a document without text: a scan, or empty
"""

from pocketvoice.errors import InputError


class DocumentError(InputError):
    """A file that holds no document that can be read."""


class ProtectedDocumentError(DocumentError):
    """A document that is encrypted, or locked to the programs of a shop."""


class NoTextError(DocumentError):
    """A document that holds no text: pictures of pages, or nothing at all."""


def damaged(name: str, detail: str) -> DocumentError:
    """The error for a file whose inside does not hold together; `detail` goes to the log."""
    return DocumentError(
        f"{name} is damaged or not complete: get it again, or save it anew in its own program.", detail=detail
    )


def too_large(name: str, most_bytes: int) -> DocumentError:
    """The error for a file, or for what it unpacks to, above a limit."""
    megabytes = most_bytes // 1_000_000
    return DocumentError(
        f"{name} is too large to read ({megabytes} MB of text at most): split it and open a part."
    )
