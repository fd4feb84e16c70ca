"""Memory for what is read from end to end for every frame: in large pages, which are read a tenth faster.

numpy asks Linux for them, for pieces of 4 MB and more; torch does not.
"""

import numpy
import torch
from torch import Tensor

_LINE = 64  # bytes of a line of the processor's caches: vectors that begin with one are read at once


def lines(size: int) -> Tensor:
    """Allocates so many bytes, from the beginning of a cache line on, not initialised."""
    whole = torch.from_numpy(numpy.empty(size + _LINE, numpy.uint8))
    return whole[-whole.data_ptr() % _LINE :][:size]


class Pieces:
    """Pieces of larger memories, for many small things that are kept together."""

    _AT_ONCE = 16 * 2**20  # bytes: enough to get large pages, not more than a small model needs

    def __init__(self) -> None:
        self._left = lines(0)

    def take(self, size: int) -> Tensor:
        """Takes so many bytes, from the beginning of a cache line on; they are never given back."""
        whole = -(-size // _LINE) * _LINE
        if whole > self._left.numel():
            self._left = lines(max(whole, self._AT_ONCE))
        taken, self._left = self._left[:size], self._left[whole:]
        return taken

    def copy(self, tensor: Tensor) -> Tensor:
        """A contiguous copy of the tensor, in memory taken from here."""
        return self.take(tensor.nbytes).view(tensor.dtype).view(tensor.shape).copy_(tensor)
