"""Numbers as labels of lists write them: digits, letters, Roman numerals."""

from itertools import repeat

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"),
    (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


def roman(value: int) -> str:
    """`xiv` for 14; digits where the Romans had none."""
    if not 0 < value < 4000:
        return str(value)
    text = ""
    for worth, sign in _ROMAN:
        text += "".join(repeat(sign, value // worth))
        value %= worth
    return text


def letter(value: int) -> str:
    """`a` for 1, `z` for 26, `aa` for 27; digits for what is not positive."""
    if value < 1:
        return str(value)
    text = ""
    while value:
        value, rest = divmod(value - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


def numeral(value: int, form: str) -> str:
    """The number in the form whose first is `1`, `a`, `A`, `i` or `I`."""
    written = {"a": letter, "i": roman}.get(form.lower(), str)(value)
    return written.upper() if form in ("A", "I") else written
