"""Weights and voice files that load but hold no speech: an error with a remedy, never a silent file; a stop leaves no file."""

import math
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import safetensors.torch
import torch

from pocketvoice.engine.decoding import Decoding
from pocketvoice.engine.voice_state import StateShape, read_state, to_layers
from pocketvoice.errors import GenerationError, VoiceStateError
from tests.engine.test_decoding import RATE, FakeDecoder, segment, take

SHAPE = StateShape(layers=1, kv_heads=2, head_dim=4, model_id="m")
MODULE = "transformer.layers.0.self_attn/"


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_codec_that_makes_no_numbers_is_an_error(value: float) -> None:
    messages = take(segment(), 6, value=value)
    with pytest.raises(GenerationError, match="weights are damaged"):
        list(Decoding(FakeDecoder(), RATE, 4).run(iter(messages)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "odd",
    [
        {"current_end": torch.zeros(())},
        {"offset": torch.zeros(1, dtype=torch.complex64)},
        {"offset": torch.full((1,), 2**63, dtype=torch.uint64)},
        {"cache": torch.zeros(2, 1, 3, 2, 4, dtype=torch.complex64)},
        {"cache": torch.zeros(2, 1, 3, 2, 4, dtype=torch.uint64)},
        {"cache": torch.zeros(2, 1, 3, 2, 4, dtype=torch.bool)},
        {"cache": torch.zeros(())},
        {"cache": torch.full((2, 1, 3, 2, 4), math.nan)},
    ],
    ids=str,
)
def test_odd_voice_files_are_refused(tmp_path: Path, odd: dict[str, torch.Tensor]) -> None:
    entry = {"cache": torch.zeros(2, 1, 3, 2, 4), "offset": torch.tensor([3]), **odd}
    path = tmp_path / "a.safetensors"
    path.write_bytes(safetensors.torch.save({MODULE + name: value for name, value in entry.items()}))
    with pytest.raises(VoiceStateError):
        to_layers(read_state(path), SHAPE)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("kind", ["wav", "atomic"])
def test_stop_while_torch_is_imported_leaves_no_file(repository: Path, tmp_path: Path, kind: str) -> None:
    """The process ends at once then, and what it was writing has to go first."""
    fake = tmp_path / "fake"
    fake.mkdir()
    (fake / "torch.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n", encoding="utf-8"
    )
    opened = {"wav": "WavWriter('a.wav', 24000)", "atomic": "paths.atomic_write('a.wav')"}[kind]
    code = (
        f"import sys; sys.path[:0] = [{str(fake)!r}, {str(repository)!r}]\n"
        "from pocketvoice import paths\nfrom pocketvoice.audio.wav import WavWriter\nfrom pocketvoice.cli import signals\n"
        f"signals.take_over()\nwith {opened}:\n    import torch\n"
    )
    place = tmp_path / "place"
    place.mkdir()
    done = subprocess.run([sys.executable, "-c", code], cwd=place, timeout=60)
    assert done.returncode == 128 + signal.SIGINT
    assert list(place.iterdir()) == []
