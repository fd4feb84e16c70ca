"""Configs and weights from anyone: refused with a sentence, at once; never a hang, a bomb or a defect of ours."""

import copy
import os
import random
import time
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch

from pocketvoice.errors import ConfigError, PocketVoiceError, WeightsError
from pocketvoice.model import weights
from pocketvoice.model.config import load_config, parse_config
from tests.model_factory import TINY, changed, random_tensors

SEED = int(os.environ.get("POCKETVOICE_FUZZ_SEED", "14"))
RAW = changed(TINY, **{"flow_lm.lookup_table.n_bins": 100})
BOMB = "a: &a [x]\n" + "".join(
    f"{b}: &{b} [{','.join(['*' + a] * 10)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "text",
    [
        BOMB, "a: &a\n  b: *a\n", "a: &a [*a]\n", "1: 2\n", "? [a]\n: 2\n", "a: " + "9" * 5000, "[" * 100_000, "{a: " * 100_000,
        "a: 2001-99-99", "weights_path: " + "a" * 5000, 'weights_path: "a\\0b"', "a: .inf\n",
    ],
    ids=lambda text: text[:20],
)  # fmt: skip
def test_odd_yaml_is_refused_at_once(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text, encoding="utf-8")
    start = time.process_time()
    with pytest.raises(ConfigError):
        load_config(path)
    assert time.process_time() - start < 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_named_pipes_are_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "a"
    os.mkfifo(pipe)
    with pytest.raises(WeightsError):
        weights.read_safetensors(pipe)
    with pytest.raises(ConfigError):
        load_config(pipe)


VALUES: tuple[Any, ...] = (
    0, -1, 1, 2, 3, 7, 16, 33, 2**20, 2**31, 2**63, 2**64, 10**30, 0.5, -0.0, 1e-300, 1e300, float("inf"), float("nan"), None, "",
    "a", [], [1], [2**20] * 16, [0], {}, True,
)  # fmt: skip


def _places(section: dict[str, Any], prefix: str = "") -> list[str]:
    places = []
    for key, value in section.items():
        places.append(prefix + key)
        if isinstance(value, dict):
            places += _places(value, f"{prefix}{key}.")
    return places


def test_mutated_configs_agree_or_are_refused() -> None:
    """What is accepted has sizes that agree: its decoder makes as many samples as a frame has."""
    rng, accepted = random.Random(SEED), 0
    places = [place for place in _places(RAW) if place not in ("flow_lm", "mimi")]
    for _ in range(300):
        try:
            config = parse_config(
                changed(copy.deepcopy(RAW), **{rng.choice(places): rng.choice(VALUES)}), Path("a.yaml")
            )
        except ConfigError:
            continue
        except (KeyError, TypeError):  # a mutation of the test's own that has no place
            pytest.fail("one change always has a place")
        accepted += 1
        mimi = config.mimi
        assert mimi.frame_size == mimi.steps_per_latent * mimi.decoder.hop_length
        assert abs(mimi.frame_size * mimi.frame_rate - mimi.sample_rate) < 1e-3
    assert 10 < accepted < 290


def test_mutated_weights_fit_or_are_refused(tmp_path: Path) -> None:
    rng = random.Random(SEED)
    config = parse_config(copy.deepcopy(RAW), Path("a.yaml"))
    whole = safetensors.torch.save(random_tensors(RAW))
    header = int.from_bytes(whole[:8], "little") + 8
    path, refused = tmp_path / "a.safetensors", 0
    for _ in range(100):
        data = bytearray(whole[: rng.choice((len(whole), len(whole), rng.randrange(len(whole))))])
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(min(header, len(data)))] = rng.randrange(256)
        path.write_bytes(data)
        try:
            tensors = weights.read_safetensors(path)
            weights.build(config, weights.flow_lm_tensors(tensors), weights.mimi_tensors(tensors))
        except PocketVoiceError:
            refused += 1
    assert refused > 50


def test_whole_numbers_are_no_weights() -> None:
    config = parse_config(copy.deepcopy(RAW), Path("a.yaml"))
    tensors = random_tensors(RAW)
    tensors["flow_lm.out_eos.bias"] = torch.zeros(1, dtype=torch.int64)
    with pytest.raises(WeightsError, match="whole numbers"):
        weights.build(config, weights.flow_lm_tensors(tensors), weights.mimi_tensors(tensors))
