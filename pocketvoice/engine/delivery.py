"""From the pipeline's outputs to the caller: chunks are passed on, events told in order, failed takes left out of a whole.

On the consumer's thread.
"""

import contextlib
import logging
from collections.abc import Generator

import torch
from torch import Tensor

from pocketvoice.engine.decoding import Output
from pocketvoice.engine.events import SegmentCallback, SegmentEvent, SegmentEventKind

log = logging.getLogger(__name__)


class Takes:
    """Collects chunks and leaves out takes that were replaced."""

    def __init__(self, on_segment: SegmentCallback | None) -> None:
        self._on_segment = on_segment
        self._chunks: list[Tensor] = []

    def add(self, samples: Tensor) -> None:
        """Takes the next chunk, samples (T,)."""
        self._chunks.append(samples)

    def on_segment(self, event: SegmentEvent) -> None:
        """Drops a failed take, then tells the caller."""
        drop = event.discard_samples
        while drop > 0:
            drop -= self._chunks.pop().shape[0]
        assert drop == 0, "a failed take ends at a chunk's end"
        if self._on_segment is not None:
            self._on_segment(event)

    def joined(self) -> Tensor:
        """All samples (T,), float32, failed takes left out."""
        return torch.cat(self._chunks) if self._chunks else torch.zeros(0, dtype=torch.float32, device="cpu")


def chunks(
    outputs: Generator[Output, None, None], on_segment: SegmentCallback | None
) -> Generator[Tensor, None, None]:
    """The chunks (T,); events go to `on_segment` where they happen. Closing it closes the pipeline."""
    with contextlib.closing(outputs):
        for output in outputs:
            if isinstance(output, Tensor):
                yield output
            else:
                _tell(output, on_segment)


def _tell(event: SegmentEvent, on_segment: SegmentCallback | None) -> None:
    if event.kind is SegmentEventKind.NO_EOS:
        log.warning("No end of speech in segment %d, take %d.", event.index, event.take)
        log.debug("It is the segment %.60r", event.segment.text)  # users' texts stand in no log but this one
    if on_segment is not None:
        on_segment(event)
