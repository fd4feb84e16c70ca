"""What is done on threads for a voice being made: reading, finding the best part, judging, saving. No widgets, no Qt.

The libraries for sound are imported inside the functions, so that the window does not load them.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pocketvoice.gui.voices.new.draft_store import Choices

if TYPE_CHECKING:
    from pocketvoice.audio.imported import Source
    from pocketvoice.audio.quality import QualityReport
    from pocketvoice.voices.draft import Draft
    from pocketvoice.voices.voice import Voice

Span = tuple[float, float]
"""Start and stop within a sound, in seconds."""

_COLUMNS = 1200  # of the waveform's picture
_PREVIEW_S = 20.0


@dataclass(frozen=True)
class SpokenTake:
    """The sentence, spoken with one seed."""

    seed: int
    path: Path


def read_source(path: str) -> "Source":
    """The sound of a file; raises InputError or AudioFileError."""
    from pocketvoice.audio import imported

    return imported.read_source(path)


def peaks_and_best_part(source: "Source") -> tuple[tuple[float, ...], Span]:
    """The largest amplitude (0 to 1) in each column of the waveform, and the part that makes the best voice."""
    from pocketvoice.audio.imported import best_part, waveform

    start, stop = best_part(source.samples, source.sample_rate)
    picture = waveform(source.samples, _COLUMNS)
    peaks = tuple(float(high) for high in abs(picture).max(axis=1).clip(0.0, 1.0))
    return peaks, (start / source.sample_rate, stop / source.sample_rate)


def judge(source: "Source", part_s: Span) -> "tuple[Span, QualityReport]":
    """The clip, whose ends lie in pauses near those of the part, and how good it is."""
    from pocketvoice.audio.imported import snapped
    from pocketvoice.audio.quality import quality_of

    rate = source.sample_rate
    start, stop = snapped(source.samples, rate, round(part_s[0] * rate), round(part_s[1] * rate))
    return (start / rate, stop / rate), quality_of(source.samples[start:stop], rate)


def save(draft: "Draft", choices: Choices, take: SpokenTake | None, source: str) -> "Voice":
    """Saves the draft as a voice of the library; the start of the chosen take is what the list plays."""
    from pocketvoice.audio.reading import read_audio
    from pocketvoice.voices import consent
    from pocketvoice.voices.voice import NewVoice

    if take is not None:
        draft.set_preview(read_audio(take.path, max_s=_PREVIEW_S).samples)
    agreed = consent.sentence() if choices.consented else ""
    seed = take.seed if take is not None else None
    return draft.save(NewVoice(choices.name, choices.language, consent=agreed, source=source, seed=seed))
