"""The file of a voice state: whether it is one, told without torch, so that a mistake is told before anything heavy starts."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import safetensors

from pocketvoice.errors import MissingFileError, VoiceStateError

SUFFIX = ".safetensors"


@contextmanager
def opened(path: Path, framework: Literal["np", "pt"]) -> Iterator[Any]:
    """The file, as safetensors reads it, once it is known to be whole and to hold `<module>/<name>` tensors only.

    Raises MissingFileError or VoiceStateError, also for what goes wrong while it is read.
    """
    try:
        with safetensors.safe_open(path, framework=framework) as file:
            foreign = [key for key in file.keys() if "/" not in key]  # noqa: SIM118 - not a dict
            if foreign:
                raise VoiceStateError(
                    f"{path} is not a voice file, it holds other tensors ({foreign[0]}): "
                    "give a file that `export-voice` has made."
                )
            yield file
    except VoiceStateError:
        raise
    except FileNotFoundError as exc:
        raise MissingFileError(f"Voice file {path} does not exist: check the path.") from exc
    except (safetensors.SafetensorError, OSError, ValueError) as exc:
        raise VoiceStateError(
            f"Voice file {path} is damaged or cut short: copy it again, or make the voice again from its clip.",
            detail=str(exc),
        ) from exc
