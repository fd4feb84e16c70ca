"""How frames are drawn from the model: frozen options of one call, checked when they are made. Loads no torch."""

import math
from dataclasses import dataclass

from pocketvoice.engine import checks


@dataclass(frozen=True)
class Sampling:
    """The options of one call; raises InputError for a value that is out of range."""

    temp: float
    """Variance of the noise, 0 or more."""
    noise_clamp: float | None
    """The noise is truncated to +-this; None: it is not."""
    eos_threshold: float
    """The logit above which speech ends."""
    sampler_decode_steps: int
    """Steps of the flow head, 1 or more; heads that know no time take one."""

    def __post_init__(self) -> None:
        checks.number("temp", self.temp, 0)
        checks.number("noise_clamp", self.noise_clamp, 1e-6)
        checks.number("eos_threshold", self.eos_threshold, -math.inf)
        checks.whole("sampler_decode_steps", self.sampler_decode_steps, 1)
