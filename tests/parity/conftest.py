"""The same files loaded by the reference package and by us."""

import copy
import gc
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pocket_tts
import pytest
import torch
from pocket_tts.modules.stateful_module import increment_steps, init_states
from torch import Tensor

from pocketvoice.engine.tts_model import TTSModel
from pocketvoice.model.flow_lm import FlowLM
from pocketvoice.model.mimi import Mimi
from tests.model_factory import ModelFactory, ModelFiles, Raw, random_state

State = dict[str, dict[str, Tensor]]


@contextmanager
def _no_initial_values() -> Iterator[None]:
    """The reference's modules without initial values: 300 million numbers that the file overwrites take their time."""
    kinds = (torch.nn.Linear, torch.nn.Embedding, torch.nn.Conv1d, torch.nn.ConvTranspose1d)
    kept = [kind.reset_parameters for kind in kinds]
    try:
        for kind in kinds:
            kind.reset_parameters = lambda self: None  # type: ignore[method-assign]
        yield
    finally:
        for kind, method in zip(kinds, kept, strict=True):
            kind.reset_parameters = method  # type: ignore[method-assign]


def load_reference(config: Path, **options: Any) -> pocket_tts.TTSModel:
    with _no_initial_values(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pocket_tts.TTSModel.load_model(config=str(config), **options)


@dataclass
class Pair:
    """A model in both packages."""

    files: ModelFiles
    options: dict[str, Any]

    @cached_property
    def ours(self) -> TTSModel:
        return TTSModel.load_model(config=self.files.config, **self.options)

    @cached_property
    def theirs(self) -> pocket_tts.TTSModel:
        return load_reference(self.files.config, **self.options)

    @cached_property
    def flow_lm(self) -> FlowLM:
        """Our module in float32; the model's own stays as it is on disk."""
        return copy.deepcopy(self.ours._loaded.network.flow_lm).float()

    @cached_property
    def mimi(self) -> Mimi:
        """Likewise."""
        return copy.deepcopy(self.ours._loaded.network.mimi).float()

    @property
    def raw(self) -> Raw:
        return self.files.raw

    @property
    def dim(self) -> int:
        return int(self.raw["flow_lm"]["transformer"]["d_model"])

    @property
    def numbers(self) -> int:
        return int(self.raw["mimi"]["quantizer"]["dimension"])

    def voice(self, positions: int = 20) -> State:
        """A voice state for both."""
        return random_state(self.raw, positions)

    def use(self, **settings: Any) -> None:
        """Sets attributes of both models, such as eos_threshold."""
        for name, value in settings.items():
            setattr(self.ours, name, value)
            setattr(self.theirs, name, value)

    def reference_state(self, state: State, room: int) -> State:
        """A copy of a state with room for more positions."""
        own = copy.deepcopy(state)
        used = next(iter(own.values()))["cache"].shape[2]
        self.theirs._expand_kv_cache(own, used + room)
        return own

    @torch.no_grad()
    def reference_condition(self, state: State, text: Tensor, latents: Tensor) -> Tensor:
        """The reference's conditions for its heads, (1, T, width); `state` goes on."""
        flow_lm = self.theirs.flow_lm
        embedded = flow_lm.conditioner(text)
        condition = flow_lm.backbone(flow_lm.input_linear(latents), embedded, latents, state)
        increment_steps(flow_lm, state, text.shape[1] + latents.shape[1])
        return condition

    @torch.no_grad()
    def reference_decode(self, latents: Tensor, batches: list[int]) -> Tensor:
        """Normalised latents (T, numbers) -> samples, by the reference, so many frames a call."""
        mimi, flow_lm = self.theirs.mimi, self.theirs.flow_lm
        state = init_states(mimi, 1, 16 * len(latents))
        pieces = []
        for batch in latents.split(batches):
            scaled = (batch * flow_lm.emb_std + flow_lm.emb_mean)[None]
            pieces.append(mimi.decode_from_latent(scaled, state).flatten())
            increment_steps(mimi, state, 16 * len(batch))
        return torch.cat(pieces)


@pytest.fixture(scope="module")
def pair(request: pytest.FixtureRequest, models: ModelFactory) -> Iterator[Pair]:
    """One of the module's PAIRS, by name: only one at a time is in memory and on the disk."""
    make: Callable[[ModelFactory], tuple[ModelFiles, dict[str, Any]]] = request.module.PAIRS[request.param]
    files, options = make(models)
    both = Pair(files, options)
    yield both
    both.__dict__.clear()
    gc.collect()
    files.delete()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "pair" in metafunc.fixturenames:
        metafunc.parametrize("pair", list(metafunc.module.PAIRS), indirect=True, scope="module")
