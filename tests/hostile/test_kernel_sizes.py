"""Whatever config and weights say, a kernel never leaves its memory: it computes what torch does, or the files are refused."""

import ctypes

import pytest
import torch

from pocketvoice.errors import GenerationError, WeightsError
from pocketvoice.model import native
from pocketvoice.model.c_structures import CMemory
from pocketvoice.model.flow_lm_native import NativeFlowLM
from pocketvoice.model.mimi_native import NativeMimiDecoder
from pocketvoice.model.mimi_stream import MimiDecoder
from tests.model.test_precision import filled
from tests.model_factory import difference

pytestmark = pytest.mark.usefixtures("_no_gradients")


@pytest.fixture(scope="module")
def _no_gradients() -> object:
    with torch.no_grad():
        yield


@pytest.fixture(scope="module")
def kernels() -> ctypes.CDLL:
    found = native.library()
    if found is None:
        pytest.skip("no compiled kernels here")
    return found


def decoder(kernels: ctypes.CDLL, **changes: object) -> NativeMimiDecoder:
    codec = filled(**changes)[1]
    return NativeMimiDecoder(codec, torch.ones(32, 16), torch.zeros(32), "float32", kernels=kernels)


def test_frame_is_as_long_as_the_decoder_makes_it(kernels: ctypes.CDLL) -> None:
    """24000 / 29.0909... is 824.99: one sample less than 75 steps of 11, which the decoder writes."""
    changes = {"mimi.frame_rate": 24000 / 825, "mimi.seanet.ratios": [11]}
    made = decoder(kernels, **changes).decode(torch.ones(3, 16))
    assert made.shape == (3 * 825,)
    codec = filled(**changes)[1]
    theirs = MimiDecoder(codec, torch.ones(16), torch.zeros(16), "float32")
    assert theirs.decode(torch.ones(3, 16)).shape == (3 * 825,)


def test_flow_lm_refuses_what_does_not_fit(kernels: ctypes.CDLL) -> None:
    model = NativeFlowLM(filled()[0], 1, "float32", kernels=kernels)
    model.append(torch.zeros(3, 64))
    with pytest.raises(GenerationError, match="do not fit"):
        model.step(torch.zeros(1, 32), torch.zeros(1, 32))
    with pytest.raises(GenerationError, match="do not fit"):
        model.append(torch.zeros(3, 48))
    assert model.cache.position == 3
    model.step(torch.zeros(1, 16), torch.zeros(1, 16))
    model._memory = CMemory(model.workspace.data_ptr(), 64)
    with pytest.raises(GenerationError, match="do not fit"):
        model.step(torch.zeros(1, 16), torch.zeros(1, 16))


@pytest.mark.parametrize(
    "field", ["d_model", "num_kv_heads", "head_dim", "latent_dim", "flow_dim", "num_heads"]
)
def test_contradictions_of_flow_lm_are_refused(kernels: ctypes.CDLL, field: str) -> None:
    model = NativeFlowLM(filled()[0], 1, "float32", kernels=kernels)
    setattr(model._model, field, getattr(model._model, field) + 16)
    with pytest.raises(WeightsError, match="contradict"):
        model.append(torch.zeros(3, 64))


@pytest.mark.parametrize("field", ["d_model", "num_heads", "steps_per_latent", "num_stages", "filter_size"])
def test_contradictions_of_mimi_are_refused(kernels: ctypes.CDLL, field: str) -> None:
    made = decoder(kernels)
    setattr(made._model, field, getattr(made._model, field) + 16)
    with pytest.raises(GenerationError, match="do not fit"):
        made.decode(torch.ones(1, 16))


def test_mimi_refuses_other_latents(kernels: ctypes.CDLL) -> None:
    made = decoder(kernels)
    with pytest.raises(GenerationError, match="do not fit"):
        made.decode(torch.ones(2, 17))
    before = made.decode(torch.ones(2, 16))
    assert difference(before, decoder(kernels).decode(torch.ones(2, 16))) == 0
