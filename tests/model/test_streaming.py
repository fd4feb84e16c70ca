"""Fed piece by piece, every layer gives what its batched module gives for the whole, whatever the pieces."""

import copy
import random
from pathlib import Path

import pytest
import torch
from torch import Tensor

from pocketvoice.model.config import MimiTransformerConfig, SEANetConfig, parse_config
from pocketvoice.model.convolution import (
    CausalConv1d,
    CausalConvTranspose1d,
    Downsample,
    ResidualBlock,
    Upsample,
)
from pocketvoice.model.flow_lm import FlowLM
from pocketvoice.model.flow_lm_step import FlowLMStep
from pocketvoice.model.mimi import Mimi, SEANetDecoder, SEANetEncoder
from pocketvoice.model.mimi_stream import MimiDecoder, MimiEncoder
from pocketvoice.model.streaming import StreamingTransformer
from pocketvoice.model.streaming_conv import (
    StreamingConv,
    StreamingConvTranspose,
    StreamingResidual,
    StreamingStack,
    StreamingUpsample,
)
from pocketvoice.model.transformer import ProjectedTransformer, Transformer
from tests.model_factory import TINY, changed, difference, random_tensors

pytestmark = pytest.mark.usefixtures("_no_gradients")


@pytest.fixture
def _no_gradients():
    torch.manual_seed(3)
    with torch.no_grad():
        yield


def partitions(length: int, count: int = 4) -> list[list[int]]:
    """Ways to cut `length`: whole, one by one, and some at random."""
    chance = random.Random(length)
    result = [[length], [1] * length]
    for _ in range(count):
        pieces: list[int] = []
        while sum(pieces) < length:
            pieces.append(min(chance.choice([1, 1, 2, 3, 5, 8, 13, 40]), length - sum(pieces)))
        result.append(pieces)
    return result


def streamed(layer, x: Tensor, pieces: list[int]) -> Tensor:
    """(1, C, T) through a streaming layer -> (1, C', T')."""
    layer.reset()
    return torch.cat([layer(piece) for piece in x[0].t().contiguous().split(pieces)]).t()[None]


# transformers


def transformer(**options) -> Transformer:
    defaults = {"d_model": 32, "num_heads": 4, "num_layers": 2, "feedforward": 48, "max_period": 10000.0}
    return Transformer(**{**defaults, **options})


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"num_kv_heads": 2},
        {"num_kv_heads": 1, "attn_dim": 64},
        {"layer_scale": 0.3},
        {"context": 10},
        {"context": 10, "layer_scale": 0.3, "num_kv_heads": 2},
        {"context": 1},
        {"context": 500},
    ],
    ids=str,
)
def test_transformer_in_any_pieces(options) -> None:
    module = transformer(**options)
    x = torch.randn(1, 90, 32)
    expected = module(x)
    for pieces in partitions(90, count=2):
        stream = StreamingTransformer(module)
        ours = torch.cat([stream.append(piece) for piece in x[0].split(pieces)])
        assert stream.position == 90
        assert difference(ours[None], expected) < 1e-5


def test_window_stays_small_however_long_the_input() -> None:
    module = transformer(context=10)
    stream = StreamingTransformer(module)
    x = torch.randn(1, 1200, 32)
    pieces = [stream.append(piece) for piece in x[0].split(7)]
    assert stream.cache_shape[3] < 100
    # 2 layers see 18 positions back: the end depends on no more than that
    assert difference(torch.cat(pieces)[None, -100:], module(x)[:, -100:]) < 1e-5


def test_pieces_may_be_longer_than_the_window() -> None:
    module = transformer(context=10)
    x = torch.randn(1, 400, 32)
    for pieces in ([3, 90, 1, 200, 106], [400], [200, 200], [1, 399]):
        stream = StreamingTransformer(module)
        ours = torch.cat([stream.append(piece) for piece in x[0].split(pieces)])
        assert difference(ours[None], module(x)) < 1e-5


def test_window_can_be_started_over() -> None:
    module = transformer(context=10)
    stream = StreamingTransformer(module)
    x = torch.randn(1, 60, 32)
    for _ in range(3):
        stream.append(torch.randn(200, 32))
        stream.rewind(0)
        ours = torch.cat([stream.append(piece) for piece in x[0].split(4)])
        assert difference(ours[None], module(x)) < 1e-5
        stream.rewind(0)


def test_rewinding_forgets_the_end() -> None:
    module = transformer(num_kv_heads=2)
    stream = StreamingTransformer(module)
    prompt, one, other = torch.randn(20, 32), torch.randn(300, 32), torch.randn(9, 32)
    stream.append(prompt)
    stream.append(one)  # grows the cache
    stream.rewind(20)
    expected = module(torch.cat([prompt, other])[None])[0, 20:]
    assert difference(stream.append(other), expected) < 1e-5


def test_cache_grows_only_when_it_must() -> None:
    stream = StreamingTransformer(transformer())
    stream.reserve(500)
    before = stream.cache_bytes
    for _ in range(3):
        stream.append(torch.randn(500, 32))
        stream.rewind(0)
    assert stream.cache_bytes == before
    assert 500 <= stream.cache_shape[3] < 600


def test_cache_is_read_and_written_as_one() -> None:
    module = transformer(num_kv_heads=2)
    one, other = StreamingTransformer(module), StreamingTransformer(module)
    one.append(torch.randn(17, 32))
    layers = [one.read_cache(index) for index in range(one.layers)]
    assert [tuple(layer.shape) for layer in layers] == [(2, 17, 2, 8)] * 2
    other.append(torch.randn(40, 32))
    other.write_cache(layers)
    assert other.position == 17
    x = torch.randn(5, 32)
    assert torch.equal(one.append(x), other.append(x))
    kept = layers[0].clone()
    other.append(torch.randn(5, 32))
    assert torch.equal(layers[0], kept), "a copy"


def test_projections_around_a_transformer() -> None:
    config = MimiTransformerConfig(
        d_model=32, input_dimension=24, output_dimensions=[40], num_heads=4, num_layers=2, layer_scale=0.1,
        context=8, dim_feedforward=50,
    )  # fmt: skip
    from pocketvoice.model.mimi_stream import _ProjectedStream

    module = ProjectedTransformer(config)
    x = torch.randn(1, 50, 24)
    stream = _ProjectedStream(module, "float32")
    ours = torch.cat([stream(piece) for piece in x[0].split([1, 9, 30, 10])])
    assert ours.shape == (50, 40)
    assert difference(ours[None], module(x)) < 1e-5


# convolutions


@pytest.mark.parametrize("pad_mode", ["constant", "replicate"])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("kernel", "dilation"), [(1, 1), (2, 1), (3, 1), (7, 1), (3, 2), (3, 4), (1, 3)])
def test_convolution_in_any_pieces(kernel: int, dilation: int, bias: bool, pad_mode: str) -> None:
    module = CausalConv1d(5, 6, kernel, dilation=dilation, bias=bias, pad_mode=pad_mode)
    x = torch.randn(1, 5, 61)
    layer = StreamingConv.of(module)
    for pieces in partitions(61):
        assert difference(streamed(layer, x, pieces), module(x)) < 1e-5


@pytest.mark.parametrize("pad_mode", ["constant", "replicate"])
@pytest.mark.parametrize(("kernel", "stride"), [(4, 2), (8, 4), (12, 6), (3, 3), (7, 2), (32, 16)])
def test_strided_convolution_in_any_pieces(kernel: int, stride: int, pad_mode: str) -> None:
    module = CausalConv1d(5, 6, kernel, stride, pad_mode=pad_mode)
    x = torch.randn(1, 5, 12 * stride)
    layer = StreamingConv.of(module)
    for pieces in partitions(12):
        assert difference(streamed(layer, x, [stride * piece for piece in pieces]), module(x)) < 1e-5


@pytest.mark.parametrize("stride", [1, 4, 5, 6])
@pytest.mark.parametrize("bias", [True, False])
def test_transposed_convolution_in_any_pieces(stride: int, bias: bool) -> None:
    module = CausalConvTranspose1d(6, 5, stride, bias=bias)
    x = torch.randn(1, 6, 23)
    layer = StreamingConvTranspose(module)
    for pieces in partitions(23):
        assert difference(streamed(layer, x, pieces), module(x)) < 1e-5


def test_resampling_in_any_pieces() -> None:
    up, down = Upsample(16, 6), Downsample(16, 6, 4)
    x, long = torch.randn(1, 6, 12), torch.randn(1, 6, 12 * 16)
    streaming_up, streaming_down = StreamingUpsample(up), StreamingConv.of(down.conv)
    for pieces in partitions(12):
        assert difference(streamed(streaming_up, x, pieces), up(x)) < 1e-5
        ours = streamed(streaming_down, long, [16 * piece for piece in pieces])
        assert difference(ours, down(long)) < 1e-5


@pytest.mark.parametrize("pad_mode", ["constant", "replicate"])
@pytest.mark.parametrize("dilation", [1, 2, 9])
def test_residual_block_in_any_pieces(dilation: int, pad_mode: str) -> None:
    module = ResidualBlock(8, 3, dilation, 2, pad_mode)
    x = torch.randn(1, 8, 44)
    kept = x.clone()
    layer = StreamingResidual(module)
    for pieces in partitions(44):
        assert difference(streamed(layer, x, pieces), module(x)) < 1e-5
    assert torch.equal(x, kept), "the input is not written to"


def seanet(**options) -> SEANetConfig:
    defaults = {**TINY["mimi"]["seanet"], "ratios": [3, 2], "dimension": 10}
    return SEANetConfig(**{**defaults, **options})


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"n_residual_layers": 0},
        {"n_residual_layers": 3},
        {"pad_mode": "replicate", "n_residual_layers": 2},
        {"kernel_size": 1, "last_kernel_size": 1, "residual_kernel_size": 1},
        {"compress": 1},
    ],
    ids=str,
)
def test_seanet_in_any_pieces(options) -> None:
    config = seanet(**options)
    encoder, decoder = SEANetEncoder(config), SEANetDecoder(config)
    samples, inner = torch.randn(1, 1, 20 * 6), torch.randn(1, 10, 20)
    down, up = StreamingStack(encoder.model), StreamingStack(decoder.model)
    kept = samples.clone(), inner.clone()
    for pieces in partitions(20):
        assert difference(streamed(down, samples, [6 * piece for piece in pieces]), encoder(samples)) < 1e-5
        assert difference(streamed(up, inner, pieces), decoder(inner)) < 1e-5
    assert torch.equal(samples, kept[0])
    assert torch.equal(inner, kept[1])


# the codec


def mimi(**changes) -> Mimi:
    raw = changed(TINY, **{"flow_lm.lookup_table.n_bins": 10, **changes})
    config = parse_config(copy.deepcopy(raw), Path("test.yaml"))
    codec = Mimi(config.mimi)
    tensors = random_tensors(raw, seed=4)
    codec.load_state_dict({k.removeprefix("mimi."): v for k, v in tensors.items() if k.startswith("mimi.")})
    return codec


_DECODER = {
    "mimi.decoder_seanet": {**TINY["mimi"]["seanet"], "dimension": 24, "n_filters": 2, "kernel_size": 3},
    "mimi.decoder_transformer": {
        **TINY["mimi"]["transformer"], "d_model": 20, "input_dimension": 24, "output_dimensions": [24], "context": 9,
    },
    "mimi.outer_dim": 24,
    "mimi.quantizer.output_dimension": 24,
}  # fmt: skip


@pytest.mark.parametrize(
    "changes",
    [
        {},
        _DECODER,
        {"mimi.inner_dim": None, "mimi.outer_dim": None},
        {"mimi.seanet.pad_mode": "replicate"},
        {"mimi.seanet.ratios": [16, 10, 12]},  # no resampling between
    ],
    ids=["usual", "decoder apart", "no inner width", "replicate", "no resampling"],
)
def test_codec_in_any_batches(changes) -> None:
    codec = mimi(**changes)
    std, mean = torch.rand(16) + 0.5, torch.randn(16)
    decoder = MimiDecoder(codec, std, mean)
    latents = torch.randn(12, 16)
    expected = codec.decode((latents * std + mean)[None]).flatten()
    assert expected.shape == (12 * 1920,)
    for pieces in partitions(12):
        decoder.reset()
        ours = torch.cat([decoder.decode(piece) for piece in latents.split(pieces)])
        assert difference(ours, expected) < 1e-5


@pytest.mark.parametrize("changes", [{}, _DECODER, {"mimi.inner_dim": None}], ids=["usual", "apart", "wide"])
@pytest.mark.parametrize("length", [1, 1919, 1920, 1921, 12 * 1920, 30 * 1920 + 7])
def test_clips_of_any_length_are_encoded(changes, length: int) -> None:
    codec = mimi(**changes)
    samples = 0.2 * torch.randn(length)
    ours = MimiEncoder(codec).encode(samples)
    assert ours.shape == (-(-length // 1920), codec.config.conditioning_dim)
    assert difference(ours, codec.encode(samples[None, None])[0]) < 1e-5


def test_encoder_starts_over_with_each_clip() -> None:
    codec = mimi()
    encoder = MimiEncoder(codec)
    samples = 0.2 * torch.randn(20_000)
    first = encoder.encode(samples)
    encoder.encode(torch.randn(50_000))
    assert torch.equal(encoder.encode(samples), first)


def test_decoder_starts_over_after_a_reset() -> None:
    decoder = MimiDecoder(mimi(), torch.ones(16), torch.zeros(16))
    latents = torch.randn(6, 16)
    first = decoder.decode(latents)
    assert not torch.equal(decoder.decode(latents), first), "it went on"
    decoder.reset()
    assert torch.equal(decoder.decode(latents), first)


# the language model


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"flow_lm.z_dim": 24},
        {"flow_lm.lookup_table.rank": 8},
        {"flow_lm.insert_bos_before_voice": False},
        {"flow_lm.flow.type": "flow_matching"},
        {"flow_lm.flow.type": "drifting"},
        {"flow_lm.flow.type": "pointwise"},
    ],
    ids=str,
)
def test_steps_are_the_batched_model(changes) -> None:
    """Voice, text and latents: conditions, end of speech and samples, step by step against all at once."""
    raw = changed(TINY, **{"flow_lm.lookup_table.n_bins": 30, **changes})
    module = FlowLM(parse_config(copy.deepcopy(raw), Path("test.yaml")).flow_lm, 16, 16)
    tensors = random_tensors(raw, seed=4, eos="chance")
    module.load_state_dict(
        {k.removeprefix("flow_lm."): v for k, v in tensors.items() if k.startswith("flow_lm.")}
    )
    voice = module.voice_embeddings(torch.randn(1, 7, 16))
    text = torch.tensor([[3, 1, 4, 1, 5]])
    step = FlowLMStep(module, decode_steps=3)
    step.append_embeddings(voice[0])
    step.append_text(text[0].tolist())
    assert step.position == voice.shape[1] + 5
    noise, latents, ends, last = torch.randn(6, 1, 16), [], [], None
    for drawn in noise:
        last, eos = step.step(last, drawn)
        latents.append(last)
        ends.append(eos)
    inputs = torch.cat([module.bos_emb[None], *latents[:-1]])[None]
    hidden = module.hidden(torch.cat([voice, module.conditioner(text)], dim=1), inputs)
    assert difference(torch.cat(latents), module.sample(hidden, noise[None, :, 0], 3)[0]) < 1e-5
    assert ends == pytest.approx(module.out_eos(hidden).flatten().tolist(), abs=1e-4)
    assert isinstance(step.decode_steps, int)
