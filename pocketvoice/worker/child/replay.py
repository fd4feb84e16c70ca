"""The sound of the last speech is kept for a while: the same text again, from any place, begins from it at once. Main loop only."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pocketvoice.text.pronunciations import UserPronunciations
from pocketvoice.worker.child.speech_queue import QueuedSpeech
from pocketvoice.worker.messages import Speak

KEPT_S = 300.0
"""So long after its end. A quarter of an hour of speech is 86 MB."""


@dataclass(frozen=True)
class _Key:
    """What makes a speech the same."""

    text: str
    stop: int | None
    voice: str | None
    voice_changed_at: float
    seed: int | None
    max_tokens: int | None
    normalise: bool
    text_language: str | None
    names_emoji: bool
    pronunciations: object


class Replay:
    """Keeps at most one speech: the last that ended."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s  # set once
        self._key: _Key | None = None
        self._speech: QueuedSpeech | None = None
        self._since = 0.0

    def keep(self, speech: QueuedSpeech) -> None:
        """One that has ended, and nothing was wrong with it."""
        if speech.store is not None and not speech.is_file:
            self._key, self._speech, self._since = _key(speech.request), speech, self._now_s()

    def take(self, request: Speak) -> QueuedSpeech | None:
        """The speech whose sound and plan serve a new request, if it was kept: they are the new one's then."""
        speech = self._speech
        if speech is None or speech.store is None or _key(request) != self._key:
            return None
        self.forget()
        return speech

    def forget(self) -> None:
        """Drops what is kept: another model would speak it otherwise."""
        self._key = self._speech = None

    def tick(self) -> None:
        """Now and then: it is not kept for ever."""
        if self._speech is not None and self._now_s() - self._since > KEPT_S:
            self.forget()


def _key(request: Speak) -> _Key:
    try:
        changed_at = Path(request.voice or "").stat().st_mtime if request.voice else 0.0
    except (OSError, ValueError):  # a name, and no file
        changed_at = 0.0
    return _Key(
        request.text, request.stop, request.voice, changed_at, request.seed, request.max_tokens,
        request.normalise, request.text_language, request.names_emoji, UserPronunciations().stamp(),
    )  # fmt: skip
