"""What the engine's thread can be given to do, each a small story: speak on, export on, load, make a voice.

Runs on the engine's thread, with the model in its hands. A job tells the main loop how it ended through `EngineThread`, sends
progress events itself, and writes sound where it belongs. Speaking and exporting can be broken off at any step and
taken up again at the sentence they were at.
"""

import contextlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path

import numpy as np

from pocketvoice.audio.chunk import Samples
from pocketvoice.audio.wav import WavWriter
from pocketvoice.engine.events import SegmentEvent, SegmentEventKind
from pocketvoice.engine.voice_state import VoiceState
from pocketvoice.errors import EmptyTextError, OutputError
from pocketvoice.hub.progress import DownloadProgress as Download
from pocketvoice.playback.store import SegmentAudio, SpeechStore
from pocketvoice.playback.tempo import Tempo
from pocketvoice.worker.child.model_host import ModelHost
from pocketvoice.worker.child.pace import Clock
from pocketvoice.worker.child.speech_queue import QueuedSpeech
from pocketvoice.worker.child.text_blocks import TextBlock, block_at, text_blocks
from pocketvoice.worker.messages import (
    CloneVoice,
    Event,
    Export,
    ExportProgress,
    Loading,
    LoadModel,
    Ready,
    Span,
    Stats,
    VoiceCloned,
)

Send = Callable[[Event], None]


class Job(ABC):
    """Something for the engine."""

    def __init__(self, request_id: str) -> None:
        self.request_id = request_id  # set once
        self.stop = threading.Event()  # set by the main loop

    @abstractmethod
    def run(self, host: ModelHost) -> None:
        """Does it; returns early when `stop` is set. Raises what goes wrong."""


class Load(Job):
    """Load a model."""

    def __init__(self, request: LoadModel, send: Send) -> None:
        super().__init__(request.request_id)
        self.ready: Ready | None = None  # the result
        self._request = request
        self._send = send

    def run(self, host: ModelHost) -> None:
        self.ready = host.load(self._request, self._on_progress, self.stop)

    def _on_progress(self, download: Download) -> None:
        done, total = download.done_bytes, download.total_bytes
        self._send(Loading(self.request_id, download.file, done, total, download.bytes_per_second))


class Clone(Job):
    """Make a voice file."""

    def __init__(self, request: CloneVoice) -> None:
        super().__init__(request.request_id)
        self.made: VoiceCloned | None = None  # the result
        self._request = request

    def run(self, host: ModelHost) -> None:
        path = self._request.path
        if not Path(path).absolute().parent.is_dir():
            raise OutputError(f"Can't write {path}: its folder does not exist.")
        notes = host.export_voice(self._request.source, path, self._request.truncate)
        self.made = VoiceCloned(self.request_id, path, notes)
        if self.stop.is_set():
            Path(path).unlink(missing_ok=True)


class SpeakOn(Job):
    """Make what is missing of a speech, from the sentence on that is wanted first."""

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


class ExportOn(Job):
    """Write what is missing of a file; a sentence is written when it is complete."""

    def __init__(self, export: "ExportFile", send: Send) -> None:
        super().__init__(export.request.request_id)
        self.export = export  # set once
        self._send = send
        self._sentence: list[Samples] = []

    def run(self, host: ModelHost) -> None:
        export, request = self.export, self.export.request
        export.open(host.model.sample_rate)
        state = host.voice(request.voice)
        parts = text_blocks(request.text)
        while export.done_to < len(request.text) and not self.stop.is_set():
            part = block_at(parts, export.done_to)
            self._run_stretch(host, state, part)
            if not self.stop.is_set():
                export.done_to = part.stop
        if not self.stop.is_set():
            export.finish()

    def _run_stretch(self, host: ModelHost, state: VoiceState, part: TextBlock) -> None:
        export, request = self.export, self.export.request
        begin = export.done_to
        text = part.text(request.text, begin)
        clock = Clock(host.pace)
        try:
            stream = host.stream(
                text, state, self.stop, lambda event: self._on_segment(event, begin),
                max_tokens=request.max_tokens, seed=host.seed(request.voice, request.seed),
            )  # fmt: skip
        except EmptyTextError:
            if begin == 0 and part.stop == len(request.text):
                raise
            return  # nothing to be spoken in this part, or broken off behind its last word
        with contextlib.closing(stream) as chunks:
            for chunk in chunks:
                clock.count(len(chunk) / host.model.sample_rate)
                if self.stop.is_set():
                    return
                self._sentence.append(chunk)
                export.made_in_s += clock.lap_s()

    def _on_segment(self, event: SegmentEvent, begin: int) -> None:
        if event.kind is SegmentEventKind.STARTED:
            self._sentence = []  # what it holds is a take that failed: whole ones were written
        elif event.kind is SegmentEventKind.FINISHED and not self.stop.is_set():
            start, stop = event.segment.span
            self.export.write(self._sentence, (begin + start, begin + stop))
            self._sentence = []
            self._send(self.export.progress())


class ExportFile:
    """The file of an export; the engine's thread writes, the main loop drops it."""

    def __init__(self, request: Export) -> None:
        self.request = request  # set once
        self.done_to = 0  # index of the text behind the last sentence written
        self.sound_s = 0.0
        self.made_in_s = 0.0
        self.is_complete = False
        self._wav: WavWriter | None = None
        self._tempo: Tempo | None = None

    def open(self, sample_rate: int) -> None:
        """Unless it is open."""
        if self._wav is None:
            self._wav = WavWriter(self.request.path, sample_rate)
            self._tempo = Tempo(sample_rate)
            self._tempo.change(self.request.speed)

    def write(self, chunks: list[Samples], span: Span) -> None:
        """Appends a sentence."""
        assert self._wav is not None
        assert self._tempo is not None
        samples = np.concatenate([*(self._tempo.push(chunk) for chunk in chunks), self._tempo.flush()])
        self._wav.write(samples.astype(np.float32, copy=False))
        self.sound_s = self._wav.samples_written / self._wav.sample_rate
        self.done_to = span[1]

    def stats(self) -> Stats:
        """What it came to."""
        return Stats(self.sound_s, self.made_in_s)

    def progress(self) -> ExportProgress:
        """How far it is."""
        return ExportProgress(self.request.request_id, self.done_to / len(self.request.text), self.sound_s)

    def finish(self) -> None:
        """Puts the file in its place."""
        assert self._wav is not None
        self._wav.close()
        self.is_complete = True

    def drop(self) -> None:
        """Leaves no file behind, unless it is complete."""
        if self._wav is not None:
            self._wav.abort()
