"""A voice clip ends on a pause, is no longer than 30 s, and what can't be a voice is refused with a remedy."""

from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch
from pocket_tts.data.audio_utils import end_on_pause as reference_end_on_pause

from pocketvoice.audio.clip import end_on_pause, load_clip, prepare_clip
from pocketvoice.audio.wav import WavWriter
from pocketvoice.errors import AudioFileError, ClipError, MissingFileError

RATE = 24_000
_random = np.random.default_rng(7)


def voice(seconds: float, rate: int = RATE, level: float = 0.2) -> np.ndarray:
    """Noise with the slow swell of syllables, never quieter than a tenth of its loudest."""
    t = np.arange(int(seconds * rate)) / rate
    swell = 0.55 + 0.45 * np.sin(2 * np.pi * 4 * t)
    return (level * swell * _random.normal(0, 0.3, len(t))).astype(np.float32)


def silence(seconds: float, rate: int = RATE, level: float = 0.0) -> np.ndarray:
    return (level * _random.normal(0, 1, int(seconds * rate))).astype(np.float32)


def joined(*parts: np.ndarray) -> np.ndarray:
    return np.concatenate(parts)


@pytest.mark.parametrize("rate", [8_000, 16_000, 22_050, 24_000, 44_100, 48_000])
@pytest.mark.parametrize(
    "parts",
    [
        [("voice", 2.0)],
        [("voice", 1.013), ("silence", 0.7)],
        [("voice", 0.5), ("silence", 0.3), ("voice", 0.41), ("silence", 0.0333)],
        [("silence", 1.0)],
        [("voice", 0.019)],
        [("voice", 0.021)],
        [],
    ],
    ids=["speech", "silent end", "short", "silence", "under a frame", "a frame", "nothing"],
)
def test_end_as_reference(rate: int, parts: list[tuple[str, float]]) -> None:
    make = {"voice": voice, "silence": silence}
    samples = joined(np.zeros(0, np.float32), *(make[kind](seconds, rate) for kind, seconds in parts))
    reference = reference_end_on_pause(torch.from_numpy(samples)[None], rate)[0].numpy()
    ours = end_on_pause(samples, rate)
    assert ours.shape == reference.shape
    assert ours.dtype == np.float32
    if len(ours):
        assert np.abs(ours - reference).max() <= 1e-6


def test_end_leaves_input_alone() -> None:
    samples = voice(1.0)
    before = samples.copy()
    end_on_pause(samples, RATE)
    assert np.array_equal(samples, before)


def test_short_clip_is_kept_whole() -> None:
    samples = joined(voice(3.0), silence(1.0))
    clip = prepare_clip(samples, RATE)
    assert clip.notes == ()
    assert np.array_equal(clip.samples, end_on_pause(samples, RATE))
    assert not clip.samples[-int(0.08 * RATE) :].any()


@pytest.mark.parametrize("rate", [8_000, 44_100, 48_000])
def test_clip_is_resampled(rate: int) -> None:
    tone = (0.5 * np.sin(2 * np.pi * 440 * np.arange(3 * rate) / rate)).astype(np.float32)
    clip = prepare_clip(tone, rate)
    assert len(clip.samples) == pytest.approx(3.08 * RATE, abs=0.02 * RATE)
    middle = clip.samples[RATE : 2 * RATE]
    expected = 0.5 * np.sin(2 * np.pi * 440 * np.arange(RATE, 2 * RATE) / RATE)
    assert np.abs(middle - expected).max() < 1e-3


@pytest.mark.parametrize("noise", [0.0, 0.002])
@pytest.mark.parametrize("rate", [RATE, 44_100])
def test_long_clip_cut_at_pause(noise: float, rate: int) -> None:
    samples = joined(
        voice(21.0, rate), silence(0.15, rate), voice(3.0, rate), silence(0.4, rate), voice(20.0, rate)
    )
    samples += silence(len(samples) / rate + 1, rate, noise)[: len(samples)]
    clip = prepare_clip(samples, rate)
    assert 24.15 <= len(clip.samples) / RATE - 0.08 <= 24.15 + 0.1
    assert len(clip.notes) == 1
    assert "The clip is 45 s long: its first 24.2 s are used" in clip.notes[0]


def test_later_of_equal_pauses() -> None:
    samples = joined(voice(22.0), silence(0.5), voice(5.0), silence(0.5), voice(10.0))
    assert len(prepare_clip(samples, RATE).samples) / RATE == pytest.approx(27.58, abs=0.1)


def test_no_pause_cut_at_30_s() -> None:
    clip = prepare_clip(voice(40.0), RATE)
    assert len(clip.samples) == int(30.08 * RATE)
    assert "has no pause between 20 and 30 s: it was cut at 30 s" in clip.notes[0]


def test_pause_before_20_s_is_no_end() -> None:
    clip = prepare_clip(joined(voice(15.0), silence(1.0), voice(20.0)), RATE)
    assert len(clip.samples) == int(30.08 * RATE)


REFUSED = {
    "0.2 s": (lambda: voice(0.2), "The clip is only 0.2 s long: record 20 to 30 seconds of speech."),
    "nothing": (lambda: voice(0.0), "The clip is only 0.0 s long: record 20 to 30 seconds of speech."),
    "zeros": (lambda: silence(10), "The clip is silent: check the microphone"),
    "faint noise": (lambda: silence(10, level=1e-4), "The clip is silent: check the microphone"),
    "offset": (lambda: silence(10, level=1e-5) + np.float32(0.3), "only a constant offset"),
    "a click": (lambda: joined(silence(2), voice(0.1), silence(2)), "holds only 0.1. s of sound"),
    "10 minutes": (
        lambda: np.ones(600 * RATE, np.float32),
        "The clip is 10 minutes long; a voice needs 20 to 30 seconds: cut it, or pass --truncate to use the start.",
    ),
    "NaN": (lambda: voice(5) * np.float32(np.nan), "NaN or infinite"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusal_says_remedy(name: str) -> None:
    make, sentence = REFUSED[name]
    with pytest.raises(ClipError, match=sentence):
        prepare_clip(make(), RATE)


def test_refusals_all_differ() -> None:
    sentences = set()
    for make, _ in REFUSED.values():
        with pytest.raises(ClipError) as caught:
            prepare_clip(make(), RATE)
        sentences.add(str(caught.value))
    assert len(sentences) == len(REFUSED) - 1  # the two kinds of silence share one


def test_truncate_uses_start() -> None:
    samples = joined(voice(25.0), silence(0.5), voice(280.0))
    clip = prepare_clip(samples, RATE, truncate=True)
    assert len(clip.samples) / RATE == pytest.approx(25.1, abs=0.1)
    assert "The clip is 5.1 minutes long: its first 25." in clip.notes[0]


def test_quiet_and_offset_voice_passes() -> None:
    clip = prepare_clip(voice(5.0, level=0.05) + np.float32(0.1), RATE)
    assert clip.notes == ()


def test_load_reads_only_start(tmp_path: Path) -> None:
    path = tmp_path / "long.flac"
    start = joined(voice(25.0), silence(0.5), voice(30.0))
    with soundfile.SoundFile(path, "w", RATE, 1) as sound:
        sound.write(start)
        for _ in range(10):
            sound.write(np.full(60 * RATE, 0.1, np.float32))
    with pytest.raises(ClipError, match=r"The clip is 10\.9 minutes long"):
        load_clip(path)
    clip = load_clip(path, truncate=True)
    assert "10.9 minutes long" in clip.notes[0]
    assert len(clip.samples) / RATE == pytest.approx(25.1, abs=0.1)


def test_load_equals_prepare(tmp_path: Path) -> None:
    path = tmp_path / "clip.wav"
    samples = voice(4.0)
    with WavWriter(path, RATE) as writer:
        writer.write(samples)
    pcm, _ = soundfile.read(path, dtype="float32")
    assert np.array_equal(load_clip(path).samples, prepare_clip(pcm, RATE).samples)
    assert np.array_equal(load_clip(path.read_bytes()).samples, load_clip(str(path)).samples)


def test_load_passes_errors(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        load_clip(tmp_path / "none.wav")
    (tmp_path / "notes.wav").write_text("no sound")
    with pytest.raises(AudioFileError):
        load_clip(tmp_path / "notes.wav")


@pytest.mark.parametrize("hum", [0.0, 0.0005])
def test_silence_before_the_speech_is_left_out(hum: float) -> None:
    spoken = voice(23.0)
    clip = prepare_clip(joined(silence(20.0, level=hum), spoken), RATE)
    assert clip.notes == ("The clip begins with 20 s of silence, which are left out.",)
    assert 23.0 <= len(clip.samples) / RATE <= 23.3
    loudness = np.sqrt(np.mean(clip.samples[RATE // 2 : RATE] ** 2))
    assert loudness > 0.01


def test_a_voice_that_begins_late_is_found() -> None:
    clip = prepare_clip(joined(silence(31), voice(9)), RATE)
    assert 9.0 <= len(clip.samples) / RATE <= 9.3


def test_a_short_lead_is_left_alone() -> None:
    clip = prepare_clip(joined(silence(0.6), voice(5.0)), RATE)
    assert clip.notes == ()
    assert len(clip.samples) / RATE > 5.5


def test_silence_before_a_long_speech_is_told_beside_the_cut(tmp_path: Path) -> None:
    path = tmp_path / "long.wav"
    soundfile.write(path, joined(silence(40.0), voice(50.0)), RATE)
    for truncate in (False, True):
        clip = load_clip(path, truncate=truncate)
        assert [note[:15] for note in clip.notes] == ["The clip begins", "The clip is 50 "]
        assert np.abs(clip.samples[: RATE // 2]).max() > 0.01
