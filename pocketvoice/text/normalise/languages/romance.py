"""What French, Italian, Spanish and Portuguese share: fractions of money, places for `of`, decimals that go in pairs."""

from pocketvoice.text.normalise.languages.base import Currency, Language, Noun
from pocketvoice.text.normalise.numerals import Numeral


class Romance(Language):
    """Common ways; the four differ in their tables and in the hooks at the end."""

    def short_year(self, year: str) -> str:
        if len(year) == 4:
            return self.year(int(year))
        return self.year(int(year) + (2000 if int(year) < 70 else 1900))

    def money(self, numeral: Numeral, currency: Currency) -> str:
        cents = self.cents(numeral)
        if cents is None or currency.cent is None:
            return self.counted(numeral, currency.unit)
        if not cents:
            return self.money_counted(Numeral(numeral.whole or "0"), currency.unit)
        small = self.counted(Numeral(str(cents)), currency.cent)
        if not numeral.integer:
            return small
        return self.with_cents(
            self.counted(Numeral(numeral.whole or "0"), currency.unit), small, cents, currency
        )

    def money_counted(self, numeral: Numeral, noun: Noun) -> str:
        """A round sum; millions are `of` something."""
        if numeral.integer >= 10**6 and numeral.integer % 10**6 == 0:
            return f"{self.cardinal(numeral.integer, noun.gender, True)} {self.of_scale(noun)}"
        return self.counted(numeral, noun)

    def with_cents(self, head: str, small: str, cents: int, currency: Currency) -> str:
        """Twelve euros and fifty cents."""
        return f"{head} {self.phrases.and_} {small}"

    def in_pairs(self, digits: str) -> str:
        """14 15 for 1415, zero one for 01."""
        pairs = (digits[i : i + 2] for i in range(0, len(digits), 2))
        return " ".join(
            self.digits(pair) if pair[0] == "0" or len(pair) == 1 else self.cardinal(int(pair))
            for pair in pairs
        )

    def of_scale(self, noun: Noun) -> str:
        return f"de {noun.many}"

    def gendered(
        self, word: str, feminine: frozenset[str], masculine: frozenset[str], endings: tuple[str, ...]
    ) -> str:
        """The gender of a noun by lists and by its ending."""
        lower = word.lower()
        if lower in masculine:
            return "m"
        return "f" if lower in feminine or lower.endswith(endings) else "m"
