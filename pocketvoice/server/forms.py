"""HTML forms, in both of their encodings, as text and files. Pure, and slow for large ones: to be called on a thread.

All text is UTF-8, whatever a request says: names of codecs come from outside nowhere, for some of them take minutes.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from pocketvoice.server.refusals import Refusal

_MOST_PARTS = 20
_MOST_HEAD = 4096  # bytes of a part's head
_MOST_BOUNDARY = 70  # the standard's limit


@dataclass
class Form:
    """What was filled in; of several fields of a name the last one."""

    fields: dict[str, str] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)


def read_form(content_type: str, body: bytes) -> Form:
    """The form in a request's body; raises Refusal (400) if it is none. Other content types are an empty form."""
    kind, options = parse_options_header(content_type[:_MOST_HEAD].encode("latin-1", "replace"))
    try:
        if kind == b"multipart/form-data":
            return _Parts(options.get(b"boundary", b"")).read(body)
        if kind == b"application/x-www-form-urlencoded":
            pairs = parse_qsl(
                body.decode(), keep_blank_values=True, max_num_fields=_MOST_PARTS, errors="strict"
            )
            return Form(dict(pairs))
    except UnicodeDecodeError as exc:
        raise _unreadable("its text is not UTF-8") from exc
    except (FormParserError, ValueError) as exc:
        raise _unreadable(str(exc)[:100]) from exc
    return Form()


def _unreadable(why: str) -> Refusal:
    return Refusal(400, f"The form can't be read: {why}.", code="invalid_form")


class _Parts:
    """Takes a multipart body apart; one body each."""

    def __init__(self, boundary: bytes) -> None:
        if not 0 < len(boundary) <= _MOST_BOUNDARY:
            raise ValueError("its boundary is missing or too long")
        self._boundary = boundary
        self._form = Form()
        self._count = 0
        self._head: dict[bytes, bytes] = {}
        self._name, self._value, self._data = bytearray(), bytearray(), bytearray()

    def read(self, body: bytes) -> Form:
        """The form; raises ValueError, UnicodeDecodeError and FormParserError."""
        take: dict[str, Callable[..., Any]] = {
            "on_part_begin": self._on_part_begin,
            "on_header_field": lambda data, start, end: self._add(self._name, data[start:end]),
            "on_header_value": lambda data, start, end: self._add(self._value, data[start:end]),
            "on_header_end": self._on_header_end,
            "on_part_data": lambda data, start, end: self._data.extend(data[start:end]),
            "on_part_end": self._on_part_end,
        }
        parser = MultipartParser(self._boundary, take)  # type: ignore[arg-type]  # a TypedDict, with all of these keys
        parser.write(body)
        parser.finalize()
        return self._form

    def _add(self, to: bytearray, piece: bytes) -> None:
        to += piece
        if sum(map(len, self._head.values())) + len(self._name) + len(self._value) > _MOST_HEAD:
            raise ValueError("the head of a part is too long")

    def _on_part_begin(self) -> None:
        self._count += 1
        if self._count > _MOST_PARTS:
            raise ValueError("it has too many fields")
        self._head, self._data = {}, bytearray()

    def _on_header_end(self) -> None:
        self._head[bytes(self._name).lower()] = bytes(self._value)
        self._name, self._value = bytearray(), bytearray()

    def _on_part_end(self) -> None:
        _, options = parse_options_header(self._head.get(b"content-disposition"))
        if b"name" not in options:
            raise ValueError("a field has no name")
        name = options[b"name"].decode()
        if b"filename" not in options:
            self._form.fields[name] = self._data.decode()
        elif options[b"filename"]:  # without a name, no file was chosen
            self._form.files[name] = bytes(self._data)
