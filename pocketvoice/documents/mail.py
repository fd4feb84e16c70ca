"""E-mails (.eml) and pages saved as MHTML: the part that a person reads, its encoding undone; attachments stay closed."""

import re
from collections.abc import Iterator, Sequence
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import getaddresses

from pocketvoice.documents.blocks import Block, BlockKind
from pocketvoice.documents.document import Details, Part
from pocketvoice.documents.encoding import decode
from pocketvoice.documents.faults import NoTextError, damaged
from pocketvoice.documents.flow import collapsed
from pocketvoice.documents.html.page import FragmentReader, PageReader, html_text
from pocketvoice.documents.plain import plain_blocks
from pocketvoice.documents.positions import ContentsEntry
from pocketvoice.documents.source import Source

_MOST_BOUNDARIES = 2000


def open_reader(source: Source) -> "PageReader | MailReader":
    data = source.data()
    if data.lower().count(b"boundary=") > _MOST_BOUNDARIES:
        raise damaged(source.name, "a mail of thousands of parts")
    message = BytesParser(policy=policy.default).parsebytes(data)
    assert isinstance(message, EmailMessage)
    body = message.get_body(("html",)) if message.get("Snapshot-Content-Location") else None
    if message.get_content_type() == "multipart/related" and not message.get("To"):
        body = body or message.get_body(("html",))
        if isinstance(body, EmailMessage):
            return PageReader(html_text(_bytes_of(body), source.name), source.name)
    return MailReader(message, source.name)


class MailReader:
    """Reads a mail: its subject as the heading, then its text."""

    parts: Sequence[Part] = (Part(),)
    needs_file = False
    contents: Sequence[ContentsEntry] = ()

    def __init__(self, message: EmailMessage, name: str) -> None:
        self._name = name
        body = message.get_body(("html", "plain"))
        plain = message.get_body(("plain",))
        if body is None:
            raise NoTextError(f"{name} is a mail without text: open what is attached to it instead.")
        self._body = plain if plain is not None and _is_richer(plain, body) else body
        senders = getaddresses([str(message.get("From", ""))])
        authors = tuple(collapsed(called or address) for called, address in senders if called or address)
        language = collapsed(str(message.get("Content-Language", ""))).split(",")[0]
        self.details = Details(collapsed(str(message.get("Subject", ""))), authors, language)

    def read(self, part: int) -> Iterator[Block]:
        if self.details.title:
            yield Block(BlockKind.HEADING, self.details.title, 1)
        if self._body.get_content_type() == "text/html":
            yield from FragmentReader(html_text(_bytes_of(self._body), self._name), self._name).read(0)
        else:
            yield from plain_blocks(_unflowed(_plain_text(self._body, self._name), self._body))

    def cover(self) -> bytes | None:
        return None

    def close(self) -> None:
        pass


def _is_richer(plain: object, body: object) -> bool:
    """True if the plain text is the one to read: the other is empty."""
    return isinstance(body, EmailMessage) and not re.sub(rb"<[^>]*>|\s", b"", _bytes_of(body))


def _bytes_of(part: object) -> bytes:
    payload = part.get_payload(decode=True) if isinstance(part, EmailMessage) else None
    return payload if isinstance(payload, bytes) else b""


def _plain_text(part: object, name: str) -> str:
    charset = part.get_content_charset("") if isinstance(part, EmailMessage) else ""
    return decode(_bytes_of(part), name, declared=str(charset or ""))


def _unflowed(text: str, part: object) -> str:
    """Lines that a mail program broke, joined again where it says that it may be done (RFC 3676)."""
    if not isinstance(part, EmailMessage) or part.get_param("format", "") != "flowed":
        return text
    lines: list[str] = []
    goes_on = False
    for line in text.split("\n"):
        if goes_on and not line.startswith(">") and line != "-- ":
            lines[-1] += line
        else:
            lines.append(line)
        goes_on = line.endswith(" ") and line != "-- "
    return "\n".join(lines)
