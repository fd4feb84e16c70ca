"""The pages for people: README, CONTRIBUTING, CHANGELOG, docs and examples, and what stands in them: links, headings, code."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Page:
    """A Markdown file of the repository."""

    path: Path

    @property
    def name(self) -> str:
        """Its path from the root."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def prose(self) -> str:
        """The text without its blocks of code."""
        return _FENCE.sub("", self.text)

    def blocks(self, language: str) -> list[str]:
        """The blocks of code in a language, in order."""
        return [match[2] for match in _FENCE.finditer(self.text) if match[1] == language]

    def commands(self) -> list[str]:
        """The command lines, in order."""
        lines = "".join(self.blocks("sh")).splitlines()
        return [line for line in lines if line.strip() and not line.startswith("#")]

    def links(self) -> list[str]:
        """The targets of links and pictures, but for those that lead out of the repository."""
        found = re.findall(r"\]\(([^)\s]+)\)", self.prose)
        return [target for target in found if not re.match(r"[a-z]+:", target)]

    def anchors(self) -> set[str]:
        """What a link may name behind `#`: headings, as a code host writes them, and marks."""
        found = set(re.findall(r'<a id="([^"]+)">', self.text))
        for heading in re.findall(r"^#+ (.+)$", self.prose, re.MULTILINE):
            words = re.sub(r"[^\w\- ]", "", heading.lower())
            found.add(words.replace(" ", "-"))
        return found

    def code_words(self) -> Iterator[str]:
        """What stands in backticks in the prose."""
        yield from re.findall(r"`([^`\n]+)`", self.prose)


def pages() -> list[Page]:
    """All of them."""
    named = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    return [
        Page(path) for path in (*named, *sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("examples/*.md")))
    ]
