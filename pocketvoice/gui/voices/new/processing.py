"""What is done on threads for a voice being made: reading, looking for the best part, judging, saving. No widgets, no Qt; the
libraries for sound are loaded here and not by the window.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pocketvoice.gui.voices.new.draft_store import Chosen

if TYPE_CHECKING:
    from pocketvoice.audio.imported import Source
    from pocketvoice.audio.quality import QualityReport
    from pocketvoice.voices.draft import Draft
    from pocketvoice.voices.voice import Voice

_COLUMNS = 1200  # of the waveform's picture
_PREVIEW_S = 20.0


@dataclass(frozen=True)
class SpokenTake:
    """The sentence, spoken with one seed."""

    seed: int
    path: Path


def read_source(path: str) -> "Source":
    """The sound of a file."""
    from pocketvoice.audio import imported

    return imported.read_source(path)


def looked_at(source: "Source") -> tuple[tuple[float, ...], tuple[float, float]]:
    """The picture of a sound and its best part."""
    from pocketvoice.audio.imported import best_part, waveform

    start, stop = best_part(source.samples, source.sample_rate)
    picture = waveform(source.samples, _COLUMNS)
    peaks = tuple(float(high) for high in abs(picture).max(axis=1).clip(0.0, 1.0))
    return peaks, (start / source.sample_rate, stop / source.sample_rate)


def judged(source: "Source", part_s: tuple[float, float]) -> "tuple[tuple[float, float], QualityReport]":
    """Where the clip begins and ends, in pauses near those of the part, and how good it is."""
    from pocketvoice.audio.imported import snapped
    from pocketvoice.audio.quality import quality_of

    rate = source.sample_rate
    start, stop = snapped(source.samples, rate, round(part_s[0] * rate), round(part_s[1] * rate))
    return (start / rate, stop / rate), quality_of(source.samples[start:stop], rate)


def saved(draft: "Draft", chosen: Chosen, take: SpokenTake | None, source: str) -> "Voice":
    """The voice in the library; the start of the chosen take is what is played from the list."""
    from pocketvoice.audio.reading import read_audio
    from pocketvoice.voices import consent
    from pocketvoice.voices.voice import NewVoice

    if take is not None:
        draft.set_preview(read_audio(take.path, max_s=_PREVIEW_S).samples)
    agreed = consent.sentence() if chosen.consented else ""
    seed = take.seed if take is not None else None
    return draft.save(NewVoice(chosen.name, chosen.language, consent=agreed, source=source, seed=seed))
