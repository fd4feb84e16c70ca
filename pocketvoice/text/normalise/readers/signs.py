"""Signs that are read: mathematics, #1, &, %, §, degrees, Greek letters by name; other signs are left to the preparation."""

import re

from pocketvoice.text.normalise.context import Context, Reading
from pocketvoice.text.normalise.languages.base import Language
from pocketvoice.text.normalise.numerals import FRACTION_SIGNS, SPACE
from pocketvoice.text.normalise.readers.amounts import Amounts
from pocketvoice.text.normalise.spoken import Kind

_OPERAND = r"[\w)\]°%²³π∞]"
_NUMBER_SIGN = re.compile(rf"#{SPACE}?(?=\d)|№{SPACE}?(?=\d)")
_PARAGRAPH = re.compile(rf"(?P<signs>§{{1,2}}){SPACE}?(?=\d)")
_POWERED = re.compile(
    r"(?P<base>[b-df-hj-np-tv-xzB-DF-HJ-NP-TV-XZ]{2}(?=[²³])|[a-zA-Zα-ω])(?:\^\{?(?P<caret>[-−]?\d{1,3}|[a-z])\}?|(?P<sup>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}))(?![^\W_])"
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻₀₁₂₃₄₅₆₇₈₉", "0123456789-0123456789")
_SUBSCRIPTED = re.compile(r"[₀₁₂₃₄₅₆₇₈₉]{1,4}")
_SUPERSCRIPTED = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4}")
_BETWEEN_WORDS = re.compile(rf"{SPACE}?&{SPACE}?")
_GREEK = re.compile(r"[Α-Ωα-ωµϕϵ](?![Ͱ-Ͽἀ-῿])")
_EQUATION = re.compile(r"[=≠≈≤≥<>±×÷√∑∫∞^+*/−]|\d\s*-\s*\d")


class Signs:
    """Signs of one language."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._amounts = Amounts(language)
        p = language.phrases
        self._relations = {
            "=": p.equals, "≠": p.not_equal, "≈": p.about, "<": p.less, ">": p.greater, "≤": p.less_equal, "≥": p.greater_equal,
            "×": p.times, "÷": p.divided, "±": p.plus_minus, "√": p.root, "∞": p.infinity, "+": p.plus, "−": p.minus, "⋅": p.times,
            "⁄": p.over,
            "≡": p.equals, "∼": p.about, "≅": p.about,
        }  # fmt: skip
        self._alone = {
            "%": p.percent,
            "‰": p.permille,
            "&": p.ampersand,
            "€": p.euro,
            "$": p.dollar,
            "£": p.pound,
            "¥": p.yen,
        }
        self._alone |= language.lone_signs

    def read(self, context: Context, at: int) -> Reading | None:
        """Whatever a sign that stands there says."""
        char = context.text[at]
        return (
            self._numbering(context, at)
            or self._signed(context, at, char)
            or self._relation(context, at, char)
            or self._lone(context, at, char)
        )

    def read_letter(self, context: Context, at: int) -> Reading | None:
        """x², a^n, and Greek letters by themselves."""
        if not context.starts_word(at):
            return None
        match = _POWERED.match(context.text, at)
        if match:
            base = self._language.letters.get(match["base"], match["base"])
            base = self._language.initials(base) if len(match["base"]) == 2 else base
            power = (match["caret"] or match["sup"].translate(_SUPERSCRIPTS)).replace("−", "-")
            words = (
                self._language.to_the_power(base, int(power))
                if not power.isalpha()
                else f"{base} {self._language.phrases.power} {power}"
            )
            return Reading(words, match.end(), Kind.SIGN)
        match = _GREEK.match(context.text, at)
        name = self._language.letters.get(match[0]) if match else None
        return Reading(name, at + 1, Kind.GREEK) if name and match else None

    def _numbering(self, context: Context, at: int) -> Reading | None:
        match = _NUMBER_SIGN.match(context.text, at)
        if match and context.starts_word(at):
            return Reading(self._language.phrases.number, match.end(), Kind.SIGN)
        match = _PARAGRAPH.match(context.text, at)
        if match:
            phrases = self._language.phrases
            return Reading(
                phrases.sections if len(match["signs"]) > 1 else phrases.section, match.end(), Kind.SIGN
            )
        return None

    def _signed(self, context: Context, at: int, char: str) -> Reading | None:
        """-5, +3, ½, .5: a number that begins with a sign."""
        follows = context.char(at + 1)
        if (
            char in FRACTION_SIGNS
            or (char in "+±" and follows.isdecimal())
            or (char == "." and follows.isdecimal())
            or self._is_minus(context, at, char)
        ):
            if char == "." and (context.char(at - 1).isalnum() or context.char(at - 1) == "."):
                return None
            if char in "+±" and context.char(at - 1).isalnum():
                return None
            amount = self._amounts.at(context.text, at, ranges=False)
            return None if amount is None else Reading(self._amounts.say(amount), amount.stop, Kind.CARDINAL)
        return None

    @staticmethod
    def _is_minus(context: Context, at: int, char: str) -> bool:
        """A dash right before a number, behind a space or an opening bracket; a real minus sign always."""
        follows = context.char(at + 1)
        if char == "−":
            return follows.isdecimal() and not context.char(at - 1).isalnum()
        behind = context.char(at - 1)
        return (
            char in "-–"
            and (follows.isdecimal() or (follows == "." and context.char(at + 2).isdecimal()))
            and behind in " \u00a0\n(=:,;/?!\"'["  # or nothing at all
        )

    def _relation(self, context: Context, at: int, char: str) -> Reading | None:
        """= + × between what can be reckoned with."""
        words = self._relations.get(char)
        if words is None and char in "-*/:" and self._is_reckoning(context, at, char):
            words = {
                "-": self._language.phrases.minus,
                "*": self._language.phrases.times,
                "/": self._language.phrases.divided,
                ":": self._language.phrases.divided,
            }[char]
        if words is None:
            return None
        if char in "<>=" and context.char(at + 1) == "=":
            words = {
                "<": self._language.phrases.less_equal,
                ">": self._language.phrases.greater_equal,
                "=": self._language.phrases.equals,
            }[char]
            return Reading(words, at + 2, Kind.SIGN)
        if char in "<>" and not self._has_operand(context, at):
            return None
        if char == "+" and not self._has_operand(context, at):
            return self._suffix_plus(context, at)
        if char in "<>≤≥" and len(context.before(at)) > 1 and context.before(at).isalpha():
            words = words.removeprefix("is ")
        return Reading(words, at + 1, Kind.SIGN)

    def _suffix_plus(self, context: Context, at: int) -> Reading | None:
        """C++, 18+."""
        if not context.char(at - 1).isalnum() and context.char(at - 1) != "+":
            return None
        return Reading(self._language.phrases.plus, at + 1, Kind.SIGN)

    @staticmethod
    def _has_operand(context: Context, at: int) -> bool:
        text = context.text
        after = text[at + 1 : at + 4].lstrip(" =\u00a0")[:1]
        return bool(after) and (after.isalnum() or after in "-−(√$€£.")

    @staticmethod
    def _is_reckoning(context: Context, at: int, char: str) -> bool:
        """A sign with other meanings counts only in a line with = or its like, between operands."""
        start = context.text.rfind("\n", 0, at) + 1
        around = context.text[max(start, at - 40) : at], context.text[at + 1 : at + 41]
        if not around[0].rstrip()[-1:].isalnum() and around[0].rstrip()[-1:] != ")":
            return False
        near = around[1].lstrip()[:1]
        if not (near.isalnum() or near in "(√") or (char != "*" and re.match(r"\s*[^\W\d_]{2}", around[1])):
            return False
        line = (around[0] + around[1]).replace("->", "").replace("=>", "")
        if char == "*":
            return (
                bool(re.search(r"\d\s*\Z", around[0])) and bool(re.match(r"\s*\d", around[1]))
            ) or "=" in line
        return "=" in line and bool(re.search(r"(?<![^\W_])[^\W_]\s*\Z|\d\s*\Z", around[0]))

    def _lone(self, context: Context, at: int, char: str) -> Reading | None:
        if char == "/" and self._is_slash(context, at):
            return Reading(self._language.phrases.slash, at + 1, Kind.SIGN)
        if (char == "@" and context.char(at + 1) in (" ", "\u00a0")) or (
            char == "@" and context.char(at + 1).isdecimal()
        ):
            return Reading(self._language.phrases.at, at + 1, Kind.SIGN)
        if char == "~" and context.char(at + 1).isdecimal():
            return Reading(self._language.phrases.about, at + 1, Kind.SIGN)
        if char == "°":
            return Reading(self._language.phrases.degrees.many, at + 1, Kind.SIGN)
        if char == "#" and (context.char(at - 1).isalnum() and not context.char(at + 1).isalnum()):
            return Reading(self._language.sharp(context.char(at - 1)), at + 1, Kind.SIGN)
        match = _SUBSCRIPTED.match(context.text, at) or _SUPERSCRIPTED.match(context.text, at)
        if match:
            return Reading(
                self._language.cardinal(int(match[0].translate(_SUPERSCRIPTS))), match.end(), Kind.CARDINAL
            )
        words = self._alone.get(char)
        return Reading(words, at + 1, Kind.SIGN) if words else None

    def _is_slash(self, context: Context, at: int) -> bool:
        """Said between words where it does not only mean `or`."""
        return (
            self._language.says_slash
            and (context.char(at - 1).isalnum() or context.char(at - 1) in " ")
            and context.char(at + 1) not in "/>"
        )
