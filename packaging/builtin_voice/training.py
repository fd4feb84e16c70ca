"""What both trainings share: the shape of the model, checkpoints, the learning rate, the progress line.

The shapes are the config the model ships with; `pocketvoice.model` builds the modules from it.
"""

import copy
import math
import signal
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import safetensors.torch
import torch
import yaml
from features import LATENTS
from muon import Muon
from torch import nn

from pocketvoice.model.config import ModelConfig

WIDTH = 256  # of the decoder's transformer
SEANET = {
    "channels": 1,
    "n_residual_layers": 1,
    "residual_kernel_size": 3,
    "dilation_base": 2,
    "pad_mode": "constant",
    "compress": 2,
}
TRANSFORMER = {"layer_scale": 0.01, "context": 50}
CONFIG: dict = {
    "weights_path": "model.safetensors",
    "default_temperature": 0.05,
    "default_eos_threshold": 0.0,
    "model_recommended_frames_after_eos": 1,
    "flow_lm": {
        "insert_bos_before_voice": True,
        "dtype": "float32",
        "flow": {"depth": 3, "dim": 256, "type": "drifting"},
        "transformer": {
            "d_model": 256,
            "hidden_scale": 4,
            "max_period": 10000,
            "num_heads": 4,
            "num_layers": 6,
            "dim_feedforward": 768,
        },
        "lookup_table": {
            "dim": 256,
            "n_bins": 374,
            "tokenizer": "sentencepiece",
            "tokenizer_path": "tokenizer.model",
        },
    },
    "mimi": {
        "dtype": "float32",
        "sample_rate": 24000,
        "inner_dim": LATENTS,
        "outer_dim": WIDTH,
        "channels": 1,
        "frame_rate": 12.5,
        "seanet": {
            "dimension": 128,
            "n_filters": 12,
            "kernel_size": 7,
            "last_kernel_size": 3,
            "ratios": [6, 5, 4],
            **SEANET,
        },
        "transformer": {
            "d_model": 128,
            "num_heads": 4,
            "num_layers": 2,
            "dim_feedforward": 256,
            "input_dimension": 128,
            "output_dimensions": [128],
            **TRANSFORMER,
        },
        "quantizer": {"dimension": LATENTS, "output_dimension": WIDTH},
        "decoder_seanet": {  # little at high rates: most of the work is done 200 times a second, in large products
            "dimension": WIDTH,
            "n_filters": 16,
            "kernel_size": 7,
            "last_kernel_size": 7,
            "ratios": [5, 3, 8],
            **SEANET,
        },
        "decoder_transformer": {
            "d_model": WIDTH,
            "num_heads": 4,
            "num_layers": 3,
            "dim_feedforward": 768,
            "input_dimension": WIDTH,
            "output_dimensions": [WIDTH],
            **TRANSFORMER,
        },
    },
}


def model_config() -> ModelConfig:
    """The validated form of CONFIG."""
    return msgspec.convert(copy.deepcopy(CONFIG), ModelConfig)


def write_config(folder: Path, path: Path, absolute: bool) -> Path:
    """Writes the config of the exported model in `folder` to `path`."""
    config = copy.deepcopy(CONFIG)
    if absolute:
        config["weights_path"] = str(folder / config["weights_path"])
        table = config["flow_lm"]["lookup_table"]
        table["tokenizer_path"] = str(folder / table["tokenizer_path"])
    heading = "# The built-in English voice, trained by packaging/builtin_voice.\n"
    path.write_text(heading + yaml.safe_dump(config, sort_keys=False))
    return path


def load_exported(folder: Path, prefix: str, module: nn.Module) -> None:
    """Starts `module` from an exported model: the tensors under `prefix` whose shapes are still the same, in float32."""
    stored = safetensors.torch.load_file(folder / "model.safetensors")
    shapes = {name: tensor.shape for name, tensor in module.state_dict().items()}
    named = {k.removeprefix(prefix): v.float() for k, v in stored.items() if k.startswith(prefix)}
    fitting = {name: v for name, v in named.items() if shapes.get(name) == v.shape}
    module.load_state_dict(fitting, strict=False)
    print(f"{folder}: {len(fitting)} of {len(shapes)} tensors of {prefix}", flush=True)


def coarse_numbers(device: str) -> torch.autocast:
    """bf16 where it is quicker: on an accelerator, or on a processor that multiplies it."""
    quick = device != "cpu" or bool(torch.cpu.get_capabilities().get("avx512_bf16", False))
    return torch.autocast(device, torch.bfloat16, enabled=quick)


def parameters_in_millions(module: nn.Module) -> float:
    """For the first line of a log."""
    return sum(p.numel() for p in module.parameters()) / 1e6


class Loop:
    """A resumable training loop with a time budget: rate schedule, running means, progress line, checkpoints, SIGTERM.

    The checkpoint also holds the running average of the weights over about `average` steps, which is what speaks. With a
    `muon_factor`, the matrices of transformer layers are trained by Muon at that multiple of the rate, the rest by AdamW.
    `modules` and the optimizer go into one checkpoint file; a second start continues from it. The rate rises over
    `warmup` steps, stays, and falls to a twentieth over the last `decay` part of the budget. The budget is CPU time of all
    starts together, so a stopped or crowded training keeps its schedule; but a start ends after `wall_minutes` at the latest.
    `on_save` is called with every checkpoint.
    """

    def __init__(
        self,
        path: Path,
        modules: nn.Module,
        rate: float,
        minutes: float,
        warmup: int,
        decay: float = 0.35,
        betas: tuple[float, float] = (0.9, 0.99),
        muon_factor: float = 0.0,
        average: int = 100,
        wall_minutes: float = math.inf,
        on_save: Callable[[], None] = lambda: None,
    ) -> None:
        self.path, self.modules, self.rate, self.budget_s = path, modules, rate, minutes * 60
        self.wall_s, self.on_save = wall_minutes * 60, on_save
        self.warmup, self.decay, self.muon_factor, self.average_steps = warmup, decay, muon_factor, average
        matrices = [
            p for name, p in modules.named_parameters() if muon_factor and p.ndim == 2 and ".layers." in name
        ]
        others = [p for p in modules.parameters() if not any(p is matrix for matrix in matrices)]
        self.optimizers = [torch.optim.AdamW(others, lr=rate, betas=betas, weight_decay=1e-3, fused=True)]
        if matrices:
            self.optimizers.append(Muon(matrices, lr=rate))
        self.average = {name: p.detach().clone() for name, p in modules.named_parameters()}
        self.step, self.means, self.stopping = 0, {}, False
        self.cpu_begun, self.begun, self.saved = time.process_time(), time.time(), time.time()
        if path.exists():
            state = torch.load(path, map_location="cpu", weights_only=True)
            modules.load_state_dict(state["modules"])
            self.step = state["step"]
            self.cpu_begun -= state.get("spent_s", 0.0)
            loaded = {name: p.detach().clone() for name, p in modules.named_parameters()}
            self.average = {
                name: state.get("average", loaded)[name].to(p.device) for name, p in loaded.items()
            }
            for optimizer, stored in zip(self.optimizers, state.get("optimizers", []), strict=False):
                try:
                    optimizer.load_state_dict(stored)
                except ValueError:
                    print("an optimizer starts anew: other parameters than in the checkpoint")
        signal.signal(signal.SIGTERM, self._on_sigterm)

    def _on_sigterm(self, *_: object) -> None:
        self.stopping = True

    def progress(self) -> float:
        """Part of the budget that is used up, 0..1."""
        cpu, wall = time.process_time() - self.cpu_begun, time.time() - self.begun
        return min(1.0, max(cpu / self.budget_s, wall / self.wall_s))

    def run(
        self, losses: Callable[[int], dict[str, torch.Tensor]], every: int = 50, save_s: float = 120
    ) -> None:
        """`losses` gives {"loss": what to minimise, name: what to show}; runs until the budget ends or SIGTERM."""
        first = self.step
        while self.progress() < 1 and not self.stopping:
            falling = max(0.0, (self.progress() - 1 + self.decay) / self.decay)
            rate = (
                self.rate
                * min(1.0, (self.step + 1) / self.warmup)
                * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * falling)))
            )
            for optimizer, factor in zip(self.optimizers, (1.0, self.muon_factor), strict=False):
                for group in optimizer.param_groups:
                    group["lr"] = rate * factor
            terms = losses(self.step)
            self.modules.zero_grad()
            terms["loss"].backward()
            norm = nn.utils.clip_grad_norm_(self.modules.parameters(), 1.0)
            if torch.isfinite(norm):
                for optimizer in self.optimizers:
                    optimizer.step()
                self._follow()
            self.step += 1
            for name, value in terms.items():
                self.means[name] = 0.97 * self.means.get(name, float(value.detach())) + 0.03 * float(
                    value.detach()
                )
            if self.step % every == 0:
                shown = " ".join(f"{name} {value:.4f}" for name, value in self.means.items())
                pace = (self.step - first) / (time.time() - self.begun)
                print(
                    f"{time.strftime('%H:%M:%S')} step {self.step} {self.progress():.0%} {shown} norm {norm:.2f}"
                    f" rate {rate:.1e} {pace:.2f} steps/s",
                    flush=True,
                )
            if time.time() - self.saved > save_s:
                self.save()
        self.save()

    @torch.no_grad()
    def _follow(self) -> None:
        """Moves the running average of the weights."""
        weights = dict(self.modules.named_parameters())
        share = max(1 / self.average_steps, 1 / (self.step + 1))
        torch._foreach_lerp_(list(self.average.values()), [weights[name] for name in self.average], share)

    def save(self) -> None:
        """Writes the checkpoint in one move."""
        part = self.path.with_suffix(".part")
        state = {
            "modules": self.modules.state_dict(),
            "average": self.average,
            "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
            "step": self.step,
            "spent_s": time.process_time() - self.cpu_begun,
        }
        torch.save(state, part)
        part.replace(self.path)
        self.on_save()
        self.saved = time.time()
