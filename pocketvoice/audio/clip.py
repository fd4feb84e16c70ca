"""The rules of a voice clip: 20 to 30 seconds of mono sound at the model's rate, ending in a pause.

A model takes up the manner of the clip's end: one that stops inside a word is continued by a burst at the start of every
sentence, and one of more than about 70 s makes it fall silent at once. What can be put right is put right and noted;
what can't is refused with a ClipError that says what to do. Pure functions on numpy; no files but in `load_clip`.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pocketvoice.audio import levels
from pocketvoice.audio.chunk import Samples
from pocketvoice.audio.quality import NOISY_DB, Flaw, quality_of
from pocketvoice.audio.reading import read_audio
from pocketvoice.audio.resample import resample
from pocketvoice.audio.voice_activity import runs
from pocketvoice.errors import ClipError

LEAST_S = 0.5
"""Less sound than this holds no voice."""
USED_S = (20.0, 30.0)
"""A longer clip is cut at the best pause between these."""
MOST_S = 300.0
"""A longer one is probably the wrong file: it is refused unless truncation is asked for."""

_PAUSE_FRAMES = 6  # 120 ms: the closure before a plosive inside a word is shorter
_BEST_PAUSE_FRAMES = 25  # beyond 0.5 s a pause gets no better, and the later one leaves more voice
_INTO_PAUSE_FRAMES = 4  # cut up to 80 ms into a pause: the last sound rings out, and no breath is caught
_LEAD_FRAMES = 5  # 0.1 s before the first sound: soft beginnings, a breath
_MOST_LEAD_S = 1.0  # a voice made of less silence than this takes no harm
_FLOOR_DB = 35.0  # a frame this far below the loudest one is silence


@dataclass(frozen=True, eq=False)
class Clip:
    """Sound that is ready to be a voice."""

    samples: Samples
    """float32, shape (T,), mono, at the rate asked for."""
    notes: tuple[str, ...] = ()
    """One sentence for each thing that was changed and that the user should know."""
    flaws: tuple[str, ...] = ()
    """What is wrong with the recording, a sentence with its remedy each: that it breaks off, and the worst of the rest."""


def load_clip(
    source: str | Path | bytes,
    *,
    truncate: bool = False,
    target_rate: int = 24_000,
    used_s: tuple[float, float] = USED_S,
    short: bool = False,
    speech: bool = False,
) -> Clip:
    """Reads a file and prepares it as `prepare_clip` does; of a long file only the first five minutes are decoded.

    Raises MissingFileError, AudioFileError or ClipError.
    """
    recording = read_audio(source, max_s=MOST_S + 1)
    total_s = recording.duration_s
    if recording.cut:
        total_s = max(total_s, recording.file_s or 0.0)
    clip = prepare_clip(
        recording.samples,
        recording.sample_rate,
        truncate=truncate,
        target_rate=target_rate,
        total_s=total_s,
        used_s=used_s,
        short=short,
        speech=speech,
    )
    return replace(clip, flaws=(recording.breaks_off, *clip.flaws)) if recording.breaks_off else clip


def prepare_clip(
    samples: Samples,
    rate: int,
    *,
    truncate: bool = False,
    target_rate: int = 24_000,
    total_s: float | None = None,
    used_s: tuple[float, float] = USED_S,
    short: bool = False,
    speech: bool = False,
) -> Clip:
    """The clip at `target_rate`, cut at a pause, ending in one; raises ClipError if it can't be a voice.

    `total_s` is the length of the whole sound where `samples` are only its start; `truncate` lets it pass 5 minutes. A clip longer
    than the second of `used_s` is cut at the best pause after the first: what the model follows. `short` lets less than half a
    second pass; `speech` refuses what holds none.
    """
    assert samples.ndim == 1, f"a clip is mono, shape (T,), not {samples.shape}"
    total_s = len(samples) / rate if total_s is None else total_s
    if not truncate:
        _check_not_too_long(total_s)
    _check_finite(samples)
    samples, notes = _made_louder(samples, rate)
    lead = _leading_silence(samples, rate)
    samples, total_s = samples[lead:], total_s - lead / rate
    head = np.asarray(samples[: int(used_s[1] * rate)], dtype=np.float32)
    _check_holds_voice(head, rate, short)
    flaws = _judged(np.asarray(samples[: int(USED_S[1] * rate)], np.float32), rate, used_s, speech)
    head = resample(head, rate, target_rate)
    if lead:
        notes = (f"The clip begins with {_spoken(lead / rate)} of silence, which are left out.", *notes)
    if total_s > used_s[1]:
        head, note = _cut_at_pause(head, target_rate, total_s, used_s)
        notes = (*notes, note)
    return Clip(end_on_pause(head, target_rate), notes, flaws)


def _made_louder(samples: Samples, rate: int) -> tuple[Samples, tuple[str, ...]]:
    """A clip that is too quiet, as loud as speech should be if no noise is made loud with it; and the sentence that says so."""
    swing = np.asarray(samples, np.float32)
    swing = swing - swing.mean(dtype=np.float64).astype(np.float32) if len(swing) else swing
    louder = levels.audible(swing)
    level = levels.frame_rms_db(swing, rate)
    if louder is swing or not len(level) or np.ptp(np.percentile(level, [10, 90])) < NOISY_DB:
        return samples, ()
    return louder, (
        f"The clip is too quiet ({levels.rms_dbfs(swing):.0f} dBFS) and was made louder: record it from closer by next time.",
    )


def _judged(samples: Samples, rate: int, used_s: tuple[float, float], speech: bool) -> tuple[str, ...]:
    """The worst that is wrong with a clip; raises ClipError if `speech` is wanted and there is none.

    Loudness that cuts nothing off harms nothing; a model that uses little of a clip needs little of it.
    """
    report = quality_of(samples, rate)
    if speech and report.numbers.speech_s < LEAST_S:
        raise ClipError(f"No voice can be made of this. {report.tip}")
    silent = {Flaw.TOO_HOT}
    if used_s != USED_S:
        silent |= {Flaw.TOO_SHORT} | ({Flaw.NO_SPEECH} if report.numbers.speech_s >= 1.0 else set())
    return tuple(one.sentence for one in report.findings if one.flaw not in silent)[:1]


def _leading_silence(samples: Samples, rate: int) -> int:
    """Samples before the sound begins, but for 0.1 s; 0 if they are less than a second, or all there is."""
    level = levels.frame_rms_db(np.asarray(samples, dtype=np.float32), rate)
    if not len(level):
        return 0
    first = int(np.argmax(level > max(level.max() - _FLOOR_DB, levels.SILENCE_DBFS)))
    lead = (first - _LEAD_FRAMES) * levels.frame_length(rate)
    return lead if lead >= _MOST_LEAD_S * rate else 0


def end_on_pause(samples: Samples, rate: int, pause_s: float = 0.08) -> Samples:
    """The sound without its trailing silence, faded out over its last 20 ms and followed by `pause_s` of zeros.

    Silence is a 20 ms frame more than 35 dB below the loudest; a last partial frame goes with it.
    """
    level = levels.frame_rms_db(samples, rate)
    if not len(level):
        return samples
    loud = np.flatnonzero(level > level.max() - np.float32(_FLOOR_DB))
    end = (int(loud[-1]) + 1) * levels.frame_length(rate)
    kept = samples[:end].astype(np.float32)
    fade = min(int(0.02 * rate), end)
    if fade:
        kept[end - fade :] *= np.linspace(1, 0, fade, dtype=np.float32)
    return np.concatenate([kept, np.zeros(int(pause_s * rate), np.float32)])


def _cut_at_pause(
    samples: Samples, rate: int, total_s: float, used_s: tuple[float, float]
) -> tuple[Samples, str]:
    end = _best_pause(samples, rate, used_s[0])
    if end is None:
        return samples, (
            f"The clip is {_spoken(total_s)} long and has no pause between {used_s[0]:g} and {used_s[1]:g} s: "
            f"it was cut at {used_s[1]:g} s, perhaps inside a word."
        )
    return samples[:end], (
        f"The clip is {_spoken(total_s)} long: its first {end / rate:.1f} s are used, up to a pause."
    )


def _best_pause(samples: Samples, rate: int, least_s: float) -> int | None:
    """Where to cut inside the longest pause of the window, the later of equals; None if there is none."""
    level = levels.frame_rms_db(samples, rate)
    first = int(least_s / levels.FRAME_S)  # frames before it are used in any case
    best, best_length = None, 0
    for start, stop in runs(level[first:] <= _pause_threshold(level)):
        length = min(stop - start, _BEST_PAUSE_FRAMES)
        if length >= max(_PAUSE_FRAMES, best_length):
            best, best_length = first + start + min(length // 2, _INTO_PAUSE_FRAMES), length
    return None if best is None else best * levels.frame_length(rate)


def _pause_threshold(level: npt.NDArray[np.float32]) -> float:
    """The level below which a frame is a pause: 35 dB under the loudest or, over a noise, 6 dB above that noise."""
    noise, voice = np.percentile(level, [10, 90])
    over_noise = min(noise + 6, voice - 12)  # at least 12 dB under the voice, or soft syllables would count
    return float(max(level.max() - _FLOOR_DB, over_noise))


def _check_not_too_long(total_s: float) -> None:
    if total_s > MOST_S:
        raise ClipError(
            f"The clip is {_spoken(total_s)} long; a voice needs 20 to 30 seconds: cut it, "
            "or pass --truncate to use the start."
        )


def _check_finite(samples: Samples) -> None:
    if not np.isfinite(samples).all():
        raise ClipError("The clip holds values that are no sound (NaN or infinite): export it anew.")


def _check_holds_voice(samples: Samples, rate: int, short: bool) -> None:
    """Refuses what is too short, silent, a constant offset, or hardly any sound at all."""
    length_s = len(samples) / rate
    if length_s < LEAST_S and not (short and len(samples)):
        raise ClipError(f"The clip is only {length_s:.1f} s long: record 20 to 30 seconds of speech.")
    swing = samples - samples.mean(dtype=np.float64).astype(np.float32)
    if levels.peak_dbfs(swing) < levels.SILENCE_DBFS:
        if levels.peak_dbfs(samples) >= levels.SILENCE_DBFS:
            raise ClipError(
                "The clip holds no sound, only a constant offset: check the microphone and record it again."
            )
        raise ClipError("The clip is silent: check the microphone and record 20 to 30 seconds of speech.")
    sound_s = levels.FRAME_S * np.count_nonzero(levels.frame_peak_db(swing, rate) >= levels.SILENCE_DBFS)
    if sound_s < LEAST_S and not short:
        raise ClipError(
            f"The clip holds only {sound_s:.2f} s of sound: record 20 to 30 seconds of speech without long pauses."
        )


def _spoken(length_s: float) -> str:
    """A length as people say it: `45 s`, `10 minutes`, `7.5 minutes`, `2.3 hours`."""
    if length_s < 120:
        return f"{length_s:.0f} s"
    if length_s < 7200:
        return f"{length_s / 60:.1f}".removesuffix(".0") + " minutes"
    return f"{length_s / 3600:.1f}".removesuffix(".0") + " hours"
