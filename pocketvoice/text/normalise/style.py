"""How much is said: choices between readings that are all right."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Style:
    """Choices of the listener; the defaults are what a reader does."""

    addresses: Literal["short", "spelled"] = "short"
    """`example dot com`, or every letter and sign, as one dictates an address."""
    compounds: Literal["joined", "spaced"] = "joined"
    """Number words as German, Italian and Dutch write them, or in their parts (`drei und zwanzig`): the sound is the same."""
    emoji: Literal["skipped", "named"] = "skipped"
    """Emoji decorate; named ones are told where they stand (`thumbs up`)."""
