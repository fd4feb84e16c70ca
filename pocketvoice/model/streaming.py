"""A transformer fed piece by piece, with a KV cache: the inference form of `model.transformer`, unbatched, (T, C) in and out.

The cache is preallocated per head, (H_kv, positions, D), and grows by doubling; `rewind` forgets the end of it, so that a
voice's prompt is read once and reused. With a limited context (Mimi) the cache is a window that is moved to the front when
it reaches the end. Everything lies on the device of the weights. Not thread-safe: one owner.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from pocketvoice.model import memory
from pocketvoice.model.linear import Precision, multiplies_bf16, pack, pack_batched
from pocketvoice.model.transformer import Attention, LayerScale, Transformer, TransformerLayer, rope_table


def scaled(weight: Tensor, scale: torch.nn.Module) -> Tensor:
    """The layer scale folded into the rows of the projection before it."""
    return weight.float() * scale.scale.float()[:, None] if isinstance(scale, LayerScale) else weight


class _Layer:
    """One layer's packed weights. `kv` (2, H_kv, T, D) ends with the new positions, whose keys and values are written there."""

    def __init__(self, layer: TransformerLayer, precision: Precision, batched: bool) -> None:
        attention = layer.self_attn
        packed = pack_batched if batched else pack
        self.heads, self.kv_heads = attention.num_heads, attention.num_kv_heads
        self.head_dim = attention.head_dim
        self.in_proj = packed(attention.in_proj.weight, None, precision)
        self.out_proj = packed(scaled(attention.out_proj.weight, layer.layer_scale_1), None, precision)
        self.linear1 = packed(layer.linear1.weight, None, precision, gelu=True)
        self.linear2 = packed(scaled(layer.linear2.weight, layer.layer_scale_2), None, precision)
        self._attends_bf16 = (
            batched
            and precision != "float32"
            and self.heads == self.kv_heads
            and layer.norm1.weight.is_cpu
            and multiplies_bf16()
        )
        self.width = (attention.in_proj.in_features,)
        self.norm1 = (layer.norm1.weight.detach().float(), layer.norm1.bias.detach().float())
        self.norm2 = (layer.norm2.weight.detach().float(), layer.norm2.bias.detach().float())

    def one(self, x: Tensor, kv: Tensor, rotations: Tensor) -> Tensor:
        """One position (1, C); `rotations` (H + 2 H_kv, D / 2) are those of queries, scaled, then of keys, then ones."""
        heads = self.in_proj(F.layer_norm(x, self.width, *self.norm1, 1e-5))
        # Values are multiplied by one with all the rest: a slice and a copy would cost more than the products.
        pairs = torch.view_as_complex(heads.view(-1, self.head_dim // 2, 2))
        heads = torch.view_as_real(pairs * rotations).view(-1, self.head_dim)
        kv[:, :, -1] = heads[self.heads :].view(2, self.kv_heads, self.head_dim)
        keys, values = kv.unbind(0)
        queries = heads[: self.heads].view(self.kv_heads, -1, self.head_dim)
        # For a single query this is faster than torch's fused attention.
        weights = torch.softmax(torch.bmm(queries, keys.transpose(1, 2)), -1)
        return self._forward(x + self.out_proj(torch.bmm(weights, values).view(1, -1)))

    def many(self, x: Tensor, kv: Tensor, rotations: Tensor, mask: Tensor | None) -> Tensor:
        """Positions (N, C); `rotations` (N, 1, D / 2)."""
        heads = self.in_proj(F.layer_norm(x, self.width, *self.norm1, 1e-5)).unflatten(1, (-1, self.head_dim))
        rotated = self.heads + self.kv_heads
        pairs = torch.view_as_complex(heads[:, :rotated].unflatten(2, (-1, 2)))
        qk = torch.view_as_real(pairs * rotations).flatten(2).transpose(0, 1)
        new = int(x.shape[0])  # a constant of a graph
        kv[0, :, -new:] = qk[self.heads :]
        kv[1, :, -new:] = heads[:, rotated:].transpose(0, 1)
        queries = qk[: self.heads]
        if self._attends_bf16 and mask is not None:
            out = _attend_bf16(queries, kv, mask)
        else:
            out = _attend(queries, kv, mask)
        return self._forward(x + self.out_proj(out.transpose(0, 1).flatten(1)))

    def _forward(self, x: Tensor) -> Tensor:
        return x + self.linear2(self.linear1(F.layer_norm(x, self.width, *self.norm2, 1e-5)))


def _attend(queries: Tensor, kv: Tensor, mask: Tensor | None) -> Tensor:
    """(H, N, D) over keys and values (2, H_kv, T, D) -> (H, N, D)."""
    grouped = int(queries.shape[0]) != int(kv.shape[1])  # a constant of a graph
    return F.scaled_dot_product_attention(queries[None], kv[0:1], kv[1:2], mask, enable_gqa=grouped)[0]


def _attend_bf16(queries: Tensor, kv: Tensor, mask: Tensor) -> Tensor:
    """The same with products in bf16, for as many heads of keys as of queries: plain products beat torch's fused ones there."""
    keys, values = kv.bfloat16().unbind(0)
    scores = torch.bmm((queries * queries.shape[-1] ** -0.5).bfloat16(), keys.transpose(1, 2))
    return torch.bmm(torch.softmax(scores.float().add_(mask), -1).bfloat16(), values).float()


@dataclass(frozen=True)
class CachePosition:
    """Where the next positions go in a cache, and what they may look at; good until `room`, `rewind` or `write_cache`."""

    cache: Tensor  # (layers, 2, H_kv, T, D), a view: all they may look at, and at its end room for them
    rotations: Tensor  # (N, 1, D / 2)
    mask: Tensor | None  # (N, T) addends; None is everything


class KVCache:
    """Keys and values of a transformer's positions; `position` counts all seen since the start.

    Whoever computes takes a `place` for the next ones, fills it and calls `advance`.
    """

    def __init__(self, transformer: Transformer) -> None:
        first: TransformerLayer = transformer.layers[0]  # type: ignore[assignment]
        attention: Attention = first.self_attn
        self.d_model = attention.in_proj.in_features
        self.context = attention.context
        self._attention = attention  # shapes only
        self._device = device = attention.in_proj.weight.device
        kv_heads, pairs = attention.num_kv_heads, attention.head_dim // 2
        self._cache = torch.empty(len(transformer.layers), 2, kv_heads, 0, attention.head_dim, device=device)
        self._rope = torch.empty(0, pairs, dtype=torch.complex64, device=device)
        self._band = torch.empty(0, 0, device=device)
        self._start = 0  # position of the cache's first entry; moves with a limited context only
        self.position = 0

    @property
    def layers(self) -> int:
        """How many layers the transformer has."""
        return self._cache.shape[0]

    @property
    def index(self) -> int:
        """The next position's index in the cache; good until `room` or `rewind`."""
        return self.position - self._start

    @property
    def cache_shape(self) -> torch.Size:
        """(layers, 2, H_kv, positions, D)."""
        return self._cache.shape

    @property
    def cache_bytes(self) -> int:
        """Bytes held by the KV cache."""
        return self._cache.nbytes

    def reserve(self, positions: int) -> None:
        """Makes room for `positions` in all, at once, and a little more: the next request is rarely as long."""
        positions = -(-positions // 64) * 64  # as many as kernels append at once
        if self.context is None and positions > self._cache.shape[3]:
            self._grow(positions)
        if positions > self._rope.shape[0]:
            with torch.device("cpu"):  # its cosines are the same for all devices
                rope = rope_table(positions, self._attention.head_dim, self._attention.max_period)
            self._rope = rope.to(self._device)

    def rewind(self, position: int) -> None:
        """Forgets everything from `position` on."""
        if position == 0:
            self._start = 0
        assert self._start <= position <= self.position, "can only rewind to what is still cached"
        self.position = position

    def read_cache(self, layer: int) -> Tensor:
        """Keys and values of a layer up to `position`, as a copy (2, T, H_kv, D) on the CPU."""
        return self._cache[layer, :, :, : self.index].transpose(1, 2).contiguous().cpu()

    def write_cache(self, layers: list[Tensor]) -> None:
        """Starts over from foreign keys and values, one (2, T, H_kv, D) per layer, on any device."""
        length = layers[0].shape[1]
        self.rewind(0)
        self.reserve(length)
        for index, entry in enumerate(layers):
            self._cache[index, :, :, :length].copy_(entry.transpose(1, 2))
        self.position = length

    def place(self, count: int) -> CachePosition:
        """Room for the next `count` positions; compute them there, then `advance`."""
        self.room(count)
        position = self.position
        end = self.index + count
        begin = 0 if self.context is None else max(0, end - count - self.context + 1)
        return CachePosition(
            self._cache[:, :, :, begin:end],
            self._rope[position : position + count, None],
            self._mask(count, end - begin),
        )

    def room(self, count: int) -> tuple[Tensor, Tensor]:
        """The whole cache and all rotations (positions, D / 2), with room for the next `count` positions."""
        if self.position + count > self._rope.shape[0]:
            self.reserve(max(2 * self._rope.shape[0], self.position + count, 256))
        if self.index + count > self._cache.shape[3]:
            self._make_room(count)
        return self._cache, self._rope

    def advance(self, count: int) -> None:
        """Counts positions that have been computed since their `place` was taken."""
        self.position += count

    def _make_room(self, length: int) -> None:
        if self.context is None:
            self._grow(max(2 * self._cache.shape[3], self.position + length, 256))
            return
        # A window: what the next position still sees moves to the front. The buffer is at least twice as long as the window,
        # so that this happens once in `context` positions, not at each.
        keep = min(self.context - 1, self.index)
        kept = self._cache[:, :, :, self.index - keep : self.index].clone()
        if self._cache.shape[3] < 2 * self.context + length:
            self._grow(2 * self.context + 2 * length)
        self._cache[:, :, :, :keep] = kept
        self._start = self.position - keep

    def _grow(self, positions: int) -> None:
        layers, two, heads, length, dim = self._cache.shape
        grown = _empty_cache((layers, two, heads, positions, dim), self._device)
        grown[:, :, :, :length] = self._cache
        self._cache = grown

    def _mask(self, queries: int, keys: int) -> Tensor | None:
        """What `queries` new positions may see of the last `keys`, as addends (queries, keys); None is everything."""
        if queries == 1:
            return None
        if self.context is None:
            # Plainly causal, for prompts only: query i, the last of which is the newest key, sees keys up to its own.
            every = torch.full((queries, keys), float("-inf"), device=self._device)
            return every.triu_(keys - queries + 1)
        reach = self.context
        if self._band.shape[0] < queries:
            # Row i allows the columns i .. i + reach - 1. The matrix is constant along its diagonals, so a slice that ends
            # at the newest key serves shorter histories and fewer queries too.
            columns = torch.arange(reach + queries - 1, device=self._device)
            offset = columns - torch.arange(queries, device=self._device)[:, None]
            self._band = torch.zeros(offset.shape, device=self._device).masked_fill_(
                (offset < 0) | (offset >= reach), float("-inf")
            )
        newest = reach - 1 + queries
        mask = self._band[:queries, newest - keys : newest]
        # CUDA's attention takes aligned masks only; torch pads rows that are not, but not a slice's beginning.
        return mask if mask.is_cpu else mask.contiguous()


class StreamingTransformer(KVCache):
    """`append(x)` runs the next T positions through torch's operators."""

    def __init__(
        self, transformer: Transformer, precision: Precision = "float32", *, batched: bool = False
    ) -> None:
        """Packs the weights at `precision`; `batched` says that it will see many positions a call, not one."""
        super().__init__(transformer)
        self._layers = [_Layer(layer, precision, batched) for layer in transformer.layers]  # type: ignore[arg-type]
        shape = self._attention.num_kv_heads, self._attention.head_dim // 2
        self._still = torch.ones(shape, dtype=torch.complex64, device=self._device)  # values are not rotated

    def append(self, x: Tensor) -> Tensor:
        """(T, d_model) of the next positions -> (T, d_model)."""
        place = self.place(x.shape[0])
        x = self.run(x, place.cache, place.rotations, place.mask)
        self.advance(x.shape[0])
        return x

    def run(self, x: Tensor, cache: Tensor, rotations: Tensor, mask: Tensor | None = None) -> Tensor:
        """All layers over new positions at a `place`; depends on nothing else."""
        if x.shape[0] == 1:
            rotations = self._rotations_of_one(rotations[0])
            for layer, kv in zip(self._layers, cache.unbind(0), strict=True):
                x = layer.one(x, kv, rotations)
        else:
            for layer, kv in zip(self._layers, cache.unbind(0), strict=True):
                x = layer.many(x, kv, rotations, mask)
        return x

    def _rotations_of_one(self, rotation: Tensor) -> Tensor:
        """(1, D / 2) -> (H + 2 H_kv, D / 2): queries are scaled on the way, values stay as they are."""
        a = self._attention
        scaled = (rotation * a.head_dim**-0.5).expand(a.num_heads, -1)
        return torch.cat([scaled, rotation.expand(a.num_kv_heads, -1), self._still])


def _empty_cache(shape: tuple[int, ...], device: torch.device) -> Tensor:
    """Memory for a cache of that shape in float32, not initialised; on the CPU from the beginning of a cache line on."""
    if device.type != "cpu":
        return torch.empty(shape, device=device)
    return memory.lines(4 * math.prod(shape)).view(torch.float32).view(shape)
