"""Numbers in words, by the rules of Unicode's CLDR: `unicode-rbnf` has them for all seven languages.

The rule set is always named: the library's own choice is feminine in three languages. The engine of a language is made
when its first number comes. Pure functions, usable from any thread.
"""

from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import lru_cache

LIMIT = 10**18
"""The rules know numbers below this."""
_EXACT = 10**15
"""The library reckons with floating point numbers: what has more digits is put together from two."""


_SMALL = 1000
"""Larger numbers are made of the words of smaller ones, which are kept."""


@lru_cache(maxsize=8)
def _rules(language: str) -> Callable[[int, str], str]:
    """The words of a number by a rule set of the language."""
    from unicode_rbnf import RbnfEngine  # 0.1 s: only when the first number comes

    words: dict[tuple[int, str], str] = {}

    class Remembering(RbnfEngine):
        """Does each number below a thousand once a rule set: a larger one is then two or three look-ups."""

        def iter_format_number(
            self,
            number: int | float | str | Decimal,
            ruleset_name: str,
            radix: int | None = None,
            tolerance: float = 1e-8,
        ) -> Iterable[str]:
            if not (isinstance(number, int) and 0 <= number < _SMALL):
                return super().iter_format_number(number, ruleset_name, radix, tolerance)
            known = words.get((number, ruleset_name))
            if known is None:
                known = "".join(super().iter_format_number(number, ruleset_name, radix, tolerance))
                words[number, ruleset_name] = known
            return (known,)

    engine = Remembering(language)
    engine.rulesets = RbnfEngine.for_language(language).rulesets
    return lambda number, rule_set: "".join(engine.iter_format_number(number, rule_set))


@lru_cache(maxsize=32768)
def spelled(language: str, number: int, rule_set: str) -> str:
    """`number`, from 0 to below LIMIT, in words."""
    assert 0 <= number < LIMIT, "the caller takes larger numbers apart"
    head, rest = divmod(number, _EXACT)
    if head and rest:
        ahead = spelled(language, head * _EXACT, rule_set.replace("ordinal", "numbering"))
        return f"{ahead} {spelled(language, rest, rule_set)}"
    return _rules(language)(number, f"spellout-{rule_set}").replace("\xad", "")
