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


@lru_cache(maxsize=8)
def _engine(language: str) -> "RbnfEngine":
    from unicode_rbnf import RbnfEngine  # 0.1 s: only when the first number comes

    return RbnfEngine.for_language(language)


@lru_cache(maxsize=32768)
def spelled(language: str, number: int, rule_set: str) -> str:
    """`number`, from 0 to below LIMIT, in words."""
    assert 0 <= number < LIMIT, "the caller takes larger numbers apart"
    return (
        _engine(language)
        .format_number(number, ruleset_names=[f"spellout-{rule_set}"])
        .text.replace("\xad", "")
    )
