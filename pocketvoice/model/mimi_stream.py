"""Mimi for inference, piece by piece: the decoder from latents to samples, the encoder from a clip to its conditioning.

Both keep bounded state whatever the length. Tensors in, tensors out; which thread calls them is the engine's affair, but each
object has one owner at a time.
"""

import torch
from torch import Tensor

from pocketvoice.model.linear import Precision, Projection, pack
from pocketvoice.model.mimi import Mimi
from pocketvoice.model.streaming import StreamingTransformer
from pocketvoice.model.streaming_conv import StreamingConv, StreamingStack, StreamingUpsample
from pocketvoice.model.transformer import ProjectedTransformer


class _ProjectedStream:
    """A Mimi transformer with its projections."""

    def __init__(self, module: ProjectedTransformer, precision: Precision) -> None:
        self.stream = StreamingTransformer(module.transformer, precision)
        self._before = _optional(module.input_proj, precision)
        self._after = _optional(module.output_projs[0], precision)

    def __call__(self, x: Tensor) -> Tensor:
        if self._before is not None:
            x = self._before(x)
        x = self.stream.append(x)
        return x if self._after is None else self._after(x)


def _optional(module: torch.nn.Module | None, precision: Precision) -> Projection | None:
    return pack(module.weight, None, precision) if isinstance(module, torch.nn.Linear) else None


class MimiDecoder:
    """`decode(latents)` continues the sound where the last call ended; `reset` starts a new one.

    `emb_std`, `emb_mean` (numbers,) undo FlowLM's normalisation; they are folded into the first projection.
    """

    def __init__(
        self, mimi: Mimi, emb_std: Tensor, emb_mean: Tensor, precision: Precision = "float32"
    ) -> None:
        project = mimi.quantizer.output_proj.weight.detach().float()[..., 0]  # (channels, numbers)
        self._project = pack(project * emb_std.float(), project @ emb_mean.float(), "float32")
        self._upsample = StreamingUpsample(mimi.upsample) if mimi.config.steps_per_latent > 1 else None
        self._transformer = _ProjectedStream(mimi.decoder_transformer, precision)
        self._decoder = StreamingStack(mimi.decoder.model, precision)

    def reset(self) -> None:
        """Forgets everything that was decoded."""
        if self._upsample is not None:
            self._upsample.reset()
        self._transformer.stream.rewind(0)
        self._decoder.reset()

    def decode(self, latents: Tensor) -> Tensor:
        """Normalised latents (frames, numbers) -> samples (frames x 1920,)."""
        x = self._project(latents)
        if self._upsample is not None:
            x = self._upsample(x)
        return self._decoder(self._transformer(x)).flatten()


class MimiEncoder:
    """`encode(samples)` turns a whole clip into its conditioning, one second at a time."""

    def __init__(self, mimi: Mimi) -> None:
        self._config = mimi.config
        self._encoder = StreamingStack(mimi.encoder.model)
        self._transformer = _ProjectedStream(mimi.encoder_transformer, "float32")
        stride = mimi.config.steps_per_latent
        self._downsample = StreamingConv.of(mimi.downsample.conv) if stride > 1 else None

    def encode(self, samples: Tensor) -> Tensor:
        """Samples (T,) -> conditioning (frames, conditioning_dim); the last frame is filled up with zeros."""
        frame = self._config.frame_size
        samples = torch.nn.functional.pad(samples, (0, -samples.shape[0] % frame))
        self._reset()
        return torch.cat([self._piece(piece) for piece in samples.split(frame * 12)])

    def _piece(self, samples: Tensor) -> Tensor:
        x = self._transformer(self._encoder(samples[:, None]))
        return x if self._downsample is None else self._downsample(x)

    def _reset(self) -> None:
        self._encoder.reset()
        self._transformer.stream.rewind(0)
        if self._downsample is not None:
            self._downsample.reset()
