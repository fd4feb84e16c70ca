"""Flaws of a recording are told wherever a clip is taken, and what can be put right is."""

import io
from pathlib import Path

import numpy as np
import pytest
import soundfile

from pocketvoice.audio import levels
from pocketvoice.audio.clip import load_clip, prepare_clip
from pocketvoice.audio.imported import best_part
from pocketvoice.audio.quality import Flaw, quality_of
from pocketvoice.errors import ClipError
from tests.voices.sounds import RATE, babble

RANDOM = np.random.default_rng(0)


def flaw_of(samples: np.ndarray) -> str:
    (flaw,) = prepare_clip(samples.astype(np.float32), RATE).flaws
    return flaw


def hiss(dbfs: float) -> np.ndarray:
    return (10 ** (dbfs / 20) * RANDOM.standard_normal(22 * RATE)).astype(np.float32)


def test_a_good_clip_has_none() -> None:
    clip = prepare_clip(babble(22), RATE, speech=True)
    assert (clip.notes, clip.flaws) == ((), ())


def test_flaws_are_told() -> None:
    assert "cut off" in flaw_of(np.clip(6 * babble(22), -1, 1))
    assert "noise behind" in flaw_of(babble(22) + hiss(-31))
    assert "5 s long" in flaw_of(babble(5))


@pytest.mark.parametrize("dbfs", [-50, -58, -66])
def test_a_quiet_clip_is_made_louder(dbfs: float) -> None:
    quiet = babble(22, rms_dbfs=dbfs)
    clip = prepare_clip(quiet, RATE, speech=True)
    assert levels.rms_dbfs(clip.samples) == pytest.approx(-26, abs=1.5)
    assert f"too quiet ({dbfs} dBFS)" in clip.notes[0]
    assert [one.flaw for one in quality_of(quiet, RATE).findings] == [Flaw.TOO_QUIET]
    start, stop = best_part(quiet, RATE)
    assert stop - start > 20 * RATE


def test_noise_is_not_made_louder_with_it() -> None:
    clip = prepare_clip(babble(22, rms_dbfs=-50) + hiss(-56), RATE)
    assert levels.rms_dbfs(clip.samples) < -45
    assert "too quiet" in clip.flaws[0]
    assert clip.notes == ()


@pytest.mark.parametrize(
    "sound",
    [hiss(-30), (0.2 * np.sin(0.06 * np.arange(20 * RATE))).astype(np.float32)],
    ids=["noise", "tone"],
)
def test_what_is_no_speech_is_told_or_refused(sound: np.ndarray) -> None:
    assert "no speech" in flaw_of(sound)
    with pytest.raises(ClipError, match="No voice can be made of this"):
        prepare_clip(sound, RATE, speech=True)


@pytest.mark.parametrize("kind", ["WAV", "OGG"])
def test_a_file_that_breaks_off_is_told(tmp_path: Path, kind: str) -> None:
    file = io.BytesIO()
    soundfile.write(file, babble(44), RATE, format=kind)
    whole = file.getvalue()
    assert not any("breaks off" in flaw for flaw in load_clip(whole).flaws)
    assert "breaks off after" in load_clip(whole[: int(0.6 * len(whole))]).flaws[0]


def test_a_wav_from_a_pipe_does_not_break_off() -> None:
    """Who writes into a pipe does not know the length, and claims the most there is."""
    file = io.BytesIO()
    soundfile.write(file, babble(22), RATE, format="WAV")
    data = bytearray(file.getvalue())
    at = data.index(b"data") + 4
    data[at : at + 4] = b"\xff\xff\xff\xff"
    assert load_clip(bytes(data)).flaws == ()
