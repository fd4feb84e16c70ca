"""What PortAudio says when it refuses, as our errors: for the two modules that load it, playback's output and the recorder."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from pocketvoice.errors import AudioDeviceError


def reason(exc: Exception | None) -> str:
    """PortAudio's own words for an error, without its number."""
    text = str(exc.args[0]) if exc is not None and exc.args else "no reason given"
    return text.split(" [PaErrorCode")[0].rstrip(".")


@contextmanager
def told_import_errors() -> Iterator[None]:
    """Around the import of sounddevice: raises AudioDeviceError if it or PortAudio is missing, or the sound system fails."""
    try:
        yield
    except AudioDeviceError:
        raise
    except (ImportError, OSError) as exc:
        remedy = ": install the package libportaudio2" if sys.platform.startswith("linux") else ""
        raise AudioDeviceError(f"The sound library PortAudio is missing{remedy}.", detail=repr(exc)) from exc
    except Exception as exc:  # PortAudioError, which has no name before the import succeeds
        raise AudioDeviceError(f"The sound system can't be used: {reason(exc)}.", detail=repr(exc)) from exc
