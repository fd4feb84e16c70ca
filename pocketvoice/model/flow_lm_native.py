"""FlowLM through the compiled kernels of `kernels.c`: one call a frame, and for a prompt one call for every 64 positions.

At which precision weights lie where is `native.Packer`'s affair. On the CPU only. Not thread-safe: one owner.
"""

import ctypes

import torch
from torch import Tensor, nn

from pocketvoice.model import native
from pocketvoice.model.c_structures import CCache, CFlowBlock, CFlowLM, CLayer, CMemory
from pocketvoice.model.flow_lm import TIME_CONDITIONS, FlowBlock, FlowLM, all_modulations, time_vectors
from pocketvoice.model.linear import Precision
from pocketvoice.model.streaming import KVCache
from pocketvoice.model.transformer import Attention, TransformerLayer

_HELP_FROM = 8  # positions: fewer are done before a helper has come


def supports(flow_lm: FlowLM, kernels: ctypes.CDLL | None) -> bool:
    """Whether there are kernels, and they can compute a model of this shape with weights where these lie."""
    first: TransformerLayer = flow_lm.transformer.layers[0]  # type: ignore[assignment]
    inputs = [module.in_features for module in flow_lm.modules() if isinstance(module, nn.Linear)]
    return (
        kernels is not None
        and flow_lm.bos_emb.is_cpu
        and first.self_attn.head_dim in native.HEAD_DIMS
        and not any(size % native.INPUTS_MULTIPLE or size > native.MAX_INPUTS for size in inputs)
    )


class NativeFlowLM:
    """The model, packed for the kernels, and its cache. `threads` work on long prompts, and while it is packed."""

    def __init__(
        self,
        flow_lm: FlowLM,
        decode_steps: int,
        precision: Precision,
        threads: int = 1,
        *,
        kernels: ctypes.CDLL,
    ) -> None:
        self.cache = KVCache(flow_lm.transformer)
        self.workspace = torch.empty(0, dtype=torch.uint8, device="cpu")  # holds nothing between calls
        self._memory = CMemory()
        self._eos = ctypes.c_float()
        self._kernels = kernels
        self._team, self._helpers = native.Team(kernels), threads - 1
        self._packer = native.Packer(kernels, precision)
        self._head = flow_lm.flow_net  # for its time embeddings
        self._has_time = TIME_CONDITIONS[flow_lm.config.flow.type] > 0
        with self._team.helped(self._helpers) as self._packer.team:
            self._model = _described(flow_lm, self._packer)
        self._packer.team = None
        self._address = ctypes.addressof(self._model)
        self._c_cache = CCache()
        self._used_times = torch.empty(0, device="cpu")  # those the kernels read
        self.use_steps(decode_steps)

    @property
    def steps(self) -> int:
        """Decode steps of the flow head for each frame."""
        return self._times.shape[0]

    def use_steps(self, steps: int) -> None:
        """Sets the decode steps of the flow head; if another thread speaks meanwhile, from its next frame on."""
        self._times = time_vectors(self._head, steps if self._has_time else 1).float().contiguous()

    def append(self, x: Tensor) -> None:
        """Runs the transformer's next inputs (T, d_model), of which only keys and values are kept."""
        x = x.float().contiguous()
        self.make_room(x.shape[0])
        with self._team.helped(self._helpers if x.shape[0] >= _HELP_FROM else 0) as team:
            for piece in x.split(native.MAX_ROWS):
                status = self._kernels.pv_flow_lm_append(
                    self._address, ctypes.addressof(self._c_cache), team, ctypes.addressof(self._memory),
                    self.cache.position, piece.shape[0], piece.data_ptr(), piece.numel(),
                )  # fmt: skip
                native.check(status)
                self.cache.advance(piece.shape[0])

    def step(self, latent: Tensor, noise: Tensor) -> tuple[Tensor, float]:
        """Appends a latent (1, latent_dim); returns the next one, made of `noise`, and the end-of-speech logit."""
        latent, noise = latent.float().contiguous(), noise.float().contiguous()
        self.make_room(1)
        result = torch.empty_like(latent)
        assert latent.numel() == noise.numel()
        status = self._kernels.pv_flow_lm_step(
            self._address, ctypes.addressof(self._c_cache), ctypes.addressof(self._memory), self.cache.position,
            latent.data_ptr(), noise.data_ptr(), result.data_ptr(), latent.numel(), self._eos,
        )  # fmt: skip
        native.check(status)
        self.cache.advance(1)
        return result, self._eos.value

    def make_room(self, count: int) -> None:
        """Has cache, rotations and work space hold `count` more positions, and tells the kernels where they lie."""
        if self._used_times is not self._times:
            self._used_times = times = self._times
            self._model.decode_steps, self._model.time_conditions = times.shape[0], times.data_ptr()
            self._model.time_conditions_size = times.numel()
            self._c_cache = CCache()  # the work space may have to grow
        keys_values, rotations = self.cache.room(count)
        c_cache = native.c_cache(keys_values, rotations)
        if bytes(c_cache) == bytes(self._c_cache):
            return
        size = self._kernels.pv_flow_lm_workspace_bytes(self._address, native.MAX_ROWS, c_cache.capacity)
        if size > self.workspace.numel() or not size:
            self.workspace, self._memory = native.workspace(size)
        self._c_cache = c_cache


def _described(flow_lm: FlowLM, packer: native.Packer) -> CFlowLM:
    first: TransformerLayer = flow_lm.transformer.layers[0]  # type: ignore[assignment]
    attention: Attention = first.self_attn
    head = flow_lm.flow_net
    layers = [_c_layer(layer, packer) for layer in flow_lm.transformer.layers]  # type: ignore[arg-type]
    blocks = [_c_block(block, packer) for block in head.res_blocks]  # type: ignore[arg-type]
    return CFlowLM(
        num_layers=len(layers), num_heads=attention.num_heads, num_kv_heads=attention.num_kv_heads,
        head_dim=attention.head_dim, d_model=attention.in_proj.in_features,
        layers=(CLayer * len(layers))(*layers),
        input_linear=packer.layer(flow_lm.input_linear),
        z_proj=native.NO_LAYER if flow_lm.z_proj is None else packer.layer(flow_lm.z_proj),
        out_norm=packer.norm(flow_lm.out_norm),
        out_eos=packer.layer(flow_lm.out_eos),
        cond_embed=packer.layer(head.cond_embed),
        input_proj=packer.layer(head.input_proj),
        modulation=packer.linear(*all_modulations(head)),
        final_linear=packer.layer(head.final_layer.linear),
        num_blocks=len(blocks), flow_dim=head.cond_embed.out_features, latent_dim=flow_lm.latent_dim,
        predicts_sample=flow_lm.config.flow.type == "drifting",
        blocks=(CFlowBlock * len(blocks))(*blocks),
    )  # fmt: skip


def _c_layer(layer: TransformerLayer, packer: native.Packer) -> CLayer:
    return CLayer(
        norm1=packer.norm(layer.norm1),
        norm2=packer.norm(layer.norm2),
        in_proj=packer.layer(layer.self_attn.in_proj),
        out_proj=packer.layer(layer.self_attn.out_proj),
        linear1=packer.layer(layer.linear1),
        linear2=packer.layer(layer.linear2),
    )


def _c_block(block: FlowBlock, packer: native.Packer) -> CFlowBlock:
    first, _, second = block.mlp
    assert isinstance(first, nn.Linear)
    assert isinstance(second, nn.Linear)
    return CFlowBlock(packer.norm(block.in_ln), packer.layer(first), packer.layer(second))
