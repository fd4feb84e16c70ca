"""Which voice FlowLM's cache begins with: put there once, rewound to for every request, never copied. One owner, the model."""

from torch import Tensor

from pocketvoice.engine.voice_state import (
    ModelState,
    Origin,
    StateShape,
    TensorVersion,
    from_layers,
    to_layers,
    version_of,
)
from pocketvoice.model.flow_lm_step import FlowLMStep


class VoiceCache:
    """The step's keys and values, seen as a voice and what was spoken after it."""

    def __init__(self, step: FlowLMStep, model_id: str) -> None:
        self._step = step
        self._model_id = model_id
        self._voice: ModelState | None = None  # whose keys and values begin the cache
        self._version: list[TensorVersion] | None = None
        self._end = 0  # positions of that voice

    @property
    def shape(self) -> StateShape:
        """What a state must look like to fit."""
        layers, _, kv_heads, _, head_dim = self._step.transformer.cache_shape
        return StateShape(layers, kv_heads, head_dim, self._model_id)

    @property
    def end(self) -> int:
        """The position behind the voice."""
        return self._end

    def layers(self, state: ModelState) -> list[Tensor] | None:
        """The state's caches, for `begin`; None if they are in place. Raises VoiceStateError if they do not fit."""
        return None if self._is_current(state) else to_layers(state, self.shape)

    def begin(self, state: ModelState, layers: list[Tensor] | None) -> None:
        """The cache holds this voice and nothing else. `layers` was found earlier: meanwhile another voice may have come."""
        if layers is None and self._is_current(state):
            self._step.transformer.rewind(self._end)
            return
        self._step.transformer.write_cache(to_layers(state, self.shape) if layers is None else layers)
        self._voice, self._version = state, version_of(state)
        self._end = self._step.position

    def forget(self) -> None:
        """The cache is used for something else."""
        self._voice = None

    def write_back(self, state: ModelState) -> None:
        """The caller's state goes on where the cache ends."""
        transformer = self._step.transformer
        caches = [transformer.read_cache(index) for index in range(transformer.layers)]
        for name, entry in from_layers(caches, Origin()).items():
            state[name].update(entry)  # type: ignore[attr-defined]
        self.forget()

    def _is_current(self, state: ModelState) -> bool:
        """Whether the cache still begins with this state, unchanged by its owner."""
        return self._voice is state and self._version is not None and self._version == version_of(state)
