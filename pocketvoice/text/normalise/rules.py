"""The user's own pronunciations: written so, spoken so; in every language or one, with every voice or one.

A rule is plain text, a whole word, or a regular expression. Expressions run in the `regex` library with a time limit: one
that takes longer is left out for the rest of the text, and the listener is told. Rules are data; a set of them is never
changed, only replaced. What a rule says is spoken as it is, not normalised again.
"""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pocketvoice.errors import InputError
from pocketvoice.paths import atomic_write

if TYPE_CHECKING:
    import regex  # type: ignore[import-untyped]

_LIMIT_S = 0.1
"""For one rule and one piece of text."""
_MAX_LENGTH = 1000
_COLUMNS = ("written", "spoken", "match", "language", "voice", "case_sensitive")


class Match(StrEnum):
    """How a rule looks for what it replaces."""

    PLAIN = "plain"
    """Wherever the characters stand."""
    WORD = "word"
    """Where no letter or digit touches them."""
    REGEX = "regex"
    """A regular expression; `\\1` in what is spoken is its first group."""


@dataclass(frozen=True)
class PronunciationRule:
    """One pronunciation. Raises InputError if it can't work."""

    written: str
    spoken: str
    """May be empty: then it is not spoken."""
    match: Match = Match.WORD
    language: str = ""
    """Only in this language; "" for all."""
    voice: str = ""
    """Only with this voice; "" for all."""
    case_sensitive: bool = False

    def __post_init__(self) -> None:
        if not self.written:
            raise InputError("A pronunciation needs the word it is for: fill in what is written.")
        if len(self.written) > _MAX_LENGTH or len(self.spoken) > _MAX_LENGTH:
            raise InputError(f"A pronunciation has at most {_MAX_LENGTH} characters: shorten it.")
        _compiled(self)

    def applies(self, language: str, voice: str) -> bool:
        """Whether it counts for a language and a voice."""
        return self.language in ("", language) and self.voice in ("", voice)


@lru_cache(maxsize=1024)
def _compiled(rule: PronunciationRule) -> "regex.Pattern[str]":
    import regex

    flags = 0 if rule.case_sensitive else regex.IGNORECASE
    if rule.match is Match.REGEX:
        try:
            pattern = regex.compile(rule.written, flags)
        except regex.error as exc:
            raise InputError(
                f"{rule.written!r} is not a valid regular expression: {exc}.", detail=str(exc)
            ) from exc
        wanted = [int(number) for number in regex.findall(r"\\(\d{1,2})", rule.spoken)]
        if any(number > pattern.groups for number in wanted):
            raise InputError(
                f"{rule.spoken!r} names a group that {rule.written!r} does not have: give it one in brackets."
            )
        return pattern
    escaped = regex.escape(rule.written)
    return regex.compile(rf"(?<![^\W_]){escaped}(?![^\W_])" if rule.match is Match.WORD else escaped, flags)


@dataclass(frozen=True)
class PronunciationRules:
    """All rules; an earlier one goes before a later one."""

    rules: tuple[PronunciationRule, ...] = ()

    def running(self, language: str, voice: str = "") -> "RunningRules | None":
        """The rules that count for a text, None if there is none."""
        chosen = [rule for rule in self.rules if rule.applies(language, voice)]
        return RunningRules(chosen) if chosen else None

    def for_voice(self, voice: str) -> "PronunciationRules":
        """Those that count for a voice, as rules for any."""
        return PronunciationRules(
            tuple(replace(rule, voice="") for rule in self.rules if rule.voice in ("", voice))
        )

    def with_rule(self, rule: PronunciationRule) -> "PronunciationRules":
        """With one more, in front of the others; it replaces one for the same writing, language and voice."""
        kept = (r for r in self.rules if _key(r) != _key(rule))
        return PronunciationRules((rule, *kept))

    def without(self, rule: PronunciationRule) -> "PronunciationRules":
        """Without one."""
        return PronunciationRules(tuple(r for r in self.rules if r != rule))

    def save(self, path: Path) -> None:
        """Writes them, all or nothing. Raises OutputError or DiskFullError."""
        with atomic_write(path) as file:
            file.write(
                json.dumps([asdict(rule) for rule in self.rules], ensure_ascii=False, indent=1).encode()
            )

    @classmethod
    def load(cls, path: Path) -> "PronunciationRules":
        """Reads what `save` wrote; no file is no rules. Raises InputError for anything else."""
        try:
            rows = json.loads(path.read_text(encoding="utf-8"))
            return cls(tuple(_rule({str(k): str(v) for k, v in row.items()}, str(path)) for row in rows))
        except FileNotFoundError:
            return cls()
        except (OSError, ValueError, AttributeError, TypeError) as exc:
            if isinstance(exc, InputError):
                raise
            raise InputError(
                f"{path} holds no pronunciations that can be read: restore or remove it.", detail=str(exc)
            ) from exc

    def to_csv(self) -> str:
        """A table for other programs, with a line of names above."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(_COLUMNS)
        writer.writerows([getattr(rule, column) for column in _COLUMNS] for rule in self.rules)
        return out.getvalue()

    @classmethod
    def from_csv(cls, text: str) -> "PronunciationRules":
        """The rules of a table; without a line of names its columns are `written`, `spoken` and so on in order.

        Raises InputError with the line that is wrong.
        """
        rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))
        names: Sequence[str] = _COLUMNS
        if rows and rows[0][:1] == ["written"]:
            names = rows.pop(0)
        numbered = ((i, row) for i, row in enumerate(rows, 1) if any(map(str.strip, row)))
        return cls(tuple(_rule(dict(zip(names, row, strict=False)), f"line {i}") for i, row in numbered))


def _key(rule: PronunciationRule) -> tuple[str, str, str, str]:
    return rule.written, rule.match, rule.language, rule.voice


def _rule(row: dict[str, str], place: str) -> PronunciationRule:
    known = {f.name for f in fields(PronunciationRule)}
    values = {name: value for name, value in row.items() if name in known}
    match = values.get("match", "").strip().lower() or Match.WORD
    if match not in Match.__members__.values() or "written" not in values or "spoken" not in values:
        raise InputError(
            f"The pronunciations can't be read ({place}): each needs what is written, what is spoken, and plain, word or regex."
        )
    sensitive = values.get("case_sensitive", "").strip().lower() in ("true", "yes", "1")
    return PronunciationRule(
        values["written"],
        values["spoken"],
        Match(match),
        values.get("language", "").strip(),
        values.get("voice", "").strip(),
        sensitive,
    )


@dataclass
class RunningRules:
    """Rules at work on one text; knows which took too long. Not shared between texts."""

    rules: list[PronunciationRule]
    slow: list[PronunciationRule] = field(default_factory=list)
    """Left out for the rest of the text."""

    def places(self, text: str) -> list[tuple[int, int, str]]:
        """Start, stop and what is spoken there, in order and apart; the first rule wins where two meet."""
        taken: list[tuple[int, int, str]] = []
        for rule in [rule for rule in self.rules if rule not in self.slow]:
            for start, stop, spoken in self._found(rule, text):
                if all(stop <= a or b <= start for a, b, _ in taken):
                    taken.append((start, stop, spoken))
        return sorted(taken)

    def _found(self, rule: PronunciationRule, text: str) -> Iterable[tuple[int, int, str]]:
        pattern = _compiled(rule)
        try:
            found = [m for m in pattern.finditer(text, timeout=_LIMIT_S) if m.end() > m.start()]
            plain = rule.match is not Match.REGEX
            return [(*m.span(), rule.spoken if plain else _expanded(m, rule.spoken)) for m in found]
        except TimeoutError:
            self.slow.append(rule)
            return []


def _expanded(match: "regex.Match[str]", spoken: str) -> str:
    """What is spoken, with groups of the match for their numbers; a group that took no part is empty."""
    import regex

    return str(regex.sub(r"\\(\d{1,2})", lambda number: match[int(number[1])] or "", spoken))
