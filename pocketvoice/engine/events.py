"""What a caller of the engine is told about the segments of its text, in order with the sound."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from pocketvoice.text.splitter import Segment


class SegmentEventKind(Enum):
    """What happened to a segment."""

    STARTED = "started"
    """The next samples belong to it. With `discard_samples` > 0 it replaces a take that failed."""
    FINISHED = "finished"
    """Its last sample has been delivered; the pause after it, if any, is delivered as well."""
    NO_EOS = "no_eos"
    """The model reached the length limit without an end of speech: the take is probably bad."""


@dataclass(frozen=True)
class SegmentEvent:
    """One event; positions count the samples delivered so far, failed takes included."""

    kind: SegmentEventKind
    segment: Segment
    index: int  # number of the segment in the text, from 0; the parts of one that was split share it
    take: int  # 0, then 1 for a retry, 2 for the parts of a split segment
    position: int  # samples delivered before this event
    discard_samples: int = 0
    """STARTED: so many of the last samples are a failed take; drop what was not heard yet."""


SegmentCallback = Callable[[SegmentEvent], None]
