"""`SegmentGenerator` and the noise, with an honest fake step that ends when told: which messages, takes and frames come out."""

from dataclasses import dataclass, field

import torch
from torch import Tensor

from pocketvoice.engine.generation import (
    GenerationSettings,
    Latent,
    Message,
    SegmentGenerator,
    TakeEnded,
    TakeStarted,
    Working,
    expected_frames,
    frame_limit,
)
from pocketvoice.engine.noise import NoiseSource
from pocketvoice.text.splitter import Segment

VOICE = 20  # positions of the voice in the fake's cache
NEVER = 10_000


@dataclass
class FakeStep:
    """A language model whose n-th take has its end of speech at `ends[n]`; latents are (take, frame)."""

    ends: list[int]
    position: int = VOICE
    latent_dim: int = 2
    reserved: list[int] = field(default_factory=list)
    rewound: list[int] = field(default_factory=list)
    texts: list[tuple[int, ...]] = field(default_factory=list)
    inputs: list[Tensor | None] = field(default_factory=list)
    _frame: int = 0

    @property
    def transformer(self) -> "FakeStep":
        return self

    def rewind(self, position: int) -> None:
        assert position <= self.position
        self.position = position
        self.rewound.append(position)

    def reserve(self, positions: int) -> None:
        self.reserved.append(positions)

    def append_text(self, tokens) -> None:
        self.texts.append(tuple(tokens))
        self.position += len(tokens)
        self._frame = 0

    def step(self, latent: Tensor | None, noise: Tensor) -> tuple[Tensor, float]:
        self.inputs.append(latent)
        self.position += 1
        assert self.position <= self.reserved[-1], "room was made before"
        take, frame = len(self.texts) - 1, self._frame
        self._frame += 1
        return torch.tensor([[float(take), float(frame)]]), 1.0 if frame >= self.ends[take] else -9.0


def segment(text: str = "one two three", tokens: int = 6, **options) -> Segment:
    return Segment(text, tuple(range(tokens)), (0, len(text)), frames_after_eos=3, **options)


def run(
    step: FakeStep, segments: list[Segment], *, parts: list[Segment] | None = None, **options
) -> list[Message]:
    settings = GenerationSettings(eos_threshold=0.0, frame_rate=12.5, **options)
    noise = NoiseSource(1, step.latent_dim, temp=1.0, clamp=None)
    generator = SegmentGenerator(step, noise, settings, lambda whole: parts or [whole])  # type: ignore[arg-type]
    return list(generator.run(segments))


def takes(messages: list[Message]) -> list[tuple[int, int, int, bool, bool]]:
    """(index, take, frames, failed, accepted) of each take."""
    result, frames = [], 0
    for message in messages:
        if isinstance(message, TakeStarted):
            frames = 0
        elif isinstance(message, Latent):
            frames += 1
        elif isinstance(message, TakeEnded):
            result.append((message.index, message.take, frames, message.failed, message.accepted))
    return result


def test_speech_ends_some_frames_after_its_end() -> None:
    assert takes(run(FakeStep([10]), [segment()])) == [(0, 0, 10 + 3, False, True)]


def test_ends_on_the_first_frames_are_ignored() -> None:
    step = FakeStep([0])
    assert takes(run(step, [segment()])) == [(0, 0, 6 + 3, False, True)]


def test_given_frames_replace_the_segments_own() -> None:
    assert takes(run(FakeStep([10]), [segment()], frames_after_eos=0)) == [(0, 0, 10, False, True)]
    assert takes(run(FakeStep([10]), [segment()], frames_after_eos=7)) == [(0, 0, 17, False, True)]


def test_each_latent_is_the_next_input() -> None:
    step = FakeStep([6])
    sent = [message.value for message in run(step, [segment()]) if isinstance(message, Latent)]
    assert step.inputs[0] is None
    assert all(torch.equal(a, b) for a, b in zip(step.inputs[1:], sent, strict=False))


def test_every_take_begins_at_the_voice() -> None:
    step = FakeStep([6, 6, 6])
    run(step, [segment(), segment(), segment()])
    assert step.rewound == [VOICE] * 3


def test_history_is_kept_when_asked() -> None:
    step = FakeStep([6, 6])
    run(step, [segment(), segment()], keep_history=True)
    assert step.rewound[0] == VOICE
    assert step.rewound[1] >= VOICE + 6 + 9


def test_failed_takes_do_not_enter_the_history() -> None:
    step = FakeStep([NEVER, 6, 6])
    run(step, [segment(), segment()], keep_history=True)
    assert step.rewound[:2] == [VOICE, VOICE]
    assert VOICE + 6 + 9 <= step.rewound[2] <= VOICE + 6 + 10


def test_length_limit_is_tokens_over_three_plus_two_seconds() -> None:
    assert frame_limit(6, 12.5) == 50
    assert frame_limit(50, 12.5) == 234
    messages = run(FakeStep([NEVER]), [segment()], no_eos="keep")
    assert takes(messages) == [(0, 0, 50, True, True)]


def test_an_end_near_the_limit_counts() -> None:
    assert takes(run(FakeStep([49]), [segment()])) == [(0, 0, 50, False, True)]


def test_second_take_replaces_a_failed_one() -> None:
    messages = run(FakeStep([NEVER, 8]), [segment(), segment()][:1])
    assert takes(messages) == [(0, 0, 50, True, False), (0, 1, 11, False, True)]
    assert [m.replaces for m in messages if isinstance(m, TakeStarted)] == [False, True]


def test_two_failures_end_in_a_split() -> None:
    parts = [segment("one", 2), segment("two", 3)]
    whole = segment()
    messages = run(FakeStep([NEVER, NEVER, 8, 9]), [whole], parts=parts)
    assert takes(messages) == [
        (0, 0, 50, True, False),
        (0, 1, 50, True, False),
        (0, 2, 11, False, True),
        (0, 2, 12, False, True),
    ]
    starts = [message for message in messages if isinstance(message, TakeStarted)]
    assert [start.replaces for start in starts] == [False, True, True, False]
    assert [start.segment for start in starts] == [whole, whole, *parts]


def test_parts_that_fail_are_kept() -> None:
    parts = [segment("one", 2), segment("two", 3)]
    ended = takes(run(FakeStep([NEVER] * 4), [segment()], parts=parts))
    assert ended[2:] == [(0, 2, frame_limit(2, 12.5), True, True), (0, 2, frame_limit(3, 12.5), True, True)]


def test_what_cannot_be_split_is_kept_after_two_takes() -> None:
    assert takes(run(FakeStep([NEVER] * 2), [segment()])) == [(0, 0, 50, True, False), (0, 1, 50, True, True)]


def test_a_failure_leaves_later_segments_alone() -> None:
    ended = takes(run(FakeStep([NEVER, 8, 7]), [segment(), segment()]))
    assert [(index, take) for index, take, *_ in ended] == [(0, 0), (0, 1), (1, 0)]


SHORT = segment("Hello there.", 6, is_short=True)
FITTING = round(expected_frames("Hello there.", 12.5))  # 14 frames


def test_short_segments_take_the_first_that_fits() -> None:
    step = FakeStep([45, FITTING - 3, 6])
    messages = run(step, [SHORT])
    assert takes(messages) == [(0, 0, FITTING, False, True)]
    assert {float(m.value[0, 0]) for m in messages if isinstance(m, Latent)} == {1.0}, "the second take"
    assert len(step.texts) == 2


def test_short_segments_take_the_nearest_when_none_fits() -> None:
    messages = run(FakeStep([46, 30, 41]), [SHORT])
    assert takes(messages) == [(0, 0, 33, False, True)]
    assert {float(m.value[0, 0]) for m in messages if isinstance(m, Latent)} == {1.0}


def test_short_segments_prefer_any_end_to_none() -> None:
    assert takes(run(FakeStep([NEVER, 46, NEVER]), [SHORT])) == [(0, 0, 49, False, True)]
    assert takes(run(FakeStep([NEVER] * 3), [SHORT])) == [(0, 0, 50, True, True)]


def test_history_holds_what_was_sent() -> None:
    """With a history every take stays in the cache: short segments are not tried several times then."""
    step = FakeStep([46, 6])
    run(step, [SHORT, segment()], keep_history=True)
    length = 6 + 46 + 3
    assert VOICE + length <= step.rewound[-1] <= VOICE + length + 1


def test_short_takes_are_interruptible() -> None:
    messages = run(FakeStep([46, 30, 41]), [SHORT])
    first = next(i for i, message in enumerate(messages) if isinstance(message, TakeStarted))
    assert first == 49 + 33 + 44, "one message a frame, so that a stop is seen in time"
    assert all(isinstance(message, Working) for message in messages[:first])


def test_short_segments_take_one_when_not_wanted() -> None:
    assert takes(run(FakeStep([46]), [SHORT], several_takes=False)) == [(0, 0, 49, False, True)]


def test_a_pause_alone_makes_no_frames() -> None:
    step = FakeStep([6])
    pause = Segment("", (), (3, 9), 0, pause_after_s=0.5)
    messages = run(step, [segment(), pause])
    assert takes(messages)[1] == (1, 0, 0, False, True)
    assert len(step.texts) == 1


def test_noise_of_a_seed_is_what_the_reference_draws() -> None:
    for clamp in (None, 0.4):
        source = NoiseSource(9, 5, temp=0.3, clamp=clamp)
        torch.manual_seed(9)
        for _ in range(3):
            expected = torch.empty(1, 5)
            if clamp is None:
                torch.nn.init.normal_(expected, std=0.3**0.5)
            else:
                torch.nn.init.trunc_normal_(expected, std=0.3**0.5, a=-clamp, b=clamp)
            assert torch.equal(source.draw(), expected)


def test_clamped_noise_stays_within_bounds() -> None:
    source = NoiseSource(1, 1000, temp=1.0, clamp=0.5)
    assert source.draw().abs().max() <= 0.5


def test_no_temperature_with_a_clamp_is_silence() -> None:
    assert NoiseSource(1, 4, temp=0.0, clamp=0.5).draw().abs().max() == 0
