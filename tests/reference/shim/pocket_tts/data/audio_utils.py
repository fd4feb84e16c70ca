"""The end of a clip."""

import torch
from torch import Tensor

from pocketvoice.audio import clip


def end_on_pause(wav: Tensor, sample_rate: int, pause_sec: float = 0.08) -> Tensor:
    return torch.from_numpy(clip.end_on_pause(wav[0].numpy(), sample_rate, pause_sec))[None]
