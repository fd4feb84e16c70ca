"""The speeches of the worker and their order. Plain data and rules: no threads, no engine, no sound. Belongs to the main loop."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from pocketvoice.playback.store import SpeechStore
from pocketvoice.text.segment import Segment
from pocketvoice.worker.child.text_blocks import TextBlock
from pocketvoice.worker.messages import Preview, Priority, Span, Speak, Stats

AHEAD_S = 60.0
"""With so much made ahead of the ear the engine begins no other part of the text."""
_NEXT_AHEAD_S = 8.0
"""How much of the next speech in the queue is made before its turn."""
_AGAIN = 0.75
"""Below this part of it the engine takes up work again."""


@dataclass(eq=False)
class QueuedSpeech:
    """One text to be spoken."""

    request: Speak
    arrived_at: float = field(default_factory=time.monotonic)  # or when its turn came
    store: SpeechStore | None = None  # None until there is a model to split the text
    blocks: list[TextBlock] = field(default_factory=list)
    planned: dict[Span, Segment] = field(default_factory=dict)
    """What the engine is given for a segment of the store; of a long text only the segments planned last."""
    source: int = 0  # the start of the sentence it is at, in the text: where it goes on after an interruption
    has_begun: bool = False
    is_file: bool = False  # a sound that was read, not made
    told: Span | None = None  # the sentence the client was told of
    paused: bool = False  # how it was when it was interrupted
    was_heard: bool = False
    underruns_before: int = 0
    sound_s: float = 0.0  # the engine's thread counts
    made_in_s: float = 0.0  # the engine's thread counts
    first_sound_s: float | None = None

    @property
    def request_id(self) -> str:
        """Of the request it answers."""
        return self.request.request_id

    def needs_sound(self, *, is_next: bool, is_being_made: bool) -> bool:
        """Whether the engine should work for it."""
        if self.store is None:
            return False
        limit_s = _NEXT_AHEAD_S if is_next else AHEAD_S
        if not is_being_made:
            limit_s *= _AGAIN
        return self.store.missing_from(self.store.near()) is not None and (
            self.store.ahead_of_player_s() < limit_s
        )

    def stats(self, underruns: int) -> Stats:
        """What it came to; `underruns` is the player's count now."""
        broke_off = underruns - self.underruns_before if self.was_heard else 0
        return Stats(self.sound_s, self.made_in_s, self.first_sound_s, broke_off)


def speech_of(request: Speak | Preview) -> QueuedSpeech:
    """The speech of a request."""
    if isinstance(request, Speak):
        return QueuedSpeech(request, source=request.start)
    priority = Priority.NOW_THEN_RESUME
    return QueuedSpeech(Speak(request.text, request.voice, priority, request_id=request.request_id))


class SpeechQueue:
    """The speeches in order; the first one is current."""

    def __init__(self) -> None:
        self._speeches: list[QueuedSpeech] = []

    @property
    def current(self) -> QueuedSpeech | None:
        """The one whose turn it is."""
        return self._speeches[0] if self._speeches else None

    def __iter__(self) -> Iterator[QueuedSpeech]:
        """All of them, in order."""
        return iter(list(self._speeches))

    def __len__(self) -> int:
        return len(self._speeches)

    def add(self, speech: QueuedSpeech) -> list[QueuedSpeech]:
        """Takes a speech in by its priority; returns those it replaces."""
        if speech.request.priority is Priority.ENQUEUE:
            self._speeches.append(speech)
            return []
        if speech.request.priority is Priority.NOW_THEN_RESUME:
            self._speeches.insert(0, speech)
            return []
        replaced, self._speeches = self._speeches, [speech]
        return replaced

    def remove(self, speech: QueuedSpeech) -> None:
        """Takes out a speech that has ended; nothing if it is not in it."""
        self._speeches.remove(speech)

    def find(self, request_id: str) -> QueuedSpeech | None:
        """The one of a request."""
        return next((speech for speech in self._speeches if speech.request_id == request_id), None)
