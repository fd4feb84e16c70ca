"""`Decoding` with a fake decoder that emits known numbers: batches, fade, silence, positions and what is to be dropped."""

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from pocketvoice.engine.decoding import Decoding, Output
from pocketvoice.engine.events import SegmentEvent, SegmentEventKind
from pocketvoice.engine.generation import Latent, Message, TakeEnded, TakeStarted, Working
from pocketvoice.text.splitter import Segment

RATE = 1000
FRAME = 80
STARTED, FINISHED, NO_EOS = SegmentEventKind.STARTED, SegmentEventKind.FINISHED, SegmentEventKind.NO_EOS


class FakeDecoder:
    """80 samples a frame, all of the latent's value; counts its resets."""

    def __init__(self) -> None:
        self.resets = 0
        self.calls: list[int] = []

    def reset(self) -> None:
        self.resets += 1

    def decode(self, latents: Tensor) -> Tensor:
        self.calls.append(latents.shape[0])
        return latents[:, :1].expand(-1, FRAME).flatten().clone()


def segment(pause_s: float = 0.0) -> Segment:
    return Segment("text", (1, 2), (0, 4), 3, pause_after_s=pause_s)


def take(
    whole: Segment, frames: int, *, index=0, number=0, replaces=False, failed=False, accepted=True, value=1.0
) -> list[Message]:
    return [
        TakeStarted(whole, index, number, replaces),
        *[Latent(torch.full((1, 3), value)) for _ in range(frames)],
        TakeEnded(whole, index, number, failed, accepted),
    ]


def decoded(messages: list[Message], max_batch: int = 4) -> tuple[FakeDecoder, list[Output]]:
    decoder = FakeDecoder()
    return decoder, list(Decoding(decoder, RATE, max_batch).run(iter(messages)))  # type: ignore[arg-type]


def chunks(outputs: list[Output]) -> list[Tensor]:
    return [output for output in outputs if isinstance(output, Tensor)]


def events(outputs: list[Output]) -> list[SegmentEvent]:
    return [output for output in outputs if isinstance(output, SegmentEvent)]


def test_batches_follow_a_fixed_schedule() -> None:
    decoder, outputs = decoded(take(segment(), 15))
    assert decoder.calls == [1, 1, 2, 4, 4, 3]
    assert [len(chunk) for chunk in chunks(outputs)] == [FRAME * n for n in decoder.calls]


def test_only_the_sounds_start_is_in_small_batches() -> None:
    decoder, _ = decoded(take(segment(), 6) + take(segment(), 6, index=1))
    assert decoder.calls == [1, 1, 2, 2, 4, 2]


@pytest.mark.parametrize(("largest", "calls"), [(1, [1] * 6), (2, [1, 1, 2, 2]), (8, [1, 1, 2, 2])])
def test_batches_keep_to_the_largest(largest: int, calls: list[int]) -> None:
    assert decoded(take(segment(), 6), largest)[0].calls == calls


def test_each_take_starts_afresh_and_fades_in() -> None:
    decoder, outputs = decoded(take(segment(), 6) + take(segment(), 6, index=1))
    assert decoder.resets == 2
    sound = torch.cat(chunks(outputs)).view(2, -1)
    assert torch.allclose(sound[:, :5], torch.linspace(0, 1, 5))
    assert (sound[:, 5:] == 1).all()


def test_nothing_is_held_back_when_a_take_ends() -> None:
    _, outputs = decoded(take(segment(), 7))
    assert sum(map(len, chunks(outputs))) == 7 * FRAME
    assert isinstance(outputs[-1], SegmentEvent)


def test_events_tell_positions() -> None:
    _, outputs = decoded(take(segment(), 5) + take(segment(), 2, index=1))
    assert [(event.kind, event.index, event.position) for event in events(outputs)] == [
        (STARTED, 0, 0),
        (FINISHED, 0, 5 * FRAME),
        (STARTED, 1, 5 * FRAME),
        (FINISHED, 1, 7 * FRAME),
    ]


def test_pauses_come_in_pieces_of_a_second() -> None:
    _, outputs = decoded(take(segment(pause_s=2.5), 1))
    silence = chunks(outputs)[1:]
    assert [len(piece) for piece in silence] == [1000, 1000, 500]
    assert all((piece == 0).all() for piece in silence)
    assert events(outputs)[-1].position == FRAME + 2500


def test_a_pause_alone_is_only_silence() -> None:
    decoder, outputs = decoded(take(segment(pause_s=0.25), 0))
    assert decoder.calls == []
    assert [len(chunk) for chunk in chunks(outputs)] == [250]


def test_failed_takes_have_no_pause() -> None:
    whole = segment(pause_s=1.0)
    messages = take(whole, 3, failed=True, accepted=False) + take(whole, 2, number=1, replaces=True)
    _, outputs = decoded(messages)
    assert sum(map(len, chunks(outputs))) == 5 * FRAME + 1000


def test_replacing_takes_say_what_to_drop() -> None:
    whole = segment()
    messages = (
        take(whole, 2, number=0, index=0)
        + take(whole, 3, index=1, failed=True, accepted=False)
        + take(whole, 4, index=1, number=1, replaces=True, failed=True, accepted=False)
        + take(whole, 5, index=1, number=2, replaces=True)
        + take(whole, 6, index=1, number=2)
        + take(whole, 1, index=2)
    )
    starts = [event for event in events(decoded(messages)[1]) if event.kind is STARTED]
    assert [start.discard_samples for start in starts] == [0, 0, 3 * FRAME, 4 * FRAME, 0, 0]


def test_kept_failures_are_told_and_finish() -> None:
    kinds = [event.kind for event in events(decoded(take(segment(), 2, failed=True))[1])]
    assert kinds == [STARTED, NO_EOS, FINISHED]


def test_work_in_progress_makes_no_sound() -> None:
    assert decoded([Working(), Working()])[1] == []


def test_outputs_are_not_held_for_later_messages() -> None:
    """A chunk leaves before the message after it is asked for."""
    asked = []

    def messages() -> Iterator[Message]:
        for message in take(segment(), 3):
            asked.append(message)
            yield message

    outputs = Decoding(FakeDecoder(), RATE, 4).run(messages())  # type: ignore[arg-type]
    assert isinstance(next(outputs), SegmentEvent)
    assert isinstance(next(outputs), Tensor)
    assert len(asked) == 2
