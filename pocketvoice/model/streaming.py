"""A transformer fed piece by piece, with a KV cache: the inference form of `model.transformer`, unbatched, (T, C) in and out.

The cache is preallocated per head, (H_kv, positions, D), and grows by doubling; `rewind` forgets the end of it, so that a
voice's prompt is read once and reused. With a limited context (Mimi) the cache is a window that is moved to the front when
it reaches the end. Not thread-safe: one owner.
"""

import torch
from torch import Tensor
from torch.nn import functional as F

from pocketvoice.model.linear import Precision, pack
from pocketvoice.model.transformer import Attention, LayerScale, Transformer, TransformerLayer, rope_table


def _scaled(weight: Tensor, scale: torch.nn.Module) -> Tensor:
    """The layer scale folded into the rows of the projection before it."""
    return weight.float() * scale.scale.float()[:, None] if isinstance(scale, LayerScale) else weight


class _Layer:
    """One layer's packed weights."""

    def __init__(self, layer: TransformerLayer, precision: Precision) -> None:
        attention = layer.self_attn
        self.in_proj = pack(attention.in_proj.weight, None, precision)
        self.out_proj = pack(_scaled(attention.out_proj.weight, layer.layer_scale_1), None, precision)
        self.linear1 = pack(layer.linear1.weight, None, precision)
        self.linear2 = pack(_scaled(layer.linear2.weight, layer.layer_scale_2), None, precision)
        self.norm1 = (layer.norm1.weight.detach().float(), layer.norm1.bias.detach().float())
        self.norm2 = (layer.norm2.weight.detach().float(), layer.norm2.bias.detach().float())


class StreamingTransformer:
    """`append(x)` runs the next T positions; `position` counts all positions seen since the start."""

    def __init__(self, transformer: Transformer, precision: Precision = "float32") -> None:
        first: TransformerLayer = transformer.layers[0]  # type: ignore[assignment]
        attention: Attention = first.self_attn
        self.d_model = attention.in_proj.in_features
        self.context = attention.context
        self._attention = attention  # shapes only
        self._layers = [_Layer(layer, precision) for layer in transformer.layers]  # type: ignore[arg-type]
        self._cache = torch.empty(len(self._layers), 2, attention.num_kv_heads, 0, attention.head_dim)
        self._rope = torch.empty(0, attention.head_dim // 2, dtype=torch.complex64)
        self._band = torch.empty(0, 0)
        self._start = 0  # position of the cache's first entry; moves with a limited context only
        self.position = 0

    @property
    def layers(self) -> int:
        """How many layers."""
        return len(self._layers)

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
        positions = -(-positions // 256) * 256
        if self.context is None and positions > self._cache.shape[3]:
            self._grow(positions)
        if positions > self._rope.shape[0]:
            self._rope = rope_table(positions, self._attention.head_dim, self._attention.max_period)

    def rewind(self, position: int) -> None:
        """Forgets everything from `position` on."""
        if position == 0:
            self._start = 0
        assert self._start <= position <= self.position, "can only rewind to what is still cached"
        self.position = position

    def read_cache(self, layer: int) -> Tensor:
        """Keys and values of a layer up to `position`, as a copy (2, T, H_kv, D)."""
        return self._cache[layer, :, :, : self.position - self._start].transpose(1, 2).contiguous()

    def write_cache(self, layers: list[Tensor]) -> None:
        """Starts over from foreign keys and values, one (2, T, H_kv, D) per layer."""
        length = layers[0].shape[1]
        self.rewind(0)
        self.reserve(length)
        for index, entry in enumerate(layers):
            self._cache[index, :, :, :length].copy_(entry.transpose(1, 2))
        self.position = length

    def append(self, x: Tensor) -> Tensor:
        """(T, d_model) of the next positions -> (T, d_model)."""
        begin, end, rotations, mask = self._prepare(x.shape[0])
        for layer, (keys, values) in zip(self._layers, self._cache, strict=True):
            x = self._attend(layer, x, keys, values, begin, end, rotations, mask)
            hidden = layer.linear1(F.layer_norm(x, (self.d_model,), *layer.norm2, 1e-5))
            x = x + layer.linear2(F.gelu(hidden, approximate="tanh"))
        self.position += x.shape[0]
        return x

    def _attend(
        self,
        layer: _Layer,
        x: Tensor,
        keys: Tensor,
        values: Tensor,
        begin: int,
        end: int,
        rotations: Tensor,
        mask: Tensor | None,
    ) -> Tensor:
        a, length = self._attention, x.shape[0]
        heads = layer.in_proj(F.layer_norm(x, (self.d_model,), *layer.norm1, 1e-5)).view(
            length, -1, a.head_dim
        )
        rotated = a.num_heads + a.num_kv_heads
        pairs = torch.view_as_complex(heads[:, :rotated].unflatten(2, (-1, 2)))
        qk = torch.view_as_real(pairs * rotations).view(length, rotated, a.head_dim).transpose(0, 1)
        keys[:, end - length : end] = qk[a.num_heads :]
        values[:, end - length : end] = heads[:, rotated:].transpose(0, 1)
        out = F.scaled_dot_product_attention(
            qk[None, : a.num_heads], keys[None, :, begin:end], values[None, :, begin:end], mask,
            enable_gqa=a.num_heads != a.num_kv_heads,
        )  # fmt: skip
        return x + layer.out_proj(out[0].transpose(0, 1).reshape(length, -1))

    def _prepare(self, length: int) -> tuple[int, int, Tensor, Tensor | None]:
        """Room for `length` positions: the slice of the cache they look at, their rotations, their mask."""
        position = self.position
        if position + length > self._rope.shape[0]:
            self.reserve(max(2 * self._rope.shape[0], position + length, 256))
        if position - self._start + length > self._cache.shape[3]:
            self._make_room(length)
        end = position - self._start + length
        begin = 0 if self.context is None else max(0, end - length - self.context + 1)
        rotations = self._rope[position : position + length, None]
        return begin, end, rotations, self._mask(length, end - begin)

    def _make_room(self, length: int) -> None:
        if self.context is None:
            self._grow(max(2 * self._cache.shape[3], self.position + length, 256))
            return
        keep = min(self.context - 1, self.position - self._start)
        kept = self._cache[:, :, :, self.position - self._start - keep : self.position - self._start].clone()
        if self._cache.shape[3] < 4 * self.context + length:
            self._grow(4 * self.context + 2 * length)
        self._cache[:, :, :, :keep] = kept
        self._start = self.position - keep

    def _grow(self, positions: int) -> None:
        layers, two, heads, length, dim = self._cache.shape
        grown = self._cache.new_empty(layers, two, heads, positions, dim)
        grown[:, :, :, :length] = self._cache
        self._cache = grown

    def _mask(self, queries: int, keys: int) -> Tensor | None:
        """What `queries` new positions may see of the last `keys`, as addends (queries, keys); None is everything."""
        if queries == 1:
            return None
        if self.context is None:
            return torch.full((queries, keys), float("-inf")).triu_(keys - queries + 1)
        reach = self.context
        if self._band.shape[0] < queries:
            # Row i allows the columns i .. i + reach - 1. The matrix is constant along its diagonals, so a slice that ends
            # at the newest key serves shorter histories and fewer queries too.
            offset = torch.arange(reach + queries - 1) - torch.arange(queries)[:, None]
            self._band = torch.zeros(offset.shape).masked_fill_(
                (offset < 0) | (offset >= reach), float("-inf")
            )
        newest = reach - 1 + queries
        return self._band[:queries, newest - keys : newest]
