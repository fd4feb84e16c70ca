"""FlowLM for generation: prompts go in at once, then one latent a step; the KV cache is rewound, never copied.

Compiled kernels compute it where there are some for the machine and the model (`model.flow_lm_native`), else torch. Noise is an
input, so a caller that repeats it repeats the sound. It runs on the device of the weights. Not thread-safe: one owner.
"""

import ctypes
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from pocketvoice.model import flow_lm_native, native
from pocketvoice.model.flow_lm import FlowLM
from pocketvoice.model.flow_lm_native import NativeFlowLM
from pocketvoice.model.flow_lm_torch import TorchFlowLM
from pocketvoice.model.linear import Precision
from pocketvoice.model.streaming import KVCache


class FlowLMStep:
    """The running language model: a position, a cache, and the four things that can be appended to it."""

    def __init__(
        self,
        flow_lm: FlowLM,
        decode_steps: int = 1,
        precision: Precision = "float32",
        *,
        threads: int = 1,
        find_kernels: Callable[[], ctypes.CDLL | None] | None = None,
    ) -> None:
        """`threads`: kernels use so many for prompts, and while weights are packed; torch has a setting of its own.

        `find_kernels` is asked once; without it the library of this machine is taken.
        """
        self._flow_lm = flow_lm  # for the text table, read where it lies
        self.latent_dim = flow_lm.latent_dim
        self.device = flow_lm.bos_emb.device
        self._bos = flow_lm.bos_emb.detach().float()[None]
        self._computed: NativeFlowLM | TorchFlowLM
        kernels = (find_kernels or native.library)()
        if kernels is not None and flow_lm_native.supports(flow_lm, kernels):
            self._computed = NativeFlowLM(flow_lm, decode_steps, precision, threads, kernels=kernels)
        else:
            self._computed = TorchFlowLM(flow_lm, decode_steps, precision)

    @property
    def transformer(self) -> KVCache:
        """The transformer's cache of keys and values, with its position."""
        return self._computed.cache

    @property
    def uses_kernels(self) -> bool:
        """Whether compiled kernels compute it, not torch."""
        return isinstance(self._computed, NativeFlowLM)

    @property
    def position(self) -> int:
        """How many positions were appended since the start."""
        return self.transformer.position

    @property
    def decode_steps(self) -> int:
        """Steps of the flow head for each frame."""
        return self._computed.steps

    def use_steps(self, steps: int) -> None:
        """Sets the steps of the flow head for each frame; heads without time always take one."""
        self._computed.use_steps(steps)

    def append_embeddings(self, embeddings: Tensor) -> None:
        """Appends a prompt (T, d_model); nothing is predicted from it."""
        self._computed.append(embeddings)

    def append_text(self, tokens: Sequence[int]) -> None:
        """Appends text, given as token numbers."""
        table = self._flow_lm.conditioner
        x = F.embedding(torch.tensor(tokens, device=self.device), table.embed.weight).float()
        if table.proj is not None:
            x = F.linear(x, table.proj.weight.float())
        self.append_embeddings(x)

    def step(self, latent: Tensor | None, noise: Tensor) -> tuple[Tensor, float]:
        """Appends the last latent (1, latent_dim), None at the start, and returns the next one and the end-of-speech logit.

        `noise` (1, latent_dim) already has its variance (the temperature) and is the only source of chance; it comes from the CPU.
        """
        return self._computed.step(self._bos if latent is None else latent, noise)
