"""Requests that overlap on one model: each sounds as it does alone, whatever the others do or leave undone."""

import threading
from collections.abc import Iterator
from contextlib import closing

import pytest
import torch
from torch import Tensor

from pocketvoice.engine.stage import Stage
from pocketvoice.engine.tts_model import TTSModel
from tests.model_factory import AT_ONCE, SENTENCE, noise_clip, random_state

TEXT = f"{SENTENCE} {SENTENCE} {SENTENCE}"
SHORT = {"max_tokens": 25}  # several segments
LONG = 60.0  # seconds; only a failure waits so long


@pytest.fixture
def model(load) -> TTSModel:
    return load(eos_threshold=AT_ONCE)


@pytest.fixture
def other(tiny):
    """Another voice."""
    return random_state(tiny.raw, positions=33, seed=99)


def alternately(*streams: Iterator[Tensor]) -> list[Tensor]:
    """The whole of each stream, taken a chunk at a time in turn."""
    taken: list[list[Tensor]] = [[] for _ in streams]
    open_ones = list(zip(streams, taken, strict=True))
    while open_ones:
        for one in list(open_ones):
            chunk = next(one[0], None)
            if chunk is None:
                open_ones.remove(one)
            else:
                one[1].append(chunk)
    return [torch.cat(chunks) for chunks in taken]


def test_interleaved_streams_sound_as_alone(model: TTSModel, voice, other) -> None:
    alone = [model.generate_audio(state, TEXT, seed=1, **SHORT) for state in (voice, other)]
    streams = [
        model.generate_audio_stream(state, TEXT, seed=1, ahead_s=0.4, **SHORT) for state in (voice, other)
    ]
    for sound, expected in zip(alternately(*streams), alone, strict=True):
        assert torch.equal(sound, expected)


def test_three_threads_at_once_sound_as_alone(model: TTSModel, voice, other) -> None:
    expected = [
        model.generate_audio(state, TEXT, seed=n, **SHORT) for n, state in enumerate((voice, other, voice))
    ]
    made: dict[int, Tensor] = {}

    def speak(number: int) -> None:
        made[number] = model.generate_audio((voice, other, voice)[number], TEXT, seed=number, **SHORT)

    threads = [threading.Thread(target=speak, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    assert all(torch.equal(made[number], sound) for number, sound in enumerate(expected))


def test_a_stream_that_is_left_unfinished_holds_nobody_up(model: TTSModel, voice, other) -> None:
    expected = model.generate_audio(other, TEXT, seed=1, **SHORT)
    whole = model.generate_audio(voice, TEXT * 3, seed=2, **SHORT)
    left = model.generate_audio_stream(voice, TEXT * 3, seed=2, ahead_s=0.4, **SHORT)
    begun = [next(left)]
    for _ in range(3):
        assert torch.equal(model.generate_audio(other, TEXT, seed=1, **SHORT), expected)
    with closing(left):
        assert torch.equal(torch.cat([*begun, *left]), whole), "it goes on where it was"


def test_a_voice_can_be_cloned_while_the_model_speaks(model: TTSModel, voice) -> None:
    state = model.get_state_for_audio_prompt(noise_clip(2.0))
    whole = model.generate_audio(voice, TEXT, seed=2, **SHORT)
    stream = model.generate_audio_stream(voice, TEXT, seed=2, ahead_s=0.4, **SHORT)
    chunks = [next(stream)]
    again = model.get_state_for_audio_prompt(noise_clip(2.0))
    assert all(torch.equal(entry["cache"], again[name]["cache"]) for name, entry in state.items())
    assert torch.equal(torch.cat([*chunks, *stream]), whole)


def test_a_state_that_is_extended_is_whole_between_turns(model: TTSModel, tiny, other) -> None:
    def fresh():
        return random_state(tiny.raw)

    alone, between = fresh(), fresh()
    expected = model.generate_audio(alone, TEXT, seed=1, copy_state=False, **SHORT)
    stream = model.generate_audio_stream(between, TEXT, seed=1, copy_state=False, ahead_s=0.4, **SHORT)
    chunks = [next(stream)]
    model.generate_audio(other, SENTENCE, seed=1)
    assert torch.equal(torch.cat([*chunks, *stream]), expected)
    for name, entry in alone.items():
        assert torch.equal(entry["offset"], between[name]["offset"])
        assert torch.equal(entry["cache"], between[name]["cache"])


def test_one_that_waits_for_its_turn_can_be_closed(model: TTSModel, voice) -> None:
    streams = [model.generate_audio_stream(voice, TEXT, seed=n, ahead_s=0.4) for n in range(3)]
    for stream in streams:
        next(stream)
    for stream in streams:
        stream.close()
    assert not [thread for thread in threading.enumerate() if thread.name in ("flow_lm", "mimi")]


def test_a_stage_is_given_in_the_order_of_asking() -> None:
    stage, users = Stage(), [object() for _ in range(3)]
    assert stage.enter(users[0])
    assert not stage.enter(users[1], 0.0)
    assert not stage.enter(users[2], 0.0)
    assert stage.is_wanted
    stage.leave(users[0])
    assert not stage.enter(users[2], 0.0), "another one asked before"
    assert stage.enter(users[1], 0.0)
    stage.leave(users[1])
    assert stage.enter(users[2], 0.0)
    assert not stage.is_wanted
