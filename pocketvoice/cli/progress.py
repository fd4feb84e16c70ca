"""What is told on standard error beside errors: notices, and progress where it is a terminal."""

import sys
import time

from pocketvoice.cli import streams


def tell(sentence: str, *, quiet: bool) -> None:
    """Prints a notice, unless the user wants quiet."""
    if not quiet:
        streams.show(sentence, error=True)


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
