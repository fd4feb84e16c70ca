"""Money: $1.6B, 3,50 €, EUR 20, $5/month, with magnitudes, cents and ranges."""

import re
from collections.abc import Mapping

from pocketvoice.text.normalise.context import Context, Reading
from pocketvoice.text.normalise.languages.base import Currency, Language
from pocketvoice.text.normalise.numerals import SPACE
from pocketvoice.text.normalise.patterns import one_of
from pocketvoice.text.normalise.readers.amounts import MINUS, Amount, amounts_of
from pocketvoice.text.normalise.spoken import Kind

_CENT_FACTOR = {"¢": 1}


class Money:
    """Amounts with a sign, a code or the name of a currency."""

    def __init__(self, language: Language, signs: Mapping[str, str]) -> None:
        self._language = language
        self._amounts = amounts_of(language)
        self._signs = {sign.lower(): code for sign, code in signs.items() if code in language.currencies}
        names = one_of(self._signs)
        self._prefix = re.compile(
            rf"(?P<minus>[{MINUS}]?)(?P<sign>{names}){SPACE}?(?=[{MINUS}]?\.?\d)", re.IGNORECASE
        )
        self._suffix = re.compile(rf"{SPACE}?(?P<sign>{names})(?![^\W_])", re.IGNORECASE)
        self._repeated = re.compile(
            rf"{SPACE}?[-–]{SPACE}?(?:{names}){SPACE}?(?P<second>{language.numeral})", re.IGNORECASE
        )
        self._rates = {name.lower(): noun for name, noun in language.rates.items()}
        rates = one_of(language.rates)
        self._rate = re.compile(rf"{SPACE}?/{SPACE}?(?P<rate>{rates})(?![^\W_])", re.IGNORECASE)

    def read(self, context: Context, at: int) -> Reading | None:
        """An amount of money that begins at a sign, a code or a number."""
        if not context.starts_word(at):
            return None
        prefix = None if context.text[at].isdecimal() else self._prefix.match(context.text, at)
        if prefix:
            return self._prefixed(context, prefix)
        amount = self._amounts.at(context.text, at, money=True)
        suffix = self._suffix.match(context.text, amount.stop) if amount else None
        if amount is None or suffix is None:
            return None
        return self._reading(context, amount, self._signs[suffix["sign"].lower()], suffix.end())

    def _prefixed(self, context: Context, prefix: re.Match[str]) -> Reading | None:
        ranged = self._repeated
        amount = self._amounts.at(context.text, prefix.end(), money=True)
        if amount is None:
            return None
        code = self._signs[prefix["sign"].lower()]
        stop = amount.stop
        again = ranged.match(context.text, stop) if not amount.second else None
        upper = (
            self._amounts.at(context.text, again.start("second"), ranges=False, money=True) if again else None
        )
        if again and upper and not (amount.is_plain and upper.is_plain):
            words = f"{self._say(amount, code)} {self._language.phrases.to} {self._say(upper, code)}"
            return Reading(words, upper.stop, Kind.MONEY)
        if again:
            second = self._language.parse(again["second"])
            words = f"{self._say(amount, code)} {self._language.phrases.to} {self._language.money(second, self._currency(code))}"
            return Reading(words, again.end(), Kind.MONEY)
        suffix = self._suffix.match(context.text, stop)  # $5 USD
        if suffix and self._signs[suffix["sign"].lower()] and suffix["sign"].isalpha():
            code, stop = self._signs[suffix["sign"].lower()], suffix.end()
        minus = f"{self._language.phrases.minus} " if prefix["minus"] else ""
        reading = self._reading(context, amount, code, stop)
        return Reading(minus + reading.spoken, reading.stop, reading.kind)

    def _reading(self, context: Context, amount: Amount, code: str, stop: int) -> Reading:
        words = self._say(amount, code)
        rate = self._rate.match(context.text, stop)
        if rate:
            words += f" {self._language.per(self._rates[rate['rate'].lower()])}"
            stop = rate.end()
        return Reading(words, stop, Kind.MONEY)

    def _currency(self, code: str) -> Currency:
        return self._language.currencies[code]

    def _say(self, amount: Amount, code: str) -> str:
        currency = self._currency(code)
        if amount.is_plain:
            return self._amounts.sign(amount) + self._language.money(amount.first, currency)
        return self._amounts.say(amount, currency.unit)
