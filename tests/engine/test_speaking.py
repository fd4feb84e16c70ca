"""What `TTSModel` says: seeds, chunks, takes, pauses and positions, on a tiny model with random weights."""

import logging
import math
from contextlib import closing
from dataclasses import asdict, replace

import pytest
import torch
from torch import Tensor

from pocketvoice.engine.events import SegmentEvent, SegmentEventKind
from pocketvoice.engine.generation import FIRST_EOS_FRAME, frame_limit
from pocketvoice.engine.sampling import Sampling
from pocketvoice.engine.tts_model import TTSModel
from pocketvoice.errors import EmptyTextError, InputError
from pocketvoice.text.splitter import SplitOptions
from tests.model_factory import AT_ONCE, SENTENCE, TWO_SENTENCES, random_state

FRAME = 1920
STARTED, FINISHED, NO_EOS = SegmentEventKind.STARTED, SegmentEventKind.FINISHED, SegmentEventKind.NO_EOS


@pytest.fixture
def ending(load) -> TTSModel:
    """A model that ends each segment as soon as it may."""
    return load(eos_threshold=AT_ONCE)


def told(model: TTSModel, voice, text: str, **options) -> tuple[list[Tensor], list[SegmentEvent]]:
    """Chunks and events; checks that each event comes between the right chunks."""
    chunks: list[Tensor] = []
    events: list[SegmentEvent] = []

    def on_segment(event: SegmentEvent) -> None:
        assert event.position == sum(map(len, chunks))
        events.append(event)

    for chunk in model.generate_audio_stream(voice, text, on_segment=on_segment, **options):
        chunks.append(chunk)
    return chunks, events


def test_same_seed_gives_identical_samples(ending: TTSModel, voice) -> None:
    first = ending.generate_audio(voice, TWO_SENTENCES, seed=7)
    assert torch.equal(first, ending.generate_audio(voice, TWO_SENTENCES, seed=7))
    assert not torch.equal(first, ending.generate_audio(voice, TWO_SENTENCES, seed=8))


def test_same_seed_on_a_fresh_model_gives_identical_samples(load, voice) -> None:
    first = load(eos_threshold=AT_ONCE).generate_audio(voice, TWO_SENTENCES, seed=7)
    assert torch.equal(first, load(eos_threshold=AT_ONCE).generate_audio(voice, TWO_SENTENCES, seed=7))


@pytest.mark.parametrize("precision", ["bf16", "int8"])
def test_seeds_hold_at_every_precision(load, voice, precision: str) -> None:
    model = load(eos_threshold=AT_ONCE, precision=precision)
    first = model.generate_audio(voice, SENTENCE, seed=7)
    assert torch.equal(first, model.generate_audio(voice, SENTENCE, seed=7))


def test_global_seed_is_used_without_one(ending: TTSModel, voice) -> None:
    torch.manual_seed(5)
    first = ending.generate_audio(voice, SENTENCE)
    assert torch.equal(first, ending.generate_audio(voice, SENTENCE, seed=5))
    assert not torch.equal(first, ending.generate_audio(voice, SENTENCE))


def test_seed_leaves_the_global_generator_alone(ending: TTSModel, voice) -> None:
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    ending.generate_audio(voice, SENTENCE, seed=1)
    assert torch.equal(torch.rand(1), expected)


def test_no_temperature_means_no_chance(load, voice) -> None:
    model = load(eos_threshold=AT_ONCE, temp=0.0)
    assert torch.equal(
        model.generate_audio(voice, SENTENCE, seed=1), model.generate_audio(voice, SENTENCE, seed=2)
    )


def test_clamp_bounds_the_noise(load, voice) -> None:
    free = load(eos_threshold=AT_ONCE).generate_audio(voice, SENTENCE, seed=1)
    clamped = load(eos_threshold=AT_ONCE, noise_clamp=0.1).generate_audio(voice, SENTENCE, seed=1)
    assert clamped.shape == free.shape
    assert not torch.equal(clamped, free)


def test_chunks_join_to_the_whole(ending: TTSModel, voice) -> None:
    chunks = list(ending.generate_audio_stream(voice, TWO_SENTENCES, seed=3))
    assert len(chunks) > 2
    assert all(chunk.dim() == 1 and chunk.dtype == torch.float32 for chunk in chunks)
    assert torch.equal(torch.cat(chunks), ending.generate_audio(voice, TWO_SENTENCES, seed=3))


def test_first_chunks_are_single_frames(ending: TTSModel, voice) -> None:
    lengths = [len(chunk) // FRAME for chunk in ending.generate_audio_stream(voice, SENTENCE, strict=True)]
    assert lengths == [1, 1, 2, 4, 1]  # six frames without EOS, then 1 + 2 more


def test_frames_per_call_can_be_set_to_one(ending: TTSModel, voice) -> None:
    whole = ending.generate_audio(voice, SENTENCE, seed=3)
    ending.max_decoder_frames_per_call = 1
    chunks = list(ending.generate_audio_stream(voice, SENTENCE, seed=3))
    assert {len(chunk) for chunk in chunks} == {FRAME}
    assert (torch.cat(chunks) - whole).abs().max() < 1e-4


@pytest.mark.parametrize("frames", [0, 1, 5])
def test_frames_after_eos_are_counted(ending: TTSModel, voice, frames: int) -> None:
    samples = ending.generate_audio(voice, SENTENCE, frames_after_eos=frames, strict=True)
    assert len(samples) == (FIRST_EOS_FRAME + frames) * FRAME


def test_models_own_frames_after_eos_hold_unless_given(models, voice) -> None:
    files = models.tiny(model_recommended_frames_after_eos=4)
    model = TTSModel.load_model(config=files.config, eos_threshold=AT_ONCE)
    assert len(model.generate_audio(voice, SENTENCE, strict=True)) == (FIRST_EOS_FRAME + 4) * FRAME
    assert len(model.generate_audio(voice, SENTENCE, frames_after_eos=1, strict=True)) == 7 * FRAME


def test_short_texts_ring_out_longer(ending: TTSModel, voice) -> None:
    assert len(ending.generate_audio(voice, "Four words are here.", strict=True)) == (6 + 5) * FRAME
    assert len(ending.generate_audio(voice, SENTENCE, strict=True)) == (6 + 3) * FRAME


def test_sound_fades_in(ending: TTSModel, voice) -> None:
    samples = ending.generate_audio(voice, SENTENCE, seed=1, strict=True)
    assert samples[0] == 0
    assert samples[:120].abs().max() < samples[120:].abs().max()


@pytest.mark.parametrize("text", ["", "   \n ", "\t"])
@pytest.mark.parametrize("strict", [True, False])
def test_empty_text_is_refused_at_once(model: TTSModel, voice, text: str, strict: bool) -> None:
    with pytest.raises(EmptyTextError):
        model.generate_audio_stream(voice, text, strict=strict)
    with pytest.raises(ValueError, match="nothing"):
        model.generate_audio(voice, text, strict=strict)


def test_events_enclose_each_segment(ending: TTSModel, voice) -> None:
    chunks, events = told(ending, voice, TWO_SENTENCES, split_options=SplitOptions(max_tokens=25))
    assert len(events) >= 4
    assert [event.kind for event in events] == [STARTED, FINISHED] * (len(events) // 2)
    assert [event.index for event in events] == [i // 2 for i in range(len(events))]
    assert {event.take for event in events} == {0}
    assert {event.discard_samples for event in events} == {0}
    assert events[0].position == 0
    assert events[-1].position == sum(map(len, chunks))
    for finished, started in zip(events[1::2], events[2::2], strict=False):
        assert finished.position == started.position


def test_spans_cover_the_text(ending: TTSModel, voice) -> None:
    _, events = told(ending, voice, TWO_SENTENCES, split_options=SplitOptions(max_tokens=25))
    spans = [event.segment.span for event in events if event.kind is STARTED]
    covered = set().union(*(range(*span) for span in spans))
    spoken = {i for i, letter in enumerate(TWO_SENTENCES) if letter.isalnum()}
    assert spoken <= covered


def test_no_eos_is_retried_and_told(model: TTSModel, voice, caplog) -> None:
    with caplog.at_level(logging.WARNING):
        chunks, events = told(model, voice, SENTENCE, seed=1)
    limit = frame_limit(len(events[0].segment.tokens), 12.5) * FRAME
    assert [(e.kind, e.take, e.discard_samples) for e in events[:4]] == [
        (STARTED, 0, 0),
        (NO_EOS, 0, 0),
        (STARTED, 1, limit),
        (NO_EOS, 1, 0),
    ]
    assert [event.position for event in events[:4]] == [0, limit, limit, 2 * limit]
    assert sum(map(len, chunks)) == events[-1].position
    assert "No end of speech in segment 0, take 0" in caplog.text
    first, second = torch.cat(chunks)[:limit], torch.cat(chunks)[limit : 2 * limit]
    assert not torch.equal(first, second)  # other noise


def test_what_does_not_end_is_split_at_last(model: TTSModel, voice, caplog) -> None:
    _, events = told(model, voice, SENTENCE, seed=1)
    parts = [event for event in events if event.take == 2 and event.kind is STARTED]
    assert len(parts) >= 2, "the sentence has a comma to be split at"
    limit = frame_limit(len(events[0].segment.tokens), 12.5) * FRAME
    assert [part.discard_samples for part in parts] == [limit] + [0] * (len(parts) - 1)
    assert {part.index for part in parts} == {0}
    ends = [event.kind for event in events if event.take == 2 and event.kind is not STARTED]
    assert ends == [NO_EOS, FINISHED] * len(parts)


def test_generate_audio_leaves_failed_takes_out(model: TTSModel, voice, caplog) -> None:
    chunks, events = told(model, voice, SENTENCE, seed=1)
    last = max(event.position for event in events if event.discard_samples)
    assert torch.equal(model.generate_audio(voice, SENTENCE, seed=1), torch.cat(chunks)[last:])


def test_what_does_not_end_can_be_kept(model: TTSModel, voice, caplog) -> None:
    chunks, events = told(model, voice, SENTENCE, no_eos="keep")
    assert [event.kind for event in events] == [STARTED, NO_EOS, FINISHED]
    assert sum(map(len, chunks)) == frame_limit(len(events[0].segment.tokens), 12.5) * FRAME


def test_a_chance_end_is_met(models, voice) -> None:
    model = TTSModel.load_model(config=models.tiny("chance").config)
    lengths = {len(model.generate_audio(voice, SENTENCE, seed=seed)) for seed in range(6)}
    assert len(lengths) > 2


def test_short_segments_deliver_one_take(load, voice) -> None:
    model = load(eos_threshold=AT_ONCE)
    steps = counted(model)
    chunks, events = told(model, voice, "Yes.", frames_after_eos=30)
    assert [event.kind for event in events] == [STARTED, FINISHED]
    assert sum(map(len, chunks)) == 36 * FRAME
    assert len(steps) == 3 * 36, "36 frames do not fit one word: three takes were made"


def test_a_short_take_that_fits_is_enough(ending: TTSModel, voice) -> None:
    steps = counted(ending)
    ending.generate_audio(voice, "Yes.", frames_after_eos=1)
    assert len(steps) == 7


def test_strict_mode_takes_what_comes(ending: TTSModel, voice) -> None:
    steps = counted(ending)
    ending.generate_audio(voice, "Yes.", frames_after_eos=30, strict=True)
    assert len(steps) == 36


def counted(model: TTSModel) -> list[float]:
    """Collects the EOS logit of each step from now on."""
    made: list[float] = []
    step = model._speaker.step.step

    def counting(latent, noise):
        result = step(latent, noise)
        made.append(result[1])
        return result

    model._speaker.step.step = counting  # type: ignore[method-assign]
    return made


def test_pauses_become_silence(ending: TTSModel, voice) -> None:
    text = f"{SENTENCE} [pause:1500ms] {SENTENCE}"
    chunks, events = told(ending, voice, text)
    paused = next(event.segment for event in events if event.segment.pause_after_s >= 1.5)
    starts, ends = _positions(events, paused)
    silence = torch.cat(chunks)[starts:ends][-36_000:]
    assert paused.pause_after_s == 1.5
    assert torch.equal(silence, torch.zeros(36_000))


def test_line_breaks_become_silence_of_the_given_length(ending: TTSModel, voice) -> None:
    options = SplitOptions(line_pause_s=0.25, paragraph_pause_s=0.5)
    none = SplitOptions(line_pause_s=0.0, paragraph_pause_s=0.0)
    text = f"{SENTENCE}\n\n{SENTENCE}"
    with_pause = ending.generate_audio(voice, text, seed=1)
    assert with_pause.numel() > 0
    long, _ = told(ending, voice, text, split_options=options, seed=1)
    short, _ = told(ending, voice, text, split_options=none, seed=1)
    assert sum(map(len, long)) - sum(map(len, short)) == 12_000


def _positions(events: list[SegmentEvent], segment) -> tuple[int, int]:
    own = [event for event in events if event.segment is segment]
    return own[0].position, own[-1].position


def test_copied_state_is_untouched_and_not_copied(ending: TTSModel, voice) -> None:
    before = {name: {key: value.clone() for key, value in entry.items()} for name, entry in voice.items()}
    ending.generate_audio(voice, SENTENCE)
    cache = ending._speaker.step.transformer._cache.data_ptr()
    positions = ending._speaker.step.transformer.cache_shape[3]
    ending.generate_audio(voice, SENTENCE)
    ending.generate_audio(voice, f"{SENTENCE} {SENTENCE} {SENTENCE}", max_tokens=25)
    assert ending._speaker.step.transformer._cache.data_ptr() == cache, "rewound, not made anew"
    assert ending._speaker.step.transformer.cache_shape[3] == positions
    for name, entry in before.items():
        assert all(torch.equal(voice[name][key], value) for key, value in entry.items())


def _offset(state) -> int:
    return int(next(iter(state.values()))["offset"])


def test_extended_state_goes_on_where_the_speech_ended(ending: TTSModel, voice) -> None:
    before = _offset(voice)
    _, events = told(ending, voice, SENTENCE, copy_state=False, strict=True)
    assert _offset(voice) >= before + len(events[0].segment.tokens) + FIRST_EOS_FRAME + 3
    cache = next(iter(voice.values()))["cache"]
    assert cache.shape[2] >= _offset(voice)
    assert cache[:, :, : _offset(voice)].isfinite().all()
    again = _offset(voice)
    ending.generate_audio(voice, SENTENCE, copy_state=False)
    assert _offset(voice) > again


def test_extended_state_changes_what_follows(ending: TTSModel, voice) -> None:
    alone = ending.generate_audio(voice, SENTENCE, seed=2)
    ending.generate_audio(voice, SENTENCE, seed=1, copy_state=False)
    assert not torch.equal(alone, ending.generate_audio(voice, SENTENCE, seed=2))


def test_changed_state_is_noticed(ending: TTSModel, voice) -> None:
    first = ending.generate_audio(voice, SENTENCE, seed=1)
    with torch.no_grad():
        next(iter(voice.values()))["cache"].mul_(1.5)
    assert not torch.equal(first, ending.generate_audio(voice, SENTENCE, seed=1))


def test_replaced_tensors_are_noticed(ending: TTSModel, voice, tiny) -> None:
    other = random_state(tiny.raw, seed=99)
    expected = ending.generate_audio(other, SENTENCE, seed=1)
    ending.generate_audio(voice, SENTENCE, seed=1)
    voice.update(other)
    assert torch.equal(ending.generate_audio(voice, SENTENCE, seed=1), expected)


def test_state_made_in_inference_mode_speaks(ending: TTSModel, voice) -> None:
    expected = ending.generate_audio(voice, SENTENCE, seed=1)
    with torch.inference_mode():
        state = {name: {k: v.clone() for k, v in entry.items()} for name, entry in voice.items()}
        assert torch.equal(ending.generate_audio(state, SENTENCE, seed=1), expected)
    assert torch.equal(ending.generate_audio(state, SENTENCE, seed=1), expected)


def test_voices_alternate_without_mixing(ending: TTSModel, tiny, voice) -> None:
    other = random_state(tiny.raw, positions=33, seed=99)
    first, second = (ending.generate_audio(state, SENTENCE, seed=1) for state in (voice, other))
    assert not torch.equal(first, second)
    for _ in range(2):
        assert torch.equal(ending.generate_audio(voice, SENTENCE, seed=1), first)
        assert torch.equal(ending.generate_audio(other, SENTENCE, seed=1), second)


def test_results_carry_no_gradients(ending: TTSModel, voice) -> None:
    assert not ending.generate_audio(voice, SENTENCE).requires_grad


@pytest.mark.parametrize("kind", ["flow_matching", "drifting", "pointwise"])
def test_every_flow_head_speaks(models, voice, kind: str) -> None:
    files = models.tiny(**{"flow_lm.flow.type": kind})
    model = TTSModel.load_model(config=files.config, sampler_decode_steps=16, eos_threshold=AT_ONCE)
    assert model.generate_audio(voice, SENTENCE).isfinite().all()
    assert model.sampler_decode_steps == (16 if kind == "flow_matching" else 1)


def test_decode_steps_can_be_changed_between_calls(load, voice) -> None:
    model = load(eos_threshold=AT_ONCE, sampler_decode_steps=4)
    expected = model.generate_audio(voice, SENTENCE, seed=1)
    model = load(eos_threshold=AT_ONCE)
    assert not torch.equal(model.generate_audio(voice, SENTENCE, seed=1), expected)
    model.sampler_decode_steps = 4
    assert torch.equal(model.generate_audio(voice, SENTENCE, seed=1), expected)


def test_decode_steps_can_be_changed_while_it_speaks(load, voice) -> None:
    """Also while a frame is being computed, on another thread: the next frames take the new number."""
    model = load()
    stream = model.generate_audio_stream(voice, SENTENCE, seed=1, no_eos="keep")
    for number, samples in enumerate(stream):
        model.sampler_decode_steps = 1 + number % 16
        assert samples.isfinite().all()
    assert number > 3
    with pytest.raises(InputError, match="sampler_decode_steps"):
        model.sampler_decode_steps = 0


def test_a_call_may_sample_in_its_own_way(load, voice) -> None:
    """As a model that was loaded so would; the next call is as if nothing had been."""
    own = Sampling(temp=0.5, noise_clamp=1.5, eos_threshold=AT_ONCE, sampler_decode_steps=4)
    expected = load(**asdict(own)).generate_audio(voice, SENTENCE, seed=1)
    model = load(eos_threshold=AT_ONCE)
    before = model.sampling, model.generate_audio(voice, SENTENCE, seed=1)
    with closing(model.generate_audio_stream(voice, SENTENCE, seed=1, sampling=own)) as stream:
        next(stream)  # and the rest is not wanted
    assert model.sampling == before[0]
    whole = list(model.generate_audio_stream(voice, SENTENCE, seed=1, sampling=own))
    assert torch.equal(torch.cat(whole), expected)
    assert torch.equal(model.generate_audio(voice, SENTENCE, seed=1), before[1])


@pytest.mark.parametrize(
    "wrong", [{"temp": -1.0}, {"temp": math.nan}, {"noise_clamp": 0.0}, {"sampler_decode_steps": 0}]
)
def test_sampling_out_of_range_is_refused(wrong: dict[str, float]) -> None:
    fine = Sampling(temp=0.3, noise_clamp=None, eos_threshold=-4.0, sampler_decode_steps=1)
    with pytest.raises(InputError, match=next(iter(wrong))):
        replace(fine, **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_torchs_default_kind_of_numbers_does_not_matter(load, voice, dtype: torch.dtype) -> None:
    """It is the whole process's, and any library may change it."""
    expected = load().generate_audio(voice, SENTENCE, seed=1, no_eos="keep")
    loaded_before = load()
    torch.set_default_dtype(dtype)
    try:
        heard = [
            model.generate_audio(voice, SENTENCE, seed=1, no_eos="keep") for model in (loaded_before, load())
        ]
    finally:
        torch.set_default_dtype(torch.float32)
    for samples in heard:
        assert torch.equal(samples, expected)
