"""Where chance comes from: one stream of Gaussian noise per request, so that a seed repeats the sound exactly."""

import torch
from torch import Tensor

NoiseState = Tensor
"""Where a stream of noise is."""


class NoiseSource:
    """Noise for one request. Without a seed it draws from torch's global generator, as the reference does.

    With the same seed the numbers are those the reference draws after `torch.manual_seed(seed)`: it is always the CPU that draws.
    """

    def __init__(self, seed: int | None, width: int, temp: float, clamp: float | None) -> None:
        self._generator = None if seed is None else torch.Generator("cpu").manual_seed(seed)
        self._shape = (1, width)
        self._std = temp**0.5
        self._clamp = clamp

    def draw(self) -> Tensor:
        """(1, width) with variance `temp`; truncated to +-clamp when one is set."""
        noise = torch.empty(self._shape, dtype=torch.float32, device="cpu")
        if self._clamp is None or self._std == 0:
            return noise.normal_(0.0, self._std, generator=self._generator)
        return torch.nn.init.trunc_normal_(
            noise, 0.0, self._std, -self._clamp, self._clamp, generator=self._generator
        )

    def snapshot(self) -> NoiseState:
        """Where the stream of numbers is, for `restore`. Only with a seed."""
        assert self._generator is not None, "chance without a seed is the whole process's"
        return self._generator.get_state()

    def restore(self, snapshot: NoiseState) -> None:
        """Goes back there: the same numbers come again."""
        assert self._generator is not None, "chance without a seed is the whole process's"
        self._generator.set_state(snapshot)
