"""Numbers with several points: IP addresses and versions."""

import re

from pocketvoice.text.normalise.context import Context, Reading
from pocketvoice.text.normalise.languages.base import Language
from pocketvoice.text.normalise.spoken import Kind

_DOTTED = re.compile(r"\d{1,5}(?:\.\d{1,5}){2,5}(?![\d]|\.\d)(?:/\d{1,2}(?!\d))?")
_SHORT = re.compile(r"\d{1,3}\.\d{1,4}(?![\d]|[.,]\d)")
_PREFIXED = re.compile(r"[vV](?=\d{1,4}(?:\.\d{1,5}){0,4}(?![^\W_]))")
_PORT = re.compile(r":(\d{2,5})(?!\d)")


class Versions:
    """Dotted numbers, part by part."""

    def __init__(self, language: Language) -> None:
        self._language = language

    def read(self, context: Context, at: int) -> Reading | None:
        """A dotted number that begins there."""
        if not context.starts_word(at):
            return None
        match = _DOTTED.match(context.text, at)
        if match and not self._is_grouped(match[0]):
            return self._dotted(context, match)
        match = _SHORT.match(context.text, at)
        if match and context.before(at) in self._language.version_words:
            return Reading(self._joined(match[0]), match.end(), Kind.VERSION)
        return None

    def read_word(self, context: Context, at: int) -> Reading | None:
        """v2.1"""
        match = _PREFIXED.match(context.text, at)
        if not match or not context.starts_word(at):
            return None
        number = re.compile(r"\d+(?:\.\d+)*").match(context.text, match.end())
        assert number is not None, "the pattern has seen it"
        return Reading(f"{self._language.version} {self._joined(number[0])}", number.end(), Kind.VERSION)

    def _is_grouped(self, text: str) -> bool:
        """1.234.567 is a number where the point groups thousands."""
        first, *rest = text.split(".")
        return len(first) <= 3 and all(len(part) == 3 for part in rest) and first != "0"

    def _dotted(self, context: Context, match: re.Match[str]) -> Reading:
        parts = match[0].split("/")[0].split(".")
        is_ip = len(parts) == 4 and all(int(part) < 256 for part in parts)
        words = (
            self._joined(".".join(parts))
            if not is_ip
            else f" {self._language.address_point} ".join(map(self._language.octet, parts))
        )
        stop = match.end()
        if "/" in match[0]:
            words += f" {self._language.phrases.slash} {self._language.cardinal(int(match[0].split('/')[1]))}"
        port = _PORT.match(context.text, stop) if is_ip else None
        if port:
            words, stop = (
                f"{words} {self._language.phrases.colon} {self._language.digits(port[1])}",
                port.end(),
            )
        return Reading(words, stop, Kind.VERSION)

    def _joined(self, text: str) -> str:
        return f" {self._language.phrases.point} ".join(self._part(part) for part in text.split("."))

    def _part(self, part: str) -> str:
        return self._language.digits(part) if part.startswith("0") else self._language.cardinal(int(part))
