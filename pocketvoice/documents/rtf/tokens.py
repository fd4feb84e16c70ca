"""RTF to tokens: groups, control words with their numbers, text with its bytes decoded by the code page in force."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z'])|([{}])|[\r\n]+|([^\\{}\r\n]+)|\\"
)


class Token(NamedTuple):
    """One token; one of the fields is set."""

    word: str = ""
    """A control word, or a control sign such as `*` and `~`."""
    number: int | None = None
    """The number of a control word."""
    data: bytes = b""
    """Text as it lies in the file."""
    brace: str = ""
    is_hex: bool = False
    """The data was written as `\\\\'e4`."""


def tokens(data: bytes) -> Iterator[Token]:
    """The tokens of a file, pictures in binary form skipped."""
    at = 0
    while found := _TOKEN.search(data, at):
        at = found.end()
        word, number, code, sign, brace, text = found.groups()
        if word is not None:
            value = int(number) if number else None
            if word == b"bin" and value:
                at += max(value, 0)
            yield Token(word.decode("ascii"), value)
        elif code is not None:
            yield Token(data=bytes.fromhex(code.decode("ascii")), is_hex=True)
        elif sign is not None:
            yield Token("\n" if sign in b"\r\n" else sign.decode("latin-1"))
        elif brace is not None:
            yield Token(brace=brace.decode("ascii"))
        elif text is not None:
            yield Token(data=text)


CHARSETS = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gb18030", 136: "big5", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250", 254: "cp437",
    255: "cp850",
}  # fmt: skip
"""Numbers of character sets in the table of fonts."""
