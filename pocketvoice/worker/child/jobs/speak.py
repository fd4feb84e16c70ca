"""What is missing of a speech is made, and put into its store. On the engine's thread.

It can be broken off at any step, and is taken up again at the sentence that is wanted then.
"""

import contextlib

from pocketvoice.engine.events import SegmentEvent, SegmentEventKind
from pocketvoice.errors import EmptyTextError
from pocketvoice.playback.store import SegmentAudio, SpeechStore
from pocketvoice.worker.child.jobs.job import Job
from pocketvoice.worker.child.model_host import ModelHost
from pocketvoice.worker.child.pace import Clock
from pocketvoice.worker.child.scheduler import Kind
from pocketvoice.worker.child.speech_queue import QueuedSpeech
from pocketvoice.worker.child.text_blocks import block_at


class SpeakOn(Job):
    """Make what is missing of a speech, from the sentence on that is wanted first."""

    kind = Kind.SPEAK

    def __init__(self, speech: QueuedSpeech, store: SpeechStore, first: SegmentAudio) -> None:
        """`first` is the segment to begin at; the job ends with its stretch at the latest."""
        super().__init__(speech.request_id)
        self.speech = speech
        self._store = store
        self._first = first
        self._enough = False
        self._has_begun = False

    def run(self, host: ModelHost) -> None:
        request = self.speech.request
        state = host.voice(request.voice)
        store, first = self._store, self._first
        begin = first.span[0]
        stretch = block_at(self.speech.stretches, begin)
        made = store.next_made(first)
        text = stretch.text(request.text, begin, made if made is not None and made < stretch.stop else None)
        clock = Clock(host.pace)
        try:
            stream = host.stream(
                text, state, self.stop, lambda event: self._on_segment(event, begin),
                max_tokens=request.max_tokens, seed=host.seed(request.voice, request.seed),
            )  # fmt: skip
            with contextlib.closing(stream) as chunks:
                for chunk in chunks:
                    if self._enough or self.stop.is_set():
                        break
                    store.add(chunk)
                    self._count(clock, len(chunk) / store.sample_rate)
        except EmptyTextError:
            store.give_up(first)
        finally:
            clock.close()
            store.break_off()
        if not self._enough and not self.stop.is_set() and not first.complete and not first.gone:
            store.give_up(first)  # its words went to a neighbour

    def _count(self, clock: Clock, sound_s: float) -> None:
        clock.count(sound_s)
        self.speech.sound_s += sound_s
        self.speech.made_in_s += clock.lap_s()

    def _on_segment(self, event: SegmentEvent, begin: int) -> None:
        store = self._store
        start, stop = event.segment.span
        span = (begin + start, begin + stop)
        if event.kind is SegmentEventKind.FINISHED:
            store.end()
        elif event.kind is SegmentEventKind.STARTED:
            if not event.discard_samples and store.is_made(span):
                self._enough = True
                if span[0] >= self._first.span[1]:
                    store.give_up(self._first)
            elif not self._has_begun and self._first.gone:
                self._enough = True  # another place in it is wanted now
            elif not self._enough:
                self._has_begun = True
                store.begin(span)
