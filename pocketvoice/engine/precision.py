"""Which precision a model is computed in: what the caller asked for, or what a trial on this machine finds best.

The trial computes the same few frames at every precision, with the real weights, and takes under two seconds; of a large model
only the first layers take part. It decides by the time of both stages and by the error of the latents against float32.
"""

import logging
import math
import time
from typing import Literal

import torch
from torch import Tensor

from pocketvoice.engine import machine, trials
from pocketvoice.engine.trials import Measured, Trial
from pocketvoice.errors import InputError
from pocketvoice.model import weights
from pocketvoice.model.flow_lm import FlowLM
from pocketvoice.model.flow_lm_step import FlowLMStep
from pocketvoice.model.linear import PRECISIONS, Precision
from pocketvoice.model.mimi_stream import MimiDecoder
from pocketvoice.model.weights import Network

log = logging.getLogger(__name__)

Choice = Literal["float32", "bf16", "int8", "auto"]

_MOST_NUMBERS = 40e6  # in the layers that take part: well beyond any cache, and quickly packed
_FRAMES = 12
_MOST_S = 0.25  # of frames at one precision; a slow machine makes fewer, three at least
_WARM_UP = 2
_DECODED = 4  # frames a call of Mimi


def check(precision: str | None, quantize: bool) -> Choice:
    """What was asked for; raises InputError if it is unknown or contradicts itself. None is exact: float32."""
    if precision is not None and precision not in (*PRECISIONS, "auto"):
        raise InputError(f"Unknown precision {precision!r}: use {', '.join(PRECISIONS)} or auto.")
    if quantize and precision not in (None, "int8"):
        raise InputError(f"quantize=True means int8, which contradicts precision={precision!r}.")
    return "int8" if quantize else precision or "float32"  # type: ignore[return-value]


def resolve(choice: Choice, network: Network, model_id: str) -> Precision:
    """The precision to compute in; "auto" is what was remembered of this machine and model, or a trial now."""
    if choice != "auto":
        return choice
    trial = trials.recall(model_id)
    if trial is None:
        trial = make_trial(network)
        trials.remember(model_id, trial)
    log.info("precision of %s: %s", model_id, trial.sentence())
    return next(precision for precision in PRECISIONS if precision == trial.chosen)


@torch.no_grad()
def make_trial(network: Network) -> Trial:
    """Measures every precision on this machine and chooses."""
    started = time.perf_counter()
    layers = len(network.flow_lm.transformer.layers)
    short = _shortened(network)
    share = len(short.transformer.layers) / layers
    exact: list[Tensor] = []
    measured = []
    for precision in PRECISIONS:
        frame_s, latents = _speak(FlowLMStep(short, precision=precision), exact)
        exact = exact or latents
        decoder = MimiDecoder(network.mimi, network.flow_lm.emb_std, network.flow_lm.emb_mean, precision)
        decoded_s = _decode(decoder, torch.cat(exact[:_DECODED]))
        error = _relative_error(
            latents, exact
        )  # grows little with depth: 3.0 % at 3 layers of 24, 4.0 % at all
        measured.append(
            Measured(precision, round(1000 * frame_s / share, 3), round(1000 * decoded_s, 3), round(error, 5))
        )
    chosen = trials.choose(tuple(measured), machine.cores())
    return Trial(chosen, tuple(measured), round(time.perf_counter() - started, 3))


def _shortened(network: Network) -> FlowLM:
    """FlowLM with as many of its layers as the trial has time for."""
    layers = network.flow_lm.transformer.layers
    size = sum(parameter.numel() for parameter in layers[0].parameters())
    return weights.with_layers(network, max(1, min(len(layers), int(_MOST_NUMBERS / size))))


def _speak(step: FlowLMStep, inputs: list[Tensor]) -> tuple[float, list[Tensor]]:
    """Seconds a frame at best, and the latents (1, numbers) of some frames; each follows on its own input, if there are any."""
    noise = torch.Generator().manual_seed(1)
    step.append_text(range(8))
    latents: list[Tensor] = []
    times: list[float] = []
    for frame in range(_WARM_UP + _FRAMES):
        if sum(times) > _MOST_S and frame >= _WARM_UP + 3:
            break
        given = (inputs or latents)[frame - 1] if frame else None
        drawn = 0.5 * torch.randn(1, step.latent_dim, generator=noise)
        started = time.perf_counter()
        latent, _ = step.step(given, drawn)
        times.append(time.perf_counter() - started)
        latents.append(latent.clone())
        if inputs and len(latents) == len(inputs):
            break
    return min(times[_WARM_UP:]), latents


def _decode(decoder: MimiDecoder, latents: Tensor) -> float:
    """Seconds a frame at best."""
    times = []
    for _ in range(_WARM_UP + 4):
        started = time.perf_counter()
        decoder.decode(latents)
        times.append(time.perf_counter() - started)
    return min(times[_WARM_UP:]) / latents.shape[0]


def _relative_error(latents: list[Tensor], exact: list[Tensor]) -> float:
    ours, theirs = torch.cat(latents), torch.cat(exact[: len(latents)])
    error = (ours - theirs).square().mean().sqrt() / theirs.square().mean().sqrt().clamp(min=1e-8)
    return float(error) if torch.isfinite(error) else math.inf
