"""From whatever names a voice to its state: a name of the catalogue, a state file, a clip, an address, a tensor.

The clip is encoded by Mimi and read by FlowLM once; the keys and values it leaves are the state. Owns nothing: it works on the
model's step between two requests.
"""

import hashlib
import logging
import math
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pocketvoice.audio.clip import Clip, load_clip, prepare_clip
from pocketvoice.engine.loading import Fetcher, LoadedModel
from pocketvoice.engine.voice_state import ModelState, Origin, VoiceState, from_layers, positions, read_state
from pocketvoice.errors import (
    AudioFileError,
    ClipError,
    CloningUnavailableError,
    InputError,
    MissingFileError,
    UnknownNameError,
    VoiceStateError,
)
from pocketvoice.hub import catalogue
from pocketvoice.hub.cache import forget
from pocketvoice.model.flow_lm_step import FlowLMStep
from pocketvoice.model.linear import Precision
from pocketvoice.model.mimi_stream import MimiEncoder

log = logging.getLogger(__name__)


def is_state_file(source: str) -> bool:
    """Whether the path or address names a safetensors file."""
    bare = source.rsplit("@", 1)[0] if source.startswith("hf://") else source.split("?")[0].split("#")[0]
    return bare.endswith(".safetensors")


def predefined_state_source(model: LoadedModel, name: str) -> str:
    """Where the prepared state of a catalogue voice for these weights lies."""
    if model.has_custom_weights:
        raise InputError(
            f"The voice {name!r} was prepared for the released weights and would not speak with a training "
            "checkpoint: give the voice as an audio file instead."
        )
    if model.language is None:
        raise InputError(
            f"The voice {name!r} was prepared for the models of the catalogue, not for your own config: "
            "give the voice as an audio file or a state file instead."
        )
    own = _own_voices(model.language)
    if own and name not in own:
        raise UnknownNameError(
            f"The voice {name!r} belongs to the released models, not to {model.language}: choose one of {', '.join(own)}, "
            'or load a released model (load_model("english"), `--language english`).',
            suggestions=own,
        )
    return catalogue.voice_state_source(model.language, name)


def is_predefined(model: LoadedModel, name: str) -> bool:
    """Whether `name` is a voice of the catalogue or one that the loaded local model brings along."""
    if name in catalogue.voice_names():
        return True
    return model.language is not None and name in _own_voices(model.language)


def _own_voices(language: str) -> list[str]:
    return list(catalogue.local_voices(language)) if catalogue.entry(language).is_local else []


def load_prepared(model: LoadedModel, source: str, fetcher: Fetcher) -> VoiceState | None:
    """The state that `source` names, if it names one: a predefined voice or a state file. None: it is a clip."""
    if is_state_file(source):
        path = fetcher.path(source)
        try:
            return read_state(path)
        except VoiceStateError:
            forget(source)
            raise
    if not is_predefined(model, source):
        return None
    state = read_state(fetcher.path(predefined_state_source(model, source)))
    state.origin = replace(state.origin, source=source, model_id=state.origin.model_id or model.model_id)
    return state


@dataclass(frozen=True)
class ClipRules:
    """How a clip is taken."""

    rate: int  # of the model, Hz
    used_s: tuple[float, float]  # a longer clip is cut between these: what the model follows
    truncate: bool = False  # nothing is said of a clip of more than five minutes
    strict: bool = False  # a clip without speech, too short or too long is refused, not taken with a warning

    def prepared(self, samples: Tensor) -> Clip:
        """Samples (T,) at the model's rate as a clip."""
        return prepare_clip(samples.numpy(), self.rate, **self._passed())

    def read(self, path: Path) -> Clip:
        """A file as a clip."""
        return load_clip(path, **self._passed())

    def _passed(self) -> dict[str, Any]:
        return {
            "truncate": self.truncate or not self.strict, "target_rate": self.rate, "used_s": self.used_s,
            "short": not self.strict, "speech": self.strict,
        }  # fmt: skip


def load_clip_file(source: str, fetcher: Fetcher, rules: ClipRules) -> Clip:
    """Fetches, decodes and prepares a clip. What came from the web and is none is not kept."""
    try:
        path = fetcher.path(source)
    except MissingFileError as exc:
        if "/" in source or "\\" in source or "." in source:
            raise MissingFileError(f"Voice file {source} does not exist: check the path.") from exc
        raise _unknown_voice(source) from exc
    try:
        return rules.read(path)
    except InputError:
        forget(source)
        raise


def _unknown_voice(name: str) -> UnknownNameError:
    import difflib

    near = difflib.get_close_matches(name, catalogue.voice_names(), n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "see `pocketvoice voices list`."
    return UnknownNameError(f"There is no voice and no file named {name!r}: {hint}", suggestions=near)


def clip_of_tensor(audio: Tensor, rules: ClipRules) -> Clip:
    """A clip from samples [channels, T] or [T] at the model's rate."""
    samples = audio.detach().float().cpu()
    if samples.dim() == 2:
        samples = samples.mean(dim=0)
    if samples.dim() != 1 or not samples.numel():
        raise ClipError(f"A clip is a tensor [channels, samples], not {tuple(audio.shape)}.")
    return rules.prepared(samples)


def is_too_long(state: ModelState, language: str | None, frame_rate: float) -> bool:
    """Whether a state was made of more speech than the model of that name follows: by an older version, or elsewhere."""
    followed_s = catalogue.clip_seconds(language)
    return followed_s is not None and positions(state) - 1 > math.ceil(followed_s[1] * frame_rate)


def check_cloning(model: LoadedModel) -> None:
    """Raises CloningUnavailableError with the reason if these weights can't encode a clip."""
    if not (model.has_voice_cloning and model.network.has_encoder):
        names = ", ".join(catalogue.voice_names()[:4])
        raise CloningUnavailableError(
            f"The loaded weights can't clone a voice. {model.cloning_reason} "
            f"The voices of the catalogue ({names}, ...) work without."
        )


def clone(
    model: LoadedModel, step: FlowLMStep, clip: Clip, source: str, precision: Precision = "float32"
) -> VoiceState:
    """Encodes the clip and lets FlowLM read it; the step is left at the voice's end."""
    notes = (*clip.notes, *clip.flaws)
    for note in notes:
        log.warning("%s", note)
    network = model.network
    encoded = MimiEncoder(network.mimi, precision).encode(torch.from_numpy(clip.samples))
    if not torch.isfinite(encoded).all():
        raise AudioFileError("The clip could not be encoded: its samples are out of range.")
    step.transformer.rewind(0)
    step.append_embeddings(network.flow_lm.voice_embeddings(encoded[None])[0])
    layers = [step.transformer.read_cache(index) for index in range(step.transformer.layers)]
    digest = hashlib.sha256(np.ascontiguousarray(clip.samples).tobytes()).hexdigest()
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return from_layers(layers, Origin(model.model_id, source, digest, created, notes))
