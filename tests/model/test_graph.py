"""Recorded graphs give the same numbers as the functions they were recorded from, whatever is called in between."""

import logging
import threading

import pytest
import torch
from torch import Tensor

from pocketvoice.model import graph
from pocketvoice.model.flow_lm_step import FlowLMStep
from pocketvoice.model.graph import Graph
from pocketvoice.model.linear import PRECISIONS, Precision, pack, pack_batched
from pocketvoice.model.mimi_stream import MimiDecoder
from tests.model.test_precision import filled

pytestmark = pytest.mark.usefixtures("_no_gradients")


@pytest.fixture
def _no_gradients():
    torch.manual_seed(3)
    with torch.no_grad():
        yield


class Product:
    """A function with something packed behind it."""

    def __init__(self, precision: Precision, batched: bool) -> None:
        packed = pack_batched if batched else pack
        self.layers = [packed(torch.randn(32, 32), torch.randn(32), precision, gelu=True) for _ in range(2)]
        self.calls = 0

    def run(self, x: Tensor) -> tuple[Tensor]:
        self.calls += 1
        for layer in self.layers:
            x = layer(x)
        return (x,)


@pytest.mark.usefixtures("_every_layer_is_worth_it")
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("batched", [False, True])
def test_graph_of_packed_layers(precision: Precision, batched: bool) -> None:
    product = Product(precision, batched)
    recorded = Graph(product.run)
    for _ in range(6):
        x = torch.randn(3, 32)
        assert torch.equal(recorded(3, x)[0], product.run(x)[0])
    own = product.calls - 6
    assert own == graph.CALLS_BEFORE + 1, "once more for the recording, then never again"


def test_keys_have_graphs_of_their_own() -> None:
    product = Product("float32", batched=True)
    recorded = Graph(product.run)
    for rows in (1, 1, 1, 1, 4, 4, 4, 4, 1, 4, 2, 1, 2, 4, 2):
        x = torch.randn(rows, 32)
        assert torch.equal(recorded(rows, x)[0], product.run(x)[0])
    assert recorded.recorded == {1, 4}, "calls that never come in a row are not worth one"


def test_forgetting_records_anew() -> None:
    product = Product("float32", batched=False)
    recorded = Graph(product.run)
    x = torch.randn(1, 32)
    before = [recorded(0, x)[0] for _ in range(5)][-1]
    product.layers = product.layers[:1]
    assert torch.equal(recorded(0, x)[0], before)
    recorded.forget()
    assert torch.equal(recorded(0, x)[0], product.run(x)[0])


def test_what_cannot_be_recorded_runs_as_it_is(monkeypatch, caplog) -> None:
    def no_trace(*args, **options):
        raise RuntimeError("no such thing")

    monkeypatch.setattr(torch.jit, "trace", no_trace)
    product = Product("float32", batched=False)
    recorded = Graph(product.run)
    x = torch.randn(1, 32)
    with caplog.at_level(logging.WARNING):
        results = [recorded(0, x)[0] for _ in range(6)]
    assert all(torch.equal(result, results[0]) for result in results)
    assert [record.message for record in caplog.records] == [
        "Steps run slower than they could: torch records no graph (no such thing)"
    ]
    caplog.clear()


def test_graphs_are_recorded_on_several_threads_at_once() -> None:
    products = [Product("float32", batched=True) for _ in range(4)]
    ready, failures = threading.Barrier(4), []

    def work(product: Product) -> None:
        with torch.no_grad():
            recorded, x = Graph(product.run), torch.ones(2, 32)
            ready.wait(60)
            if not all(torch.equal(recorded(2, x)[0], product.run(x)[0]) for _ in range(8)):
                failures.append(product)

    threads = [threading.Thread(target=work, args=(product,)) for product in products]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    assert torch._C._get_graph_executor_optimize(), "the setting is left as it was"


@pytest.mark.usefixtures("_every_layer_is_worth_it")
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("kind", ["lsd", "pointwise"])
def test_steps_from_a_graph(monkeypatch, precision: Precision, kind: str) -> None:
    """Across a growing cache, a rewind and another number of decode steps."""
    flow_lm, _ = filled(
        **{"flow_lm.flow.type": kind, "flow_lm.transformer.num_kv_heads": 2, "flow_lm.z_dim": 24}
    )
    noise = torch.randn(2, 300, 1, 16)

    def speak(calls_before: int) -> Tensor:
        monkeypatch.setattr(graph, "CALLS_BEFORE", calls_before)
        step = FlowLMStep(flow_lm, decode_steps=1, precision=precision)
        step.append_text([3, 1, 4])
        latents: list[Tensor] = []
        for take in noise:
            step.transformer.rewind(2)
            step.append_text([1])
            for drawn in take:
                latents.append(step.step(latents[-1] if latents else None, drawn)[0])
            step.use_steps(2)
        return torch.cat(latents)

    assert torch.equal(speak(calls_before=2), speak(calls_before=10_000))


@pytest.mark.usefixtures("_every_layer_is_worth_it")
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize(
    "changes", [{}, {"mimi.seanet.ratios": [16, 10, 12]}], ids=["usual", "no resampling"]
)
def test_sound_from_a_graph(monkeypatch, precision: Precision, changes) -> None:
    """Across batches of several sizes, more of them than the context holds, and a reset."""
    _, codec = filled(**changes)
    latents = torch.randn(59, 16)

    def decode(calls_before: int) -> Tensor:
        monkeypatch.setattr(graph, "CALLS_BEFORE", calls_before)
        decoder = MimiDecoder(codec, torch.ones(16), torch.zeros(16), precision)
        samples = []
        for _ in range(2):
            decoder.reset()
            samples += [decoder.decode(piece) for piece in latents.split([1, 1, 2, *[4] * 12, 3, 1, 1, 1, 1])]
        return torch.cat(samples)

    assert torch.equal(decode(calls_before=2), decode(calls_before=10_000))
