"""Reading and writing sound files."""

from collections.abc import Iterable
from pathlib import Path

import torch
from torch import Tensor

from pocketvoice.audio.reading import read_audio
from pocketvoice.audio.wav import WavWriter


def audio_read(path: str | Path) -> tuple[Tensor, int]:
    sound = read_audio(path)
    return torch.from_numpy(sound.samples)[None], sound.sample_rate


def stream_audio_chunks(path: Path, chunks: Iterable[Tensor], sample_rate: int) -> None:
    with WavWriter(path, sample_rate) as writer:
        for chunk in chunks:
            writer.write(chunk.numpy())
