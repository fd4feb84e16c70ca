"""Numbers as they are said; pure Python."""


def _words(text: str) -> list[str]:
    return text.split()


ONES = _words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
TENS = _words("x x twenty thirty forty fifty sixty seventy eighty ninety")


def number_words(n: int) -> list[str]:
    """0..9999 in words; 1100..2099 the way years are said."""
    if n < 20:
        return [ONES[n]]
    if n < 100:
        return [TENS[n // 10]] + ([ONES[n % 10]] if n % 10 else [])
    if 1100 <= n < 2000 or 2010 <= n < 2100:
        rest = n % 100
        return number_words(n // 100) + (
            ["hundred"] if rest == 0 else (["oh"] if rest < 10 else []) + number_words(rest)
        )
    unit, name = (1000, "thousand") if n >= 1000 else (100, "hundred")
    return number_words(n // unit) + [name] + (number_words(n % unit) if n % unit else [])
