"""What is missing of a speech is made, and put into its store. On the engine's thread.

It can be broken off at any step, and is taken up again at the sentence that is wanted then.
"""

import contextlib
from collections.abc import Sequence

from pocketvoice.engine.events import SegmentEvent, SegmentEventKind
from pocketvoice.playback.store import SegmentAudio, SpeechStore
from pocketvoice.worker.child.jobs.job import Job
from pocketvoice.worker.child.model_host import ModelHost
from pocketvoice.worker.child.pace import Clock
from pocketvoice.worker.child.scheduler import Kind
from pocketvoice.worker.child.speech_queue import QueuedSpeech


class SpeakOn(Job):
    """Makes the sound of segments that follow each other, as they were planned."""

    kind = Kind.SPEAK

    def __init__(self, speech: QueuedSpeech, store: SpeechStore, segments: Sequence[SegmentAudio]) -> None:
        super().__init__(speech.request_id)
        self.speech = speech  # set once
        self._store = store
        self._segments = segments
        self._planned = [speech.planned[one.span] for one in segments]
        self._index = -1  # of the segment being made
        self._writing: SegmentAudio | None = None  # where its sound goes
        self._is_unwanted = False  # a seek has cut the segment: another place in it is wanted now

    def run(self, host: ModelHost) -> None:
        request, store = self.speech.request, self._store
        state = host.voice(request.voice)
        clock = Clock(host.pace)
        stream = host.stream(
            self._planned, state, self.stop, self._on_segment,
            max_tokens=request.max_tokens, seed=host.seed(request.voice, request.seed),
        )  # fmt: skip
        try:
            with contextlib.closing(stream) as chunks:
                for chunk in chunks:
                    if self._is_unwanted or self.stop.is_set():
                        break
                    store.add(chunk)
                    self._count(clock, len(chunk) / store.sample_rate)
        finally:
            clock.close()
            store.break_off()

    def _count(self, clock: Clock, sound_s: float) -> None:
        clock.count(sound_s)
        self.speech.sound_s += sound_s
        self.speech.made_in_s += clock.lap_s()

    def _on_segment(self, event: SegmentEvent) -> None:
        if event.kind is SegmentEventKind.FINISHED:
            self._store.end()
        elif event.kind is SegmentEventKind.STARTED and not self._is_unwanted:
            if (
                event.index != self._index
            ):  # else another take of it, or a part of it because its takes failed
                self._index, self._writing = event.index, self._segments[event.index]
            self._writing = self._store.begin(event.segment.span, self._writing)
            self._is_unwanted = self._writing is None
