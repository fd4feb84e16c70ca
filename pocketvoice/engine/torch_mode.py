"""torch's modes of a thread: what we keep is made in ours, whatever mode the caller's thread is in.

A tensor made under `torch.inference_mode()` can't be written to outside of it, and autocast rounds what it computes. Both are
of the thread, not of the tensor, so only what runs on a caller's thread needs this: threads of our own begin with torch's defaults.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def plain() -> Iterator[None]:
    """While the block (or the function it decorates) runs: no inference mode, no gradients, no autocast."""
    with torch.inference_mode(False), torch.no_grad(), torch.autocast("cpu", enabled=False):
        yield
