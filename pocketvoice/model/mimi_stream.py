"""Mimi for inference, piece by piece: the decoder from latents to samples, the encoder from a clip to its conditioning.

Both keep bounded state whatever the length and compute on the device of their weights. Tensors in, tensors out; which thread
calls them is the engine's affair, but each object has one owner at a time.
"""

import ctypes
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from pocketvoice.model import mimi_native, native
from pocketvoice.model.graph import Direct, Graph
from pocketvoice.model.linear import Precision, Projection, pack_batched
from pocketvoice.model.mimi import Mimi
from pocketvoice.model.mimi_native import NativeMimiDecoder
from pocketvoice.model.streaming import StreamingTransformer
from pocketvoice.model.streaming_conv import StreamingConv, StreamingStack, StreamingUpsample
from pocketvoice.model.transformer import ProjectedTransformer

_NO_MASK = torch.zeros(0, device="cpu")  # for a single query: a graph takes tensors only, None is none


class _ProjectedStream:
    """A Mimi transformer with its projections in and out, fed piece by piece."""

    def __init__(self, module: ProjectedTransformer, precision: Precision) -> None:
        self.stream = StreamingTransformer(module.transformer, precision, batched=True)
        self._before = _optional(module.input_proj, precision)
        self._after = _optional(module.output_projs[0], precision)

    def __call__(self, x: Tensor) -> Tensor:
        place = self.stream.place(x.shape[0])
        x = self.run(x, place.cache, place.rotations, place.mask)
        self.stream.advance(x.shape[0])
        return x

    def run(self, x: Tensor, cache: Tensor, rotations: Tensor, mask: Tensor | None) -> Tensor:
        """New positions (N, input_dimension) at a place -> (N, output_dimension)."""
        if self._before is not None:
            x = self._before(x)
        x = self.stream.run(x, cache, rotations, mask)
        return x if self._after is None else self._after(x)


def _optional(module: torch.nn.Module | None, precision: Precision) -> Projection | None:
    return pack_batched(module.weight, None, precision) if isinstance(module, torch.nn.Linear) else None


def decoder_of(
    mimi: Mimi,
    emb_std: Tensor,
    emb_mean: Tensor,
    precision: Precision,
    *,
    find_kernels: Callable[[], ctypes.CDLL | None] | None = None,
) -> "Decoder":
    """The fastest decoder for this machine at this precision; `emb_std`, `emb_mean` (latent_dim,) undo FlowLM's normalisation.

    `find_kernels` is asked once; without it the library of this machine is taken.
    """
    kernels = (find_kernels or native.library)()
    if kernels is not None and mimi_native.supports(mimi, kernels):
        return NativeMimiDecoder(mimi, *_projection(mimi, emb_std, emb_mean), precision, kernels=kernels)
    return MimiDecoder(mimi, emb_std, emb_mean, precision)


def _projection(mimi: Mimi, emb_std: Tensor, emb_mean: Tensor) -> tuple[Tensor, Tensor]:
    """Weight (channels, latent_dim) and bias of the decoder's first layer, FlowLM's normalisation undone."""
    project = mimi.quantizer.output_proj.weight.detach().float()[..., 0]
    return project * emb_std.float(), project @ emb_mean.float()


class MimiDecoder:
    """`decode(latents)` continues the sound where the last call ended; `reset` starts a new one.

    `emb_std`, `emb_mean` (latent_dim,) undo FlowLM's normalisation; they are folded into the first projection.
    """

    def __init__(
        self, mimi: Mimi, emb_std: Tensor, emb_mean: Tensor, precision: Precision = "float32"
    ) -> None:
        self._project = pack_batched(*_projection(mimi, emb_std, emb_mean), "float32")
        self._steps = mimi.config.steps_per_latent
        self._upsample = StreamingUpsample(mimi.upsample) if self._steps > 1 else None
        self._transformer = _ProjectedStream(mimi.decoder_transformer, precision)
        self._decoder = StreamingStack(mimi.decoder.model, precision)
        self._memories = [*([] if self._upsample is None else [self._upsample]), *self._decoder.memories()]
        self._graph = Graph(self._run) if mimi.quantizer.output_proj.weight.is_cpu else Direct(self._run)
        self._fresh = True

    def reset(self) -> None:
        """Starts a new sound: forgets everything that was decoded."""
        for memory in self._memories:
            memory.reset()
        self._transformer.stream.rewind(0)
        self._fresh = True

    def decode(self, latents: Tensor) -> Tensor:
        """Normalised latents (frames, latent_dim) -> samples (frames x 1920,)."""
        count = latents.shape[0] * self._steps
        place = self._transformer.stream.place(count)
        inputs = latents, place.cache, place.rotations, place.mask if place.mask is not None else _NO_MASK
        if self._fresh:  # there is no past yet that could be given to a graph
            samples, *_ = self._run(*inputs)
            self._fresh = False
        else:
            samples, *past = self._graph(count, *inputs, *self._past())
            self._remember(past)
        self._transformer.stream.advance(count)
        return samples

    def _run(
        self, latents: Tensor, cache: Tensor, rotations: Tensor, mask: Tensor, *past: Tensor
    ) -> tuple[Tensor, ...]:
        """Samples, then the rows that the next call needs as `past`; without it a new sound starts."""
        self._remember(past)
        x = self._project(latents)
        if self._upsample is not None:
            x = self._upsample(x)
        x = self._transformer.run(x, cache, rotations, None if mask is _NO_MASK else mask)
        samples = self._decoder(x).flatten()
        return samples, *self._past()

    def _past(self) -> list[Tensor]:
        return [memory.past for memory in self._memories if memory.past is not None]

    def _remember(self, past: Sequence[Tensor]) -> None:
        for memory, rows in zip(self._memories, past, strict=False):
            memory.past = rows


Decoder = MimiDecoder | NativeMimiDecoder


class MimiEncoder:
    """`encode(samples)` turns a whole clip into its conditioning, one second at a time."""

    def __init__(self, mimi: Mimi, precision: Precision = "float32") -> None:
        """Below float32 it is bf16 where the processor multiplies that itself: int8 would leave its mark on the voice for good."""
        precision = "float32" if precision == "float32" else "bf16"
        self._config = mimi.config
        self._device = next(mimi.parameters()).device
        self._encoder = StreamingStack(mimi.encoder.model, precision)
        self._transformer = _ProjectedStream(mimi.encoder_transformer, precision)
        stride = mimi.config.steps_per_latent
        self._downsample = StreamingConv.of(mimi.downsample.conv, precision) if stride > 1 else None

    def encode(self, samples: Tensor) -> Tensor:
        """Samples (T,) on any device -> conditioning (frames, conditioning_dim); the last frame is filled up with zeros."""
        frame = self._config.frame_size
        samples = torch.nn.functional.pad(samples.to(self._device), (0, -samples.shape[0] % frame))
        self._reset()
        # About a second at once: longer pieces only need more memory.
        return torch.cat([self._piece(piece) for piece in samples.split(frame * 12)])

    def _piece(self, samples: Tensor) -> Tensor:
        x = self._transformer(self._encoder(samples[:, None]))
        return x if self._downsample is None else self._downsample(x)

    def _reset(self) -> None:
        self._encoder.reset()
        self._transformer.stream.rewind(0)
        if self._downsample is not None:
            self._downsample.reset()
