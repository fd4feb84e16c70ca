"""What is shown of a voice being made: the data between the session and the pages."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pocketvoice.gui.voices.new.processing import Span, SpokenTake

if TYPE_CHECKING:
    from pocketvoice.audio.imported import Source
    from pocketvoice.audio.quality import QualityReport

MOST_TAKES = 3


@dataclass(frozen=True)
class NewVoiceView:
    """All that is shown of a voice being made."""

    source: "Source | None" = None
    peaks: tuple[float, ...] = ()
    """The largest amplitude in each column of the waveform, 0 to 1."""
    part_s: Span = (0.0, 0.0)
    """Start and stop of the part as it was dragged, in seconds."""
    clip_s: Span = (0.0, 0.0)
    """Start and stop of the clip that is used: those of the part, moved into pauses nearby."""
    report: "QualityReport | None" = None
    """None while it is being judged."""
    busy: str = ""
    """A sentence while something takes a while; "" else."""
    share: float | None = None
    """How much of that is done, 0 to 1; None if that is not known."""
    is_cloned: bool = False
    told: str = ""
    """What was found while the voice was made, for the user; "" if nothing."""
    takes: tuple[SpokenTake, ...] = ()
    take: int = -1
    """Index of the chosen take; -1 is none."""
    spoken: str = ""
    """The sentence that the takes speak."""
