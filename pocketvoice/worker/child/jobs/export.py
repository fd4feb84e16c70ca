"""A text is spoken into a WAV file, a segment written when it is complete.

The job can be broken off at any step and is taken up again behind the last segment written. It runs on the engine's thread; the
main loop drops the file of a request that ends before it is complete.
"""

import contextlib
from functools import partial

import numpy as np

from pocketvoice.audio.chunk import Samples
from pocketvoice.audio.wav import WavWriter
from pocketvoice.engine.events import SegmentEvent, SegmentEventKind
from pocketvoice.engine.voice_state import VoiceState
from pocketvoice.errors import EmptyTextError
from pocketvoice.playback.tempo import Tempo
from pocketvoice.worker.child.jobs.job import BackgroundRequest, Job, Send
from pocketvoice.worker.child.model_host import ModelHost
from pocketvoice.worker.child.pace import Clock
from pocketvoice.worker.child.scheduler import Kind
from pocketvoice.worker.child.text_blocks import TextBlock, block_at, text_blocks
from pocketvoice.worker.messages import Export, ExportProgress, Span, Stats


class ExportFile(BackgroundRequest):
    """The request and its file; the engine's thread writes, the main loop drops it."""

    kind = Kind.EXPORT

    def __init__(self, request: Export) -> None:
        super().__init__(request.request_id)
        self.request = request  # set once
        self.done_to = 0  # index of the text behind the last segment written
        self.sound_s = 0.0
        self.made_in_s = 0.0
        self.is_complete = False  # the file is in its place
        self._wav: WavWriter | None = None
        self._tempo: Tempo | None = None

    def job(self, send: Send) -> Job:
        return ExportOn(self, send)

    @property
    def is_done(self) -> bool:
        return self.is_complete

    def open(self, sample_rate: int) -> None:
        """Opens the file beside its place, unless it is open."""
        if self._wav is None:
            self._wav = WavWriter(self.request.path, sample_rate)
            self._tempo = Tempo(sample_rate)
            self._tempo.change(self.request.speed)

    def write(self, chunks: list[Samples], span: Span) -> None:
        """Appends the sound of a segment that stands at `span` of the text."""
        assert self._wav is not None
        assert self._tempo is not None
        samples = np.concatenate([*(self._tempo.push(chunk) for chunk in chunks), self._tempo.flush()])
        self._wav.write(samples.astype(np.float32, copy=False))
        self.sound_s = self._wav.samples_written / self._wav.sample_rate
        self.done_to = span[1]

    def stats(self) -> Stats:
        return Stats(self.sound_s, self.made_in_s)

    def progress(self) -> ExportProgress:
        """How far it is, for the client."""
        return ExportProgress(self.request.request_id, self.done_to / len(self.request.text), self.sound_s)

    def finish(self) -> None:
        """Puts the file in its place."""
        assert self._wav is not None
        self._wav.close()
        self.is_complete = True

    def drop(self) -> None:
        if self._wav is not None:
            self._wav.abort()


class ExportOn(Job):
    """Write what is missing of a file; a segment is written when it is complete."""

    kind = Kind.EXPORT

    def __init__(self, export: ExportFile, send: Send) -> None:
        super().__init__(export.request_id)
        self.export = export  # set once
        self._send = send
        self._segment: list[Samples] = []  # the sound of the one being made

    def run(self, host: ModelHost) -> None:
        export, request = self.export, self.export.request
        export.open(host.model.sample_rate)
        state = host.voice(request.voice)
        blocks = text_blocks(request.text)
        while export.done_to < len(request.text) and not self.stop.is_set():
            block = block_at(blocks, export.done_to)
            self._run_block(host, state, block)
            if not self.stop.is_set():
                export.done_to = block.stop
        if not self.stop.is_set():
            export.finish()

    def clean_up(self) -> None:
        self.export.drop()

    def _run_block(self, host: ModelHost, state: VoiceState, block: TextBlock) -> None:
        """What is missing of a block: it is split from there on, for it may have been broken off between two parts of a segment."""
        export, request = self.export, self.export.request
        begin = export.done_to
        segments = block.plan(request.text, partial(host.segments, request=request), begin)
        if not segments:
            if begin == 0 and block.stop == len(request.text):
                raise EmptyTextError("The text holds nothing that can be spoken.")
            return  # nothing to be spoken in this block, or broken off behind its last word
        clock = Clock(host.pace)
        stream = host.stream(
            segments, state, self.stop, self._on_segment,
            max_tokens=request.max_tokens, seed=host.seed(request.voice, request.seed),
        )  # fmt: skip
        with contextlib.closing(stream) as chunks:
            for chunk in chunks:
                clock.count(len(chunk) / host.model.sample_rate)
                if self.stop.is_set():
                    return
                self._segment.append(chunk)
                export.made_in_s += clock.lap_s()

    def _on_segment(self, event: SegmentEvent) -> None:
        if event.kind is SegmentEventKind.STARTED:
            self._segment = []  # what it holds is a take that failed: whole ones were written
        elif event.kind is SegmentEventKind.FINISHED and not self.stop.is_set():
            self.export.write(self._segment, event.segment.span)
            self._segment = []
            self._send(self.export.progress())
