"""Which precision a model is computed in: what the caller asked for, or what a trial on this machine finds best.

The trial computes the same few frames at every precision, with the real weights, and takes under two seconds; of a large model
only the first layers take part. It decides by the time of both stages and by the error of the latents against float32. On another
device than the CPU there is no trial: float32 is what they are quick at.
"""

import logging
import math
import time
from collections.abc import Sequence
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
from pocketvoice.model.mimi_stream import Decoder, decoder_of
from pocketvoice.model.weights import Network

log = logging.getLogger(__name__)

Choice = Literal["float32", "bf16", "int8", "auto"]

_MOST_PARAMETERS = 40e6  # in the layers that take part: well beyond any cache, and quickly packed
_FRAMES = 12
_MOST_S = 0.25  # of frames at one precision; a slow machine makes fewer, three at least
_WARM_UP = 2
_DECODED = 4  # frames a call of Mimi


def check(precision: str | None, quantize: bool, device: torch.device) -> Choice:
    """What was asked for; raises InputError if it is unknown, contradicts itself or the device. None is exact: float32."""
    if precision is not None and precision not in (*PRECISIONS, "auto"):
        raise InputError(f"Unknown precision {precision!r}: use {', '.join(PRECISIONS)} or auto.")
    if quantize and precision not in (None, "int8"):
        raise InputError(f"quantize=True means int8, which contradicts precision={precision!r}.")
    choice: Choice = "int8" if quantize else precision or "float32"  # type: ignore[assignment]
    check_device(choice, device)
    return choice


def of_dtype(dtype: torch.dtype) -> Precision:
    """The precision that computes in that kind of numbers; raises InputError."""
    known: dict[torch.dtype, Precision] = {torch.float32: "float32", torch.bfloat16: "bf16"}
    if dtype not in known:
        raise InputError(f"It does not compute in {dtype}: use torch.float32 or torch.bfloat16.")
    return known[dtype]


def check_device(choice: Choice, device: torch.device) -> None:
    """Raises InputError if the device does not compute in that."""
    if choice == "int8" and device.type != "cpu":
        raise InputError(f"int8 is computed on the CPU only: with {device} use float32 or bf16.")


def resolve(choice: Choice, network: Network, model_id: str, device: torch.device) -> Precision:
    """The precision to compute in; "auto" is what was remembered of this machine and model, or a trial now."""
    if choice != "auto":
        return choice
    if device.type != "cpu":
        return "float32"
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
    short = _shortened(network)
    share = len(short.transformer.layers) / len(network.flow_lm.transformer.layers)
    exact: list[Tensor] = []
    measured = []
    for precision in PRECISIONS:
        step = FlowLMStep(short, precision=precision, threads=machine.cores())
        step.append_text(range(8))
        times, latents = _speak(step, exact, _WARM_UP + _FRAMES, _MOST_S)
        exact = exact or latents
        # The error grows little with depth: 3.0 % at 3 layers of 24, 4.0 % at all.
        error = _relative_error(latents, exact)
        decoder = decoder_of(network.mimi, network.flow_lm.emb_std, network.flow_lm.emb_mean, precision)
        frame_s = min(times[_WARM_UP:]) / share
        decoded_s = _decode(decoder, torch.cat(exact[:_DECODED]))
        measured.append(
            Measured(precision, round(1000 * frame_s, 3), round(1000 * decoded_s, 3), round(error, 5))
        )
    chosen = trials.choose(tuple(measured), machine.cores())
    return Trial(chosen, tuple(measured), round(time.perf_counter() - started, 3))


@torch.no_grad()
def latent_errors(
    network: Network, voice: list[Tensor], tokens: Sequence[int], frames: int
) -> dict[str, float]:
    """Relative error of the latents at each precision against float32, every frame from float32's inputs.

    `voice` is the used part of every layer's cache (2, T, H_kv, D); `tokens` is the text.
    """
    exact: list[Tensor] = []
    errors: dict[str, float] = {}
    for precision in PRECISIONS:
        step = FlowLMStep(network.flow_lm, precision=precision)
        step.transformer.write_cache(voice)
        step.append_text(tokens)
        latents = _speak(step, exact, frames)[1]
        exact = exact or latents
        errors[precision] = _relative_error(latents, exact)
    return errors


def _shortened(network: Network) -> FlowLM:
    """FlowLM with as many of its layers as the trial has time for."""
    layers = network.flow_lm.transformer.layers
    size = sum(parameter.numel() for parameter in layers[0].parameters())
    return weights.with_layers(network, max(1, min(len(layers), int(_MOST_PARAMETERS / size))))


def _speak(
    step: FlowLMStep, inputs: list[Tensor], frames: int, most_s: float = math.inf
) -> tuple[list[float], list[Tensor]]:
    """Seconds of each frame and its latent (1, latent_dim); each follows on its own input, if there are any, else on the last one.

    Ends early when the frames took longer than `most_s`, but not before there are three that count, nor after the inputs.
    """
    noise = torch.Generator("cpu").manual_seed(1)
    latents: list[Tensor] = []
    times: list[float] = []
    for frame in range(min(frames, len(inputs) or frames)):
        if sum(times) > most_s and frame >= _WARM_UP + 3:
            break
        given = (inputs or latents)[frame - 1] if frame else None
        drawn = 0.55 * torch.randn(1, step.latent_dim, generator=noise, device="cpu")  # a temperature of 0.3
        started = time.perf_counter()
        latent, _ = step.step(given, drawn)
        times.append(time.perf_counter() - started)
        latents.append(latent.clone())
    return times, latents


def _decode(decoder: Decoder, latents: Tensor) -> float:
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
