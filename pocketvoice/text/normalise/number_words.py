"""Numbers in words, by the rules of Unicode's CLDR: `unicode-rbnf` has them for all seven languages.

The rule set is always named: the library's own choice is feminine in three languages. The engine of a language is made
when its first number comes. Pure functions, usable from any thread.
"""

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unicode_rbnf import RbnfEngine

LIMIT = 10**18
"""The rules know numbers below this."""
_EXACT = 10**15
"""The library reckons with floating point numbers: what has more digits is put together from two."""


@lru_cache(maxsize=8)
def _engine(language: str) -> "RbnfEngine":
    from unicode_rbnf import RbnfEngine  # 0.1 s: only when the first number comes

    return RbnfEngine.for_language(language)


@lru_cache(maxsize=32768)
def spelled(language: str, number: int, rule_set: str) -> str:
    """`number`, from 0 to below LIMIT, in words."""
    assert 0 <= number < LIMIT, "the caller takes larger numbers apart"
    head, rest = divmod(number, _EXACT)
    if head and rest:
        ahead = spelled(language, head * _EXACT, rule_set.replace("ordinal", "numbering"))
        return f"{ahead} {spelled(language, rest, rule_set)}"
    return (
        _engine(language)
        .format_number(number, ruleset_names=[f"spellout-{rule_set}"])
        .text.replace("\xad", "")
    )
