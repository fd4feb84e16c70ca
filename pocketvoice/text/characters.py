"""What becomes of single characters the models never learnt, for every language and whatever the model's own rules say.

Decided by the character alone: typographic forms get their plain one, what is only seen and not read is dropped. Letters
and digits of every script are kept. Quotes become `"`, brackets `(` and `)`, dashes `–`, all of which `clean` then turns
into breaks according to what stands around them.
"""

import unicodedata
from functools import lru_cache

DOUBLE_QUOTE, OPEN, CLOSE, DASH = '"', "(", ")", "–"

_PLAIN = {
    **dict.fromkeys("’‘‛ʼʹ′`´＇‚", "'"),
    **dict.fromkeys('„“”‟″«»‹›〝〞〟「」『』＂"', DOUBLE_QUOTE),
    **dict.fromkeys("[{", OPEN), **dict.fromkeys("]}", CLOSE),
    **dict.fromkeys("‐‑⁃﹣－⁻−", "-"),
    "\\": " ",
    **dict.fromkeys("¿¡¨¯¸˜©®™†‡¶※⁂", ""),
    "…": "...",
    "。": ". ", "．": ". ", "｡": ". ", "।": ". ", "॥": ". ", "։": ". ", "።": ". ", "۔": ". ",
    "！": "! ", "？": "? ", "؟": "? ", "‼": "! ", "⁇": "? ", "⁈": "? ", "⁉": "? ",
    "，": ", ", "、": ", ", "､": ", ", "،": ", ", "；": "; ", "؛": "; ", "：": ": ",
    "|": ", ", "¦": ", ", "•": ", ", "‣": ", ", "◦": ", ", "∙": ", ",
}  # fmt: skip

# Pictographs beside the symbols of other categories: also those newer than this Python's tables, and skin tones.
_PICTOGRAPHS = (
    (0x2300, 0x23FF), (0x2500, 0x27BF), (0x2B00, 0x2BFF), (0x1F000, 0x1F0FF), (0x1F18E, 0x1F64F),
    (0x1F650, 0x1FAFF),
)  # fmt: skip
_ARROWS = ((0x2190, 0x21FF), (0x27F0, 0x27FF), (0x2900, 0x297F))
_VARIATION = ((0xFE00, 0xFE0F), (0x180B, 0x180F), (0xE0100, 0xE01EF), (0x20DD, 0x20E4))


@lru_cache(maxsize=8192)
def plain(character: str) -> str:
    """What is read in place of `character`: itself, another form, a space, or nothing."""
    if character in _PLAIN:
        return _PLAIN[character]
    code = ord(character)
    if character.isalnum() or (code < 0x7F and character.isprintable()):
        return character
    if character.isspace():
        return " "
    return _by_range(code) if _is_in(code, *_ARROWS, *_PICTOGRAPHS, *_VARIATION) else _by_category(character)


def _by_range(code: int) -> str:
    if _is_in(code, *_ARROWS):
        return ", "
    return "" if _is_in(code, *_VARIATION) else " "


def _by_category(character: str) -> str:
    category = unicodedata.category(character)
    # Controls, invisible marks, halves of surrogate pairs, private use, and the two code points of each plane that are none.
    if category in ("Cc", "Cf", "Cs", "Co") or ord(character) & 0xFFFE == 0xFFFE:
        return ""
    if category in ("Ps", "Pe", "Pi", "Pf"):  # brackets that open and close, quotation marks likewise
        return {"Ps": OPEN, "Pe": CLOSE}.get(category, DOUBLE_QUOTE)
    if category == "Pd":
        return DASH
    return " " if category == "So" and not _has_plain_form(character) else character


def _has_plain_form(character: str) -> bool:
    """Symbols that are letters or digits in a frame or a square (№, ℃, ㎏) are read, and so is the degree sign."""
    return character == "°" or any(map(str.isalnum, unicodedata.normalize("NFKC", character)))


def _is_in(code: int, *ranges: tuple[int, int]) -> bool:
    return any(first <= code <= last for first, last in ranges)
