"""Sound files to be played as they are: read and resampled on a thread of their own. Runs in the worker; knows no player."""

from dataclasses import dataclass

from pocketvoice.audio.chunk import Samples
from pocketvoice.audio.reading import read_audio
from pocketvoice.audio.resample import resample
from pocketvoice.errors import AudioFileError
from pocketvoice.worker.messages import PlayFile

MOST_S = 900.0
"""Of a longer file no more is played."""


@dataclass(frozen=True, eq=False)
class FileSound:
    """The sound of a file, ready to be played."""

    request_id: str
    samples: Samples
    """Mono, (T,), at the player's rate."""


def read_sound(request: PlayFile, sample_rate: int) -> FileSound:
    """The wanted part of the file; raises MissingFileError or AudioFileError."""
    stop_s = min(request.stop_s if request.stop_s is not None else MOST_S, MOST_S)
    recording = read_audio(request.path, max_s=stop_s)
    part = recording.samples[int(max(0.0, request.start_s) * recording.sample_rate) :]
    if not len(part):
        raise AudioFileError(f"{request.path} ends before the part that was to be played.")
    return FileSound(request.request_id, resample(part, recording.sample_rate, sample_rate))
