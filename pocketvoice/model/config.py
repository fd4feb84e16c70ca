"""The model config: what a checkpoint's YAML says about shapes, text rules and weights, validated strictly.

The schema is the reference package's (pocket-tts 4.0.1), so its files load here unchanged. Knows no torch: listing models
stays light. Reading is one call, `load_config`; every mistake names its field.
"""

import os
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from pocketvoice.errors import ConfigError
from pocketvoice.model.yaml_file import read_yaml

# Everything has an upper bound, far beyond any model: products of sizes stay in 64 bits, and none exhausts the memory.
Positive = Annotated[int, msgspec.Meta(gt=0, le=1 << 20)]
Few = Annotated[int, msgspec.Meta(gt=0, le=256)]
PositiveFloat = Annotated[float, msgspec.Meta(gt=0, le=1e9)]
Finite = Annotated[float, msgspec.Meta(ge=-1e9, le=1e9)]
FlowType = Literal["lsd", "flow_matching", "drifting", "pointwise"]
_MOST_FRAME = 1 << 20  # samples
DTYPES = Literal["float32", "bfloat16", "float16"]


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A section of the config; a key that it does not know is taken for a mistake, not passed over."""


class FlowConfig(_Strict, frozen=True):
    """The flow head: an MLP of `depth` residual blocks of width `dim`."""

    dim: Positive
    depth: Few
    type: FlowType = "lsd"


class FlowLMTransformerConfig(_Strict, frozen=True):
    """FlowLM's transformer; None means the usual: attn_dim = d_model, num_kv_heads = num_heads, feed-forward = hidden_scale x."""

    d_model: Positive
    hidden_scale: Positive
    max_period: PositiveFloat
    num_heads: Positive
    num_layers: Few
    attn_dim: Positive | None = None
    num_kv_heads: Positive | None = None
    dim_feedforward: Positive | None = None

    @property
    def feedforward(self) -> int:
        """Width of the hidden layer of the feed-forward block."""
        return self.dim_feedforward or self.d_model * self.hidden_scale


class LookupTableConfig(_Strict, frozen=True):
    """The text table: `n_bins` pieces (plus one row of padding), low-rank when `rank` is set."""

    dim: Positive
    n_bins: Positive
    tokenizer: str
    tokenizer_path: str
    rank: Positive | None = None


class FlowLMConfig(_Strict, frozen=True):
    """The language model over latents: its flow head, transformer and text table, and where its weights lie."""

    dtype: DTYPES
    flow: FlowConfig
    transformer: FlowLMTransformerConfig
    lookup_table: LookupTableConfig
    z_dim: Positive | None = None
    weights_path: str | None = None
    insert_bos_before_voice: bool = False


class SEANetConfig(_Strict, frozen=True):
    """Convolutional encoder or decoder; `ratios` are the strides, outermost of the decoder first."""

    dimension: Positive
    channels: Positive
    n_filters: Positive
    n_residual_layers: Annotated[int, msgspec.Meta(ge=0, le=8)]
    ratios: Annotated[list[Positive], msgspec.Meta(min_length=1, max_length=16)]
    kernel_size: Positive
    residual_kernel_size: Positive
    last_kernel_size: Positive
    dilation_base: Annotated[int, msgspec.Meta(gt=0, le=16)]
    pad_mode: Literal["constant", "replicate"]
    compress: Positive

    @property
    def hop_length(self) -> int:
        """Samples per position of the innermost layer."""
        product = 1
        for ratio in self.ratios:
            product *= ratio
        return product


class MimiTransformerConfig(_Strict, frozen=True):
    """Mimi's transformers see `context` positions back."""

    d_model: Positive
    input_dimension: Positive
    output_dimensions: list[Positive]
    num_heads: Positive
    num_layers: Few
    layer_scale: Finite
    context: Annotated[int, msgspec.Meta(gt=0, le=1 << 16)]
    dim_feedforward: Positive
    max_period: PositiveFloat = 10000.0


class QuantizerConfig(_Strict, frozen=True):
    """A 1x1 projection from a latent of size `dimension` to `output_dimension` channels."""

    dimension: Positive
    output_dimension: Positive


class MimiConfig(_Strict, frozen=True):
    """The codec: encoder (cloning only) and decoder."""

    dtype: DTYPES
    sample_rate: Positive
    channels: Positive
    frame_rate: PositiveFloat
    seanet: SEANetConfig
    transformer: MimiTransformerConfig
    quantizer: QuantizerConfig
    weights_path: str | None = None
    inner_dim: Positive | None = None
    outer_dim: Positive | None = None
    decoder_seanet: SEANetConfig | None = None
    decoder_transformer: MimiTransformerConfig | None = None

    @property
    def decoder(self) -> SEANetConfig:
        """The decoder's SEANet, the encoder's when none is given."""
        return self.decoder_seanet or self.seanet

    @property
    def decoder_side_transformer(self) -> MimiTransformerConfig:
        """The decoder's transformer, the encoder's when none is given."""
        return self.decoder_transformer or self.transformer

    @property
    def steps_per_latent(self) -> int:
        """Positions of Mimi's transformers per latent frame (16)."""
        # The SEANets stop at 200 Hz; the frame rate of 12.5 Hz is reached by resampling after them.
        return round(self.sample_rate / self.seanet.hop_length / self.frame_rate)

    @property
    def frame_size(self) -> int:
        """Samples per latent frame (1920)."""
        # From the decoder's own strides, never from the rates: this many samples are what it writes.
        return self.steps_per_latent * self.decoder.hop_length

    @property
    def conditioning_dim(self) -> int:
        """Width of an encoded clip before the speaker projection."""
        return self.inner_dim or self.seanet.dimension


class ModelConfig(_Strict, frozen=True):
    """A whole model: FlowLM, Mimi, text rules and generation defaults."""

    flow_lm: FlowLMConfig
    mimi: MimiConfig
    weights_path: str | None = None
    weights_path_without_voice_cloning: str | None = None
    pad_with_spaces_for_short_inputs: bool = False
    remove_semicolons: bool = False
    append_terminal_punctuation: bool = True
    capitalize_first_letter: bool = True
    replace_characters: dict[str, str] = {}
    model_recommended_frames_after_eos: Annotated[int, msgspec.Meta(ge=0)] | None = None
    default_temperature: Annotated[float, msgspec.Meta(ge=0, le=1e9)] = 0.3
    default_eos_threshold: Finite = -4.0


def load_config(path: str | Path) -> ModelConfig:
    """Reads and validates the YAML file at `path`.

    Relative `weights_path` and `tokenizer_path` entries that exist beside the file are made absolute.
    Raises MissingFileError, or ConfigError naming the field.
    """
    path = Path(path)
    return parse_config(read_yaml(path), path)


def parse_config(raw: dict[str, object], path: Path) -> ModelConfig:
    """Validates the content of a config file; `path` is named in errors and anchors relative paths."""
    _anchor_paths(raw, path.parent)
    try:
        config = msgspec.convert(raw, ModelConfig)
    except msgspec.ValidationError as exc:
        raise ConfigError(f"Model config {path} is not valid: {_field_first(str(exc))}.") from exc
    for complaint in _complaints(config):
        raise ConfigError(f"Model config {path} is not valid: {complaint}.")
    return config


def _anchor_paths(raw: dict[str, object], folder: Path) -> None:
    for key, value in raw.items():
        if isinstance(value, dict):
            _anchor_paths(value, folder)
        elif (
            key.endswith("_path")
            and isinstance(value, str)
            and "://" not in value
            and os.path.exists(folder / value)  # noqa: PTH110  # Path raises for names that are too long
        ):
            raw[key] = str(folder / value)


def _field_first(message: str) -> str:
    """msgspec's "Expected `int`, got `str` - at `$.flow_lm.flow.dim`" with the field in front."""
    what, separator, where = message.partition(" - at `$.")
    return f"{where.rstrip('`')}: {what}" if separator else what


def _is_whole_frame(mimi: MimiConfig) -> bool:
    """Whether the samples that the decoder writes for a latent last exactly as long as the latent."""
    if mimi.sample_rate / mimi.frame_rate > _MOST_FRAME:
        return False
    told = mimi.frame_size * mimi.frame_rate  # a rate may be no binary fraction
    return mimi.steps_per_latent > 0 and abs(told - mimi.sample_rate) <= 1e-9 * mimi.sample_rate


def _complaints(config: ModelConfig) -> list[str]:
    """Relations between fields that shapes depend on."""
    flow_lm, mimi = config.flow_lm, config.mimi
    t = flow_lm.transformer
    heads = t.num_kv_heads or t.num_heads
    checks = [
        (
            (t.attn_dim or t.d_model) % (2 * t.num_heads) == 0,
            "flow_lm.transformer.attn_dim must be an even multiple of num_heads",
        ),
        (t.num_heads % heads == 0, "flow_lm.transformer.num_kv_heads must divide num_heads"),
        (
            flow_lm.lookup_table.dim == t.d_model,
            "flow_lm.lookup_table.dim must equal flow_lm.transformer.d_model",
        ),
        (mimi.channels == 1, "mimi.channels must be 1"),
        (
            max(mimi.seanet.hop_length, mimi.decoder.hop_length) <= _MOST_FRAME,
            "mimi.seanet.ratios must multiply to less",
        ),
        (
            mimi.quantizer.output_dimension == (mimi.outer_dim or mimi.decoder.dimension),
            "mimi.quantizer.output_dimension must equal mimi.outer_dim",
        ),
        (
            mimi.outer_dim in (None, mimi.decoder.dimension),
            "mimi.outer_dim must equal the decoder's dimension",
        ),
        (
            mimi.seanet.hop_length == mimi.decoder.hop_length,
            "mimi.decoder_seanet.ratios must multiply to the encoder's",
        ),
        (
            _is_whole_frame(mimi),
            "mimi.frame_rate must divide sample_rate / the product of seanet.ratios",
        ),
        (
            all(len(key) == 1 for key in config.replace_characters),
            "replace_characters: keys must be single characters",
        ),
    ]
    sides = (
        ("seanet", mimi.seanet, "transformer", mimi.transformer),
        ("decoder_seanet", mimi.decoder, "decoder_transformer", mimi.decoder_side_transformer),
    )
    for seanet_name, seanet, name, transformer in sides:
        checks += [
            (seanet.channels == 1, f"mimi.{seanet_name}.channels must be 1"),
            (seanet.compress <= seanet.n_filters, f"mimi.{seanet_name}.compress must not exceed n_filters"),
            (
                transformer.d_model % (2 * transformer.num_heads) == 0,
                f"mimi.{name}.d_model must be an even multiple of num_heads",
            ),
            (
                transformer.input_dimension == seanet.dimension,
                f"mimi.{name}.input_dimension must equal {seanet_name}.dimension",
            ),
            (
                transformer.output_dimensions == [seanet.dimension],
                f"mimi.{name}.output_dimensions must be [{seanet_name}.dimension]",
            ),
        ]
    return [complaint for holds, complaint in checks if not holds]
