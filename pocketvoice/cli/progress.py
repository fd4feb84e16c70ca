"""What is told on standard error beside errors: notices, and progress where it is a terminal."""

import sys
import time
from types import TracebackType
from typing import Any, Self

from pocketvoice.cli import streams
from pocketvoice.hub.progress import DownloadProgress

_WORTH_A_LINE = 10e6  # bytes: a silence of some seconds


def tell(sentence: str, *, quiet: bool) -> None:
    """Prints a notice, unless the user wants quiet."""
    if not quiet:
        streams.show(sentence, error=True)


class DownloadBar:
    """One bar a file, or one line for a large one where there is no terminal; its `update` is a download's callback."""

    def __init__(self, quiet: bool = False) -> None:
        self._quiet = quiet
        self._is_terminal = sys.stderr.isatty()
        self._bar: Any = None
        self._file = ""

    def update(self, progress: DownloadProgress) -> None:
        """Shows the newest state."""
        if self._quiet:
            return
        if progress.file != self._file or (self._bar is None and self._is_terminal):
            self.close()
            self._begin(progress)
        if self._bar is not None:
            self._bar.total = progress.total_bytes
            self._bar.n = progress.done_bytes
            self._bar.refresh()

    def _begin(self, progress: DownloadProgress) -> None:
        self._file = progress.file
        size = progress.total_bytes or 0
        if self._is_terminal:
            self._bar = _new_bar(progress)
        elif size - progress.done_bytes > _WORTH_A_LINE:
            streams.show(f"Downloading {progress.file}, {size / 1e6:.0f} MB.", error=True)

    def close(self) -> None:
        """Takes the bar away."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _new_bar(progress: DownloadProgress) -> Any:
    from tqdm import tqdm

    return tqdm(
        total=progress.total_bytes, initial=progress.done_bytes, desc=progress.file, unit="B", unit_scale=True, leave=False
    )  # fmt: skip


class SpeechLine:
    """`12.3 s of sound, 4.1x real time`, rewritten in place."""

    def __init__(self, quiet: bool = False) -> None:
        self._enabled = sys.stderr.isatty() and not quiet
        self._started = time.monotonic()
        self._shown = 0.0

    def update(self, sound_s: float) -> None:
        """Shows how much sound was made, at most five times a second."""
        now = time.monotonic()
        if self._enabled and now - self._shown > 0.2:
            self._shown = now
            speed = sound_s / max(now - self._started, 1e-6)
            sys.stderr.write(f"\r{sound_s:.1f} s of sound, {speed:.1f}x real time ")
            sys.stderr.flush()

    def close(self) -> None:
        """Takes the line away."""
        if self._enabled and self._shown:
            sys.stderr.write("\r" + " " * 50 + "\r")
            sys.stderr.flush()
