"""torch's number of threads is borrowed while a model works, and given back."""

import threading
from collections.abc import Iterator

import pytest
import torch

from pocketvoice.engine import machine, threads
from tests.engine.conftest import State
from tests.model_factory import SENTENCE


@pytest.fixture(autouse=True)
def three() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


def test_number_is_given_back() -> None:
    with threads.borrowed(1):
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 3
    with pytest.raises(ZeroDivisionError), threads.borrowed(1):
        raise ZeroDivisionError
    assert torch.get_num_threads() == 3


def test_blocks_may_overlap() -> None:
    first, second = threads.borrowed(1), threads.borrowed(2)
    first.__enter__()
    second.__enter__()
    assert torch.get_num_threads() == 2
    first.__exit__(None, None, None)
    assert torch.get_num_threads() == 2
    second.__exit__(None, None, None)
    assert torch.get_num_threads() == 3


@pytest.mark.expects_log("No end of speech")
def test_speaking_takes_one_thread_a_stage(model, voice: State) -> None:
    seen = []
    for _ in model.generate_audio_stream(voice, SENTENCE, no_eos="keep"):
        here: list[int] = []
        new = threading.Thread(target=lambda here=here: here.append(torch.get_num_threads()))
        new.start()
        new.join()
        seen += here
    assert set(seen) == {1}
    assert torch.get_num_threads() == 3


def test_stream_that_is_closed_gives_back(model, voice: State) -> None:
    stream = model.generate_audio_stream(voice, SENTENCE, no_eos="keep")
    next(stream)
    stream.close()
    assert torch.get_num_threads() == 3


def test_clips_take_every_core_where_waiting_threads_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    monkeypatch.setattr(machine, "cores", lambda: 8)
    assert threads.for_clips() == 3
    monkeypatch.setenv("OMP_WAIT_POLICY", "PASSIVE")
    assert threads.for_clips() == 8
