"""Characters in their plainest form, each still knowing its place: what looks the same is written the same from here on.

Accents are composed, apostrophes straight, ligatures and full-width forms taken apart, invisible characters dropped.
Knows no language.
"""

import re
import unicodedata
from functools import lru_cache

from pocketvoice.text.traced import TracedText

_APOSTROPHES = "’‘‛ʼ′`´＇ʹ"
_SPECIAL = {
    **dict.fromkeys(_APOSTROPHES.replace("`", ""), "'"),
    "″": '"', "‐": "-", "‑": "-", "⁃": "-", "﹣": "-", "－": "-", "…": "...", "\u2212": "−", "∶": ":", "∕": "/", "⁄": "⁄",
    "\u202f": "\u00a0", "\u2009": "\u00a0", "\u2007": "\u00a0", "∙": "⋅", "µ": "μ", "ﬅ": "st", "\u20e3": "",
}  # fmt: skip
_KEPT = frozenset("ªº№…⁄½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒⁰¹²³⁴⁵⁶⁷⁸⁹⁻\u00a0")
_FAST = re.compile(r"[ -_a-~\n¡-¦«»¿-ÿ–—“”„]*")


def canonical(traced: TracedText) -> TracedText:
    """The text in its plain form."""
    if _FAST.fullmatch(traced.text):
        return traced
    traced = traced.composed()
    changes = {c: new for c in set(traced.text) if (new := _plain(c)) != c}
    if not changes:
        return traced
    pattern = re.compile("[" + "".join(map(re.escape, sorted(changes))) + "]")
    return traced.sub(pattern, lambda match: (changes[match[0]],), covering=True)


@lru_cache(maxsize=8192)
def _plain(char: str) -> str:
    if char in _SPECIAL:
        return _SPECIAL[char]
    if char in _KEPT or char.isascii():
        return "" if char < " " and char not in "\n\t\r\v\f" else char
    category = unicodedata.category(char)
    if (
        category in ("Cf", "Cc", "Cs", "Co", "Cn")
        or "\ufe00" <= char <= "\ufe0f"
        or "\U000e0100" <= char <= "\U000e01ef"
    ):
        return "\n" if char == "\x85" else ""
    if category == "Zs":
        return " "
    if category == "Nd":
        return str(unicodedata.decimal(char))
    if "₀" <= char <= "₉":
        return chr(ord(char) - ord("₀") + ord("0"))
    compatible = unicodedata.normalize("NFKC", char)
    if char not in "°♯♭" and (
        (category == "So" and compatible == char) or "\U0001f3fb" <= char <= "\U0001f3ff"
    ):
        return " "  # pictures are seen, not read
    if compatible != char and category in ("Ll", "Lu", "Lm", "Lo", "No", "So", "Nl", "Lt"):
        return _spaced(compatible, category)
    return char


def _spaced(compatible: str, category: str) -> str:
    """Numbers in circles and the like stand by themselves; letters stay where they are."""
    if "\u0300" <= compatible[:1] <= "\u036f" or compatible.startswith(" "):
        return ""
    return f" {compatible} " if category in ("No", "So") and compatible[:1].isdecimal() else compatible
