"""Faster and slower without a change of pitch: ffmpeg's `atempo` filter through PyAV. At speed 1 the samples pass untouched.

Belongs to one thread. Each stretch begins where the one before was flushed, so a change of speed and the end of a sentence
are places where source and stretched sound agree to the sample.
"""

from fractions import Fraction
from typing import Any

import numpy as np

from pocketvoice.audio.chunk import Samples

_EMPTY = np.zeros(0, np.float32)


class Tempo:
    """Stretches a stream of mono sound."""

    def __init__(self, sample_rate: int) -> None:
        self._rate = sample_rate
        self._speed = 1.0
        self._graph: Any = None  # None: nothing is under way, or the speed is 1
        self._pushed = 0

    @property
    def speed(self) -> float:
        """Seconds of source sound in a second."""
        return self._speed

    def change(self, speed: float) -> Samples:
        """Goes on at another speed; returns what was still under way."""
        rest = self.flush()
        self._speed = speed
        return rest

    def push(self, samples: Samples) -> Samples:
        """Takes sound and returns what is ready."""
        if self._speed == 1.0 or not len(samples):
            return samples
        if self._graph is None:
            self._graph, self._pushed = _graph(self._rate, self._speed), 0
        self._graph.push(self._frame(samples))
        return self._ready()

    def flush(self) -> Samples:
        """What is still under way; the next sound begins a new stretch."""
        if self._graph is None:
            return _EMPTY
        self._graph.push(None)
        rest = self._ready()
        self._graph = None
        return rest

    def drop(self) -> None:
        """Forgets what is under way."""
        self._graph = None

    def _frame(self, samples: Samples) -> Any:
        from av.audio.frame import AudioFrame

        frame = AudioFrame.from_ndarray(np.ascontiguousarray(samples)[None], format="flt", layout="mono")
        frame.sample_rate = self._rate
        frame.time_base = Fraction(1, self._rate)
        frame.pts = self._pushed
        self._pushed += len(samples)
        return frame

    def _ready(self) -> Samples:
        from av.error import BlockingIOError, EOFError

        parts = []
        while True:
            try:
                parts.append(self._graph.pull().to_ndarray().reshape(-1))
            except (BlockingIOError, EOFError):
                return np.concatenate(parts).astype(np.float32, copy=False) if parts else _EMPTY


def _graph(rate: int, speed: float) -> Any:
    """abuffer -> atempo (two above 2, where one would skip samples instead of blending them, and below 0.5) -> abuffersink."""
    from av.filter import Graph

    stages = 2 if speed > 2 or speed < 0.5 else 1
    graph = Graph()
    nodes = [
        graph.add_abuffer(sample_rate=rate, format="flt", layout="mono", time_base=Fraction(1, rate)),
        *(graph.add("atempo", f"{speed ** (1 / stages):.6f}") for _ in range(stages)),
        graph.add("abuffersink"),
    ]
    graph.link_nodes(*nodes).configure()
    return graph
