"""Fixtures of the model: a tiny one's files, the compiled kernels."""

import ctypes
from collections.abc import Iterator
from functools import partial

import pytest
import torch

from pocketvoice.model import linear, native
from pocketvoice.model.flow_lm_native import NativeFlowLM
from tests.model.kernel_parts import Packed
from tests.model_factory import ModelFactory, ModelFiles


@pytest.fixture(scope="session")
def tiny(models: ModelFactory) -> ModelFiles:
    return models.tiny("never")


@pytest.fixture
def _every_layer_is_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The layers of test models are too small for lower precisions."""
    monkeypatch.setattr(linear, "WORTH_INT8", 0)
    monkeypatch.setattr(linear, "WORTH_BF16", 0)


@pytest.fixture
def _quantizes_all(monkeypatch: pytest.MonkeyPatch, _every_layer_is_worth_it: None) -> None:
    monkeypatch.setattr(native, "WORTH_INT8", 0)


@pytest.fixture
def _no_gradients() -> Iterator[None]:
    """Nothing is trained; one thread, since small models are computed faster by one."""
    torch.set_num_threads(1)
    with torch.no_grad():
        yield


@pytest.fixture(params=native.INSTRUCTIONS)
def kernels(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> ctypes.CDLL:
    """One of the libraries, if it is built and this processor can run it."""
    path = native.FOLDER / f"{request.param}{native.SUFFIX}"
    if not path.exists():
        pytest.skip("not built")
    found = native.open_library(path)
    assert caplog.messages == [], "it can be opened"
    if found is None:
        pytest.skip("this processor lacks its instructions")
    return found


@pytest.fixture
def packed(kernels: ctypes.CDLL) -> Packed:
    return partial(NativeFlowLM, kernels=kernels)
