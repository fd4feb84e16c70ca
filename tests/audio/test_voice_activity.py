"""Speech is told from what is none, in pieces as at once."""

import numpy as np
import pytest

from pocketvoice.audio.microphone import Mixdown, SpeechMeter
from pocketvoice.audio.voice_activity import FRAME_S, VoiceActivity, activity_of
from tests.voices.sounds import RATE, babble

RANDOM = np.random.default_rng(0)


def seconds(sound: np.ndarray, rate: int = RATE) -> float:
    return FRAME_S * float(activity_of(sound.astype(np.float32), rate).frames().sum())


def noise(length_s: float, dbfs: float) -> np.ndarray:
    return 10 ** (dbfs / 20) * RANDOM.standard_normal(int(length_s * RATE))


def clicks(length_s: float) -> np.ndarray:
    sound = np.zeros(int(length_s * RATE))
    for at in RANDOM.integers(0, len(sound) - 2000, 60):
        sound[at : at + 1200] += 0.3 * RANDOM.standard_normal(1200) * np.exp(-np.arange(1200) / 200)
    return sound


@pytest.mark.parametrize("rate", [8_000, 16_000, 44_100, 48_000, 96_000])
def test_speech_is_counted_at_any_rate(rate: int) -> None:
    assert seconds(babble(20, rate), rate) == pytest.approx(16.2, abs=0.6)


def test_pauses_do_not_count() -> None:
    sound = np.concatenate([np.zeros(5 * RATE), babble(10), noise(15, -70), babble(10)])
    assert seconds(sound) == pytest.approx(2 * seconds(babble(10)), abs=0.8)


@pytest.mark.parametrize("snr_db", [30, 20, 12])
def test_speech_is_heard_in_noise(snr_db: float) -> None:
    clean = babble(20)
    assert seconds(clean + noise(20, -26 - snr_db)) > 0.8 * seconds(clean)


@pytest.mark.parametrize(
    "sound",
    [
        np.zeros(10 * RATE),
        noise(10, -60),
        noise(10, -20),
        0.3 * np.sin(2 * np.pi * 220 / RATE * np.arange(10 * RATE)),
        0.1 * np.sin(2 * np.pi * 50 / RATE * np.arange(10 * RATE)) + 0.5,
        clicks(10),
        babble(10) * 10 ** (-50 / 20),
        np.zeros(0),
        np.zeros(7),
    ],
    ids=["silence", "hiss", "loud noise", "tone", "hum", "typing", "too quiet", "nothing", "7 samples"],
)
def test_other_sounds_are_no_speech(sound: np.ndarray) -> None:
    assert seconds(sound) < 0.2


def test_pieces_are_judged_as_the_whole() -> None:
    sound = babble(7.3, 44_100)
    activity = VoiceActivity(44_100)
    for start in range(0, len(sound), 777):
        activity.add(sound[start : start + 777])
    activity.add(sound[:0], last=True)
    np.testing.assert_array_equal(activity.frames(), activity_of(sound, 44_100).frames())


def test_a_dead_channel_does_not_halve_the_level() -> None:
    voice = babble(2)
    mixdown = Mixdown(2)
    block = np.stack([voice, 1e-4 * noise(2, 0).astype(np.float32)], axis=1)
    mixdown.listen(block)
    np.testing.assert_allclose(mixdown.mixed(block), voice, atol=1e-6)


def test_channels_that_cancel_are_not_added() -> None:
    voice = babble(2)
    mixdown = Mixdown(2)
    block = np.stack([voice, -0.9 * voice], axis=1)
    mixdown.listen(block)
    np.testing.assert_allclose(mixdown.mixed(block), voice, atol=1e-6)


def test_two_good_channels_are_their_mean() -> None:
    voice = babble(2)
    mixdown = Mixdown(2)
    block = np.stack([voice, 0.5 * voice], axis=1)
    mixdown.listen(block)
    np.testing.assert_allclose(mixdown.mixed(block), 0.75 * voice, atol=1e-6)


def test_the_meter_tells_level_clipping_and_silence() -> None:
    meter = SpeechMeter(RATE)
    voice = babble(6)
    for start in range(0, len(voice), 2400):
        meter.add(voice[start : start + 2400], float(np.abs(voice[start : start + 2400]).max()))
    reading = meter.read()
    assert reading.speech_dbfs == pytest.approx(-25, abs=3)
    assert not reading.clipped
    meter.add(np.ones(100, np.float32), 1.0)
    meter.add(np.zeros(3 * RATE, np.float32), 0.0)
    reading = meter.read(last=True)
    assert reading.clipped
    assert not reading.is_speech
    assert reading.silent_s == pytest.approx(3.0, abs=0.6)
    assert reading.rms_dbfs == pytest.approx(-240)
