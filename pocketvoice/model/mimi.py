"""Mimi, the codec, as torch modules: SEANet encoder and decoder around small transformers (SoundStream-like, arXiv 2107.03312).

Batched, stateless, differentiable; inference piece by piece runs the same weights through `model.mimi_stream` and
`model.mimi_native`. Parameter names are the checkpoint's.
"""

from torch import Tensor, nn
from torch.nn import functional as F

from pocketvoice.model.config import MimiConfig, QuantizerConfig, SEANetConfig
from pocketvoice.model.convolution import (
    CausalConv1d,
    CausalConvTranspose1d,
    Downsample,
    ResidualBlock,
    Upsample,
)
from pocketvoice.model.transformer import ProjectedTransformer


def _residual_blocks(config: SEANetConfig, channels: int) -> list[nn.Module]:
    return [
        ResidualBlock(
            channels,
            config.residual_kernel_size,
            config.dilation_base**depth,
            config.compress,
            config.pad_mode,
        )
        for depth in range(config.n_residual_layers)
    ]


class SEANetEncoder(nn.Module):
    """(B, 1, samples) -> (B, dimension, samples / hop)."""

    def __init__(self, config: SEANetConfig) -> None:
        super().__init__()
        width, pad = config.n_filters, config.pad_mode
        layers: list[nn.Module] = [CausalConv1d(config.channels, width, config.kernel_size, pad_mode=pad)]
        for ratio in reversed(config.ratios):  # the decoder's order backwards: the outermost stride first
            layers += _residual_blocks(config, width)
            layers += [nn.ELU(), CausalConv1d(width, 2 * width, 2 * ratio, ratio, pad_mode=pad)]
            width *= 2
        layers += [nn.ELU(), CausalConv1d(width, config.dimension, config.last_kernel_size, pad_mode=pad)]
        self.model = nn.ModuleList(layers)

    def forward(self, x: Tensor) -> Tensor:
        """Runs the layers in order."""
        for layer in self.model:
            x = layer(x)
        return x


class SEANetDecoder(nn.Module):
    """(B, dimension, T) -> (B, 1, T x hop)."""

    def __init__(self, config: SEANetConfig) -> None:
        super().__init__()
        width, pad = config.n_filters * 2 ** len(config.ratios), config.pad_mode
        layers: list[nn.Module] = [CausalConv1d(config.dimension, width, config.kernel_size, pad_mode=pad)]
        for ratio in config.ratios:
            layers += [nn.ELU(), CausalConvTranspose1d(width, width // 2, ratio)]
            width //= 2
            layers += _residual_blocks(config, width)
        layers += [nn.ELU(), CausalConv1d(width, config.channels, config.last_kernel_size, pad_mode=pad)]
        self.model = nn.ModuleList(layers)

    def forward(self, x: Tensor) -> Tensor:
        """Runs the layers in order."""
        for layer in self.model:
            x = layer(x)
        return x


class LatentProjection(nn.Module):
    """Stands where the codec's quantizer stood: latents go in unquantized through a 1x1 projection."""

    def __init__(self, config: QuantizerConfig) -> None:
        super().__init__()
        self.output_proj = nn.Conv1d(config.dimension, config.output_dimension, 1, bias=False)

    def forward(self, latents: Tensor) -> Tensor:
        """(B, latent_dim, T) -> (B, channels, T)."""
        return self.output_proj(latents)  # type: ignore[no-any-return]


class Mimi(nn.Module):
    """The whole codec: an encoder for cloning and a decoder for speech, both at 24 kHz."""

    def __init__(self, config: MimiConfig) -> None:
        super().__init__()
        self.config = config
        stride = config.steps_per_latent
        self.encoder = SEANetEncoder(config.seanet)
        self.decoder = SEANetDecoder(config.decoder)
        self.encoder_transformer = ProjectedTransformer(config.transformer)
        self.decoder_transformer = ProjectedTransformer(config.decoder_side_transformer)
        self.quantizer = LatentProjection(config.quantizer)
        if stride > 1:
            self.downsample = Downsample(stride, config.seanet.dimension, config.conditioning_dim)
            self.upsample = Upsample(stride, config.decoder.dimension)

    def encode(self, samples: Tensor) -> Tensor:
        """(B, 1, samples) -> (B, frames, conditioning_dim); the end is filled up with zeros to a whole frame."""
        x = self.encoder(F.pad(samples, (0, -samples.shape[-1] % self.config.frame_size)))
        x = self.encoder_transformer(x.transpose(1, 2)).transpose(1, 2)
        if self.config.steps_per_latent > 1:
            x = self.downsample(x)
        return x.transpose(1, 2)  # type: ignore[no-any-return]

    def decode(self, latents: Tensor) -> Tensor:
        """(B, frames, latent_dim), not normalised -> (B, 1, frames x 1920)."""
        x = self.quantizer(latents.transpose(1, 2))
        if self.config.steps_per_latent > 1:
            x = self.upsample(x)
        x = self.decoder_transformer(x.transpose(1, 2)).transpose(1, 2)
        return self.decoder(x)  # type: ignore[no-any-return]
