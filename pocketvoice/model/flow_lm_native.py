"""FlowLM through the compiled kernels of `kernels.c`: one call a frame, and for a prompt one call for every 64 positions.

At which precision weights lie where is `native.Packer`'s affair. On the CPU only. Not thread-safe: one owner.
"""

import ctypes

import torch
from torch import Tensor, nn

from pocketvoice.model import native
from pocketvoice.model.flow_lm import TIME_CONDITIONS, FlowBlock, FlowLM, all_modulations, time_vectors
from pocketvoice.model.linear import Precision
from pocketvoice.model.streaming import KVCache
from pocketvoice.model.transformer import Attention, TransformerLayer

_HELP_FROM = 8  # positions: fewer are done before a helper has come


def supports(flow_lm: FlowLM) -> bool:
    """Whether there are kernels for this machine, for weights where these lie, and for a model of this shape."""
    first: TransformerLayer = flow_lm.transformer.layers[0]  # type: ignore[assignment]
    inputs = [module.in_features for module in flow_lm.modules() if isinstance(module, nn.Linear)]
    return (
        flow_lm.bos_emb.is_cpu
        and first.self_attn.head_dim in native.HEAD_DIMS
        and not any(width % native.INPUTS or width > native.MOST_INPUTS for width in inputs)
        and native.library() is not None
    )


class NativeFlowLM:
    """The model, packed, and its cache. `threads`: for prompts, and while it is packed."""

    def __init__(self, flow_lm: FlowLM, decode_steps: int, precision: Precision, threads: int = 1) -> None:
        kernels = native.library()
        assert kernels is not None, "asked for kernels that are not there"
        self.cache = KVCache(flow_lm.transformer)
        self._kernels = kernels
        self._team, self._helpers = native.Team(kernels), threads - 1
        self._packer = native.Packer(kernels, precision)
        self._head = flow_lm.flow_net  # for its time embeddings
        self._has_time = TIME_CONDITIONS[flow_lm.config.flow.type] > 0
        with self._team.helped(self._helpers) as self._packer.team:
            self._model = _described(flow_lm, self._packer)
        self._packer.team = None
        self._address = ctypes.addressof(self._model)
        self._space = torch.empty(0, dtype=torch.uint8, device="cpu")
        self._place = native.CCache()
        self._used_times = torch.empty(0, device="cpu")  # those the kernels read
        self.use_steps(decode_steps)

    @property
    def steps(self) -> int:
        """Decode steps."""
        return self._times.shape[0]

    def use_steps(self, steps: int) -> None:
        """Decode steps from now on; while another thread speaks, from its next frame on."""
        self._times = time_vectors(self._head, steps if self._has_time else 1).float().contiguous()

    def append(self, x: Tensor) -> None:
        """The transformer's next inputs (T, d_model)."""
        x = x.float().contiguous()
        self._find_place(x.shape[0])
        with self._team.helped(self._helpers if x.shape[0] >= _HELP_FROM else 0) as team:
            for piece in x.split(native.ROWS):
                self._kernels.pv_append(
                    self._address, ctypes.addressof(self._place), team, self._space.data_ptr(),
                    self.cache.position, piece.shape[0], piece.data_ptr(),
                )  # fmt: skip
                self.cache.advance(piece.shape[0])

    def step(self, latent: Tensor, noise: Tensor) -> tuple[Tensor, float]:
        """Appends a latent (1, numbers); the next one and the end-of-speech logit."""
        latent, noise = latent.float().contiguous(), noise.float().contiguous()
        self._find_place(1)
        result = torch.empty_like(latent)
        eos: float = self._kernels.pv_step(
            self._address, ctypes.addressof(self._place), self._space.data_ptr(), self.cache.position,
            latent.data_ptr(), noise.data_ptr(), result.data_ptr(),
        )  # fmt: skip
        self.cache.advance(1)
        return result, eos

    def _find_place(self, count: int) -> None:
        """Tells the kernels where cache, rotations and work space lie, with room for the next `count` positions."""
        if self._used_times is not self._times:
            self._used_times = times = self._times
            self._model.steps, self._model.times = times.shape[0], times.data_ptr()
            self._place = native.CCache()  # the work space may have to grow
        keys_values, rotations = self.cache.room(count)
        place = native.CCache(keys_values.data_ptr(), keys_values.shape[3], rotations.data_ptr())
        if bytes(place) == bytes(self._place):
            return
        size = self._kernels.pv_space(self._address, native.ROWS, place.capacity)
        if size > self._space.numel():
            self._space = torch.empty(size, dtype=torch.uint8, device="cpu")
        self._place = place


def _described(flow_lm: FlowLM, packer: native.Packer) -> native.CModel:
    first: TransformerLayer = flow_lm.transformer.layers[0]  # type: ignore[assignment]
    attention: Attention = first.self_attn
    head = flow_lm.flow_net
    layers = [_layer(layer, packer) for layer in flow_lm.transformer.layers]  # type: ignore[arg-type]
    blocks = [_block(block, packer) for block in head.res_blocks]  # type: ignore[arg-type]
    return native.CModel(
        layers=len(layers), heads=attention.num_heads, kv_heads=attention.num_kv_heads,
        head_dim=attention.head_dim, width=attention.in_proj.in_features,
        layer=(native.CLayer * len(layers))(*layers),
        input=packer.layer(flow_lm.input_linear),
        z_proj=native.NO_LAYER if flow_lm.z_proj is None else packer.layer(flow_lm.z_proj),
        out_norm=packer.norm(flow_lm.out_norm),
        eos=packer.layer(flow_lm.out_eos),
        condition=packer.layer(head.cond_embed),
        head_input=packer.layer(head.input_proj),
        modulation=packer.linear(*all_modulations(head)),
        output=packer.layer(head.final_layer.linear),
        blocks=len(blocks), dim=head.cond_embed.out_features, latent_dim=flow_lm.latent_dim,
        is_sample=flow_lm.config.flow.type == "drifting",
        block=(native.CBlock * len(blocks))(*blocks),
    )  # fmt: skip


def _layer(layer: TransformerLayer, packer: native.Packer) -> native.CLayer:
    return native.CLayer(
        norm1=packer.norm(layer.norm1),
        norm2=packer.norm(layer.norm2),
        in_proj=packer.layer(layer.self_attn.in_proj),
        out_proj=packer.layer(layer.self_attn.out_proj),
        linear1=packer.layer(layer.linear1),
        linear2=packer.layer(layer.linear2),
    )


def _block(block: FlowBlock, packer: native.Packer) -> native.CBlock:
    first, _, second = block.mlp
    assert isinstance(first, nn.Linear)
    assert isinstance(second, nn.Linear)
    return native.CBlock(packer.norm(block.in_ln), packer.layer(first), packer.layer(second))
