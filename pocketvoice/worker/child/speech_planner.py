"""How a speech's text is cut: into blocks at once, each block into segments when it is wanted. Main loop only; knows no player.

What was planned is kept with the speech and handed to the engine as it is; the sound of the last speech, with its plan, is kept for
the next one of the same text.
"""

from collections.abc import Callable, Iterable
from itertools import takewhile

from pocketvoice.errors import EmptyTextError
from pocketvoice.playback.partition import SpokenWord
from pocketvoice.playback.store import Cursor, SegmentAudio, SpeechStore
from pocketvoice.text.segment import Segment, sentences_of
from pocketvoice.worker.child.replay import Replay
from pocketvoice.worker.child.speech_queue import QueuedSpeech
from pocketvoice.worker.child.text_blocks import LETTERS, block_at, text_blocks
from pocketvoice.worker.messages import Speak

MOST_PLANNED = 1000
"""So many segments are kept planned beside those planned now: more than an hour of speech, and some megabytes."""


class SpeechPlanner:
    """Plans speeches, with the splitter of the loaded model."""

    def __init__(
        self,
        split: Callable[[str, Speak], Iterable[Segment]],
        *,
        sample_rate: int,
        store_s: float,
        most_planned: int = MOST_PLANNED,
    ) -> None:
        """`split` splits a text, as a request wants it; a store holds `store_s` seconds of sound."""
        self._most_planned = most_planned  # set once
        self.replay = Replay()
        """The last speech, kept for the next one of the same text."""
        self._split = split  # set once
        self._sample_rate = sample_rate  # set once
        self._store_s = store_s  # set once

    def store(self, speech: QueuedSpeech) -> SpeechStore:
        """The one kept of the same text, or a new one; raises EmptyTextError."""
        kept = self.replay.take(speech.request)
        if kept is not None and kept.store is not None:
            speech.blocks, speech.planned = kept.blocks, kept.planned
            return kept.store
        speech.blocks = text_blocks(speech.request.text, speech.request.stop)
        if not speech.blocks:
            raise EmptyTextError("There is no text to speak.")
        spans = [(block.start, block.stop) for block in speech.blocks]
        return SpeechStore(self._sample_rate, spans, capacity_s=self._store_s, rough=True)

    def place(self, speech: QueuedSpeech, store: SpeechStore, source: int) -> Cursor:
        """The start of the sentence that holds an index of the text, with its segment planned so that its sound can begin there."""
        self._plan(speech, store, store.segment_at(source))
        cursor = store.open_at(source)
        self._plan(speech, store, cursor.segment)  # it was cut there
        return store.at(source)

    def to_make(self, speech: QueuedSpeech, store: SpeechStore) -> list[SegmentAudio]:
        """What the engine makes next: segments that follow each other in a block. None if what is left holds nothing to speak."""
        missing = store.missing_from(store.near())
        if missing is not None and self._plan(speech, store, missing):
            missing = store.missing_from(store.near())
        if missing is None:
            return []
        following = store.unmade(missing, block_at(speech.blocks, missing.span[0]).stop)
        return list(takewhile(lambda one: one.span in speech.planned, following))

    def _plan(self, speech: QueuedSpeech, store: SpeechStore, segment: SegmentAudio) -> bool:
        """Splits the text of a segment that is missing and not planned, a few milliseconds; the engine is given what it finds.

        It is a block that was not looked at yet, or what a seek or failed takes have left of a planned segment. The latter is
        split a second time, together with what follows: other words stand together now, and one or two left alone would be
        garbled. False, and nothing happens, if the segment is planned, being made or made.
        """
        is_planned = segment.span in speech.planned and not segment.needs_plan
        if is_planned or segment.complete or segment is store.writing():
            return False
        store.forget_plan(segment)  # of a text so long that what was planned at first is not kept
        request, start = speech.request, segment.span[0]
        block = block_at(speech.blocks, start)
        stop = store.to_plan(segment, block.stop, LETTERS)
        planned = block.plan(request.text, lambda text: self._split(text, request), start, stop)
        for span in list(speech.planned)[: -self._most_planned]:
            del speech.planned[span]
        speech.planned.update((one.span, one) for one in planned)
        words = [_spoken_words(one) for one in planned]
        store.refine(segment, [one.span for one in planned], sentences_of(planned), stop, words)
        return True


def _spoken_words(segment: Segment) -> list[SpokenWord]:
    """Where its words stand, those of one thing together, and how many letters are spoken for each."""
    found: list[SpokenWord] = []
    for (start, stop), count in zip(segment.words, segment.letters, strict=False):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(stop, found[-1][1]), found[-1][2] + count)
        elif stop > start:
            found.append((start, stop, count))
    return found
