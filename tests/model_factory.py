"""Models with seeded random weights in the official on-disk format, made without the reference package and without the hub.

Shapes come from the modules of `pocketvoice.model`; the weights are scaled so that activations stay near one. The end of speech is
steered by the bias of its head, or at load time with `eos_threshold`: the logit of "never" is -1000 whatever was said.
A `ModelFactory` (fixture `models`) caches what it has written for the session.
"""

import copy
import math
import runpy
import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import safetensors.torch
import torch
import yaml
from torch import Tensor

from pocketvoice.model.config import parse_config
from pocketvoice.model.flow_lm import FlowLM
from pocketvoice.model.mimi import Mimi
from pocketvoice.paths import models_dir

Raw = dict[str, Any]
Eos = Literal["never", "at_once", "chance"]

EOS_BIAS: dict[Eos, float] = {
    "never": -1000.0,
    "at_once": 1000.0,
    "chance": -5.6,  # against a threshold of -4
}
AT_ONCE = -2000.0
"""An `eos_threshold` under which every segment of every model ends on the first frame that may."""

SENTENCE = "The children walked to the harbour, where the old boats were lying in the sun."
TWO_SENTENCES = (
    "The children walked to the harbour, where the old boats were lying in the sun. "
    "Nobody had told them that the ferry would leave so early in the morning."
)

TINY: Raw = {
    "weights_path": "model.safetensors",
    "replace_characters": {"’": "'", "‘": "'"},
    "flow_lm": {
        "dtype": "float32",
        "insert_bos_before_voice": True,
        "flow": {"dim": 32, "depth": 2, "type": "lsd"},
        "transformer": {
            "d_model": 64,
            "num_heads": 4,
            "num_kv_heads": 2,
            "num_layers": 2,
            "hidden_scale": 2,
            "max_period": 10000,
        },
        "lookup_table": {"dim": 64, "n_bins": 0, "tokenizer": "sentencepiece", "tokenizer_path": ""},
    },
    "mimi": {
        "dtype": "float32",
        "sample_rate": 24000,
        "frame_rate": 12.5,
        "channels": 1,
        "inner_dim": 16,
        "outer_dim": 32,
        "seanet": {
            "dimension": 32,
            "channels": 1,
            "n_filters": 4,
            "n_residual_layers": 1,
            "ratios": [6, 5, 4],
            "kernel_size": 7,
            "residual_kernel_size": 3,
            "last_kernel_size": 3,
            "dilation_base": 2,
            "pad_mode": "constant",
            "compress": 2,
        },
        "transformer": {
            "d_model": 32,
            "num_heads": 2,
            "num_layers": 2,
            "layer_scale": 0.01,
            "context": 40,
            "dim_feedforward": 64,
            "input_dimension": 32,
            "output_dimensions": [32],
        },
        "quantizer": {"dimension": 16, "output_dimension": 32},
    },
}
"""A model that loads in milliseconds, with true 80 ms frames of 1920 samples."""


@dataclass(frozen=True)
class ModelFiles:
    """A model on disk."""

    folder: Path

    @property
    def config(self) -> Path:
        """The YAML file to load it by."""
        return self.folder / f"{self.folder.name}.yaml"

    @property
    def weights(self) -> Path:
        """The bundle."""
        return self.folder / "model.safetensors"

    @cached_property
    def raw(self) -> Raw:
        """The config as plain data."""
        data: Raw = yaml.safe_load(self.config.read_text(encoding="utf-8"))
        return data

    def tensors(self) -> dict[str, Tensor]:
        """The bundle's tensors, copied."""
        return safetensors.torch.load(self.weights.read_bytes())

    def delete(self) -> None:
        """Frees the disk."""
        shutil.rmtree(self.folder)


def changed(raw: Raw, **changes: Any) -> Raw:
    """A copy of a config with the entries at dotted paths replaced: `changed(TINY, **{"flow_lm.flow.type": "drifting"})`."""
    result = copy.deepcopy(raw)
    for path, value in changes.items():
        *parents, last = path.split(".")
        section = result
        for name in parents:
            section = section[name]
        section[last] = value
    return result


def official(language: str) -> Raw:
    """The config of a language, as it is shipped."""
    data: Raw = yaml.safe_load((models_dir() / f"{language}.yaml").read_text(encoding="utf-8"))
    return data


def write_config(path: Path, raw: Raw) -> Path:
    """Writes a config file."""
    path.write_text(yaml.safe_dump(raw, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return path


def modules(raw: Raw) -> tuple[FlowLM, Mimi]:
    """The modules of a config, with torch's own initial values."""
    config = parse_config(copy.deepcopy(raw), Path("test.yaml"))
    latent_dim, conditioning = config.mimi.quantizer.dimension, config.mimi.conditioning_dim
    return FlowLM(config.flow_lm, latent_dim, conditioning), Mimi(config.mimi)


def random_tensors(raw: Raw, seed: int = 0, eos: Eos = "never") -> dict[str, Tensor]:
    """Every tensor of the bundle, float32; the same seed gives the same numbers."""
    skipped = ("Linear", "Embedding", "Conv1d", "ConvTranspose1d")
    kept = {name: getattr(torch.nn, name).reset_parameters for name in skipped}
    try:
        for name in skipped:  # the values are overwritten at once, and 300 million of them take their time
            getattr(torch.nn, name).reset_parameters = lambda self: None
        flow_lm, mimi = modules(raw)
    finally:
        for name, method in kept.items():
            getattr(torch.nn, name).reset_parameters = method
    generator = torch.Generator().manual_seed(seed)
    tensors = {f"flow_lm.{name}": value for name, value in flow_lm.state_dict().items()}
    tensors |= {f"mimi.{name}": value for name, value in mimi.state_dict().items()}
    for name, value in tensors.items():
        if not name.endswith("freqs"):
            _randomize(name, value, generator)
    tensors["flow_lm.out_eos.bias"].fill_(EOS_BIAS[eos])
    if eos != "chance":
        tensors["flow_lm.out_eos.weight"].zero_()
    return tensors


@torch.no_grad()
def _randomize(name: str, value: Tensor, generator: torch.Generator) -> None:
    value.normal_(generator=generator)
    if name.endswith("emb_std"):
        value.mul_(0.1).add_(1.0)
    elif name.endswith(("emb_mean", "bos_emb", "bos_before_voice", "embed.weight")):
        value.mul_(0.1 if "mean" in name else 0.5)
    elif name.endswith(".scale"):
        value.mul_(0.001).add_(0.01)
    elif name.endswith("alpha") or (("norm" in name or "_ln" in name) and name.endswith("weight")):
        value.mul_(0.02).add_(1.0)
    elif value.dim() < 2:
        value.mul_(0.01)
    elif "speaker_proj_weight" in name:
        value.mul_(0.1)
    else:
        value.div_(math.sqrt(_fan_in(name, value)))


def _fan_in(name: str, value: Tensor) -> float:
    if "convtr" not in name:
        return math.prod(value.shape[1:])
    # kernel 2 x stride: two taps of the kernel meet in each output
    return 2.0 if value.shape[1] == 1 and "upsample" in name else 2.0 * value.shape[0]


class ModelFactory:
    """Writes models below `root`, each once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._written: dict[str, ModelFiles] = {}

    @cached_property
    def _vocabulary(self) -> tuple[int, Path, Path]:
        """Number of pieces, and the same vocabulary in both formats."""
        source = runpy.run_path(str(Path(__file__).parent / "text" / "vocabulary.py"))
        folder = self._root / "vocabulary"
        folder.mkdir()
        model, json = source["write_tokenizers"](folder)
        return source["N_PIECES"], model, json

    def complete(self, raw: Raw) -> Raw:
        """A config with the vocabulary of the tests, in the format that it asks for, and no address of the hub."""
        count, model, json = self._vocabulary
        is_json = raw["flow_lm"]["lookup_table"]["tokenizer"] == "tokenizers"
        raw = changed(
            raw,
            weights_path="model.safetensors",
            **{
                "flow_lm.lookup_table.n_bins": count,
                "flow_lm.lookup_table.tokenizer_path": str(json if is_json else model),
            },
        )
        raw.pop("weights_path_without_voice_cloning", None)
        return raw

    def write(
        self,
        name: str,
        raw: Raw,
        *,
        seed: int = 0,
        eos: Eos = "never",
        dtype: torch.dtype = torch.float32,
        tensors: dict[str, Tensor] | None = None,
    ) -> ModelFiles:
        """A model of any config under `name`; `tensors` instead of random ones. Relative weights paths lie beside the config."""
        folder = self._root / name
        folder.mkdir(parents=True)
        files = ModelFiles(folder)
        raw = self.complete(raw)
        if tensors is None:
            tensors = random_tensors(raw, seed, eos)
        safetensors.torch.save_file({key: value.to(dtype) for key, value in tensors.items()}, files.weights)
        # The reference takes a path as it stands: absolute, so that it need not run in this folder.
        write_config(files.config, changed(raw, weights_path=str(files.weights)))
        return files

    def tiny(self, eos: Eos = "never", *, seed: int = 0, **changes: Any) -> ModelFiles:
        """The tiny model, with changes at dotted paths of its config."""
        name = "-".join(["tiny", eos, str(seed), *(f"{key}={value}" for key, value in changes.items())])
        name = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in name)
        if name not in self._written:
            self._written[name] = self.write(name, changed(TINY, **changes), seed=seed, eos=eos)
        return self._written[name]

    def official(self, language: str, **changes: Any) -> ModelFiles:
        """A model of an official shape (but for the number of pieces), bfloat16 as the released ones, without end of speech.

        Not cached, for it is large: `delete` it when done.
        """
        name = f"{language}-{len(list(self._root.iterdir()))}"
        return self.write(name, changed(official(language), **changes), dtype=torch.bfloat16)


def random_state(config: Raw, positions: int = 20, seed: int = 1) -> dict[str, dict[str, Tensor]]:
    """A voice state of keys and values as large as a model's own, in the reference's form."""
    shape = config["flow_lm"]["transformer"]
    heads = shape.get("num_kv_heads") or shape["num_heads"]
    head_dim = (shape.get("attn_dim") or shape["d_model"]) // shape["num_heads"]
    generator = torch.Generator().manual_seed(seed)
    return {
        f"transformer.layers.{layer}.self_attn": {
            "offset": torch.tensor([positions]),
            "pad": torch.zeros(1, dtype=torch.long),
            "cache": torch.randn(2, 1, positions, heads, head_dim, generator=generator),
        }
        for layer in range(shape["num_layers"])
    }


def noise_clip(seconds: float, seed: int = 3, rate: int = 24_000) -> Tensor:
    """Loud noise with a slow swell, (1, T): as good a voice as any to random weights."""
    generator = torch.Generator().manual_seed(seed)
    length = int(seconds * rate)
    swell = 0.6 + 0.4 * torch.sin(torch.arange(length) / rate * 9)
    return 0.1 * (torch.randn(1, length, generator=generator) * swell)


def difference(ours: Tensor, theirs: Tensor) -> float:
    """The largest difference, relative to the largest value where that is above one."""
    assert ours.shape == theirs.shape, f"{tuple(ours.shape)} is not {tuple(theirs.shape)}"
    assert theirs.isfinite().all()
    return float((ours - theirs).abs().max() / theirs.abs().max().clamp(min=1.0))
