"""The child's side of `engine.bench`: loads a model with a package that has the reference's API and does what it is asked.

A line of JSON in, a line of JSON out; what goes wrong is an answer too. Run with `python -m`.
"""

import importlib
import json
import logging
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pocketvoice.audio.chunk import Samples
from pocketvoice.engine.bench import OURS, SENTENCES, TEXT, Contest, Gaps, Minute, Round, leads
from pocketvoice.engine.events import SegmentEvent, SegmentEventKind

RATE = 24_000


class Child:
    """A loaded model and what can be asked of it."""

    def __init__(self, contest: Contest) -> None:
        model_class = importlib.import_module(contest.package).TTSModel  # ours is imported with its name
        self._is_ours = contest.package == OURS
        self._contest = contest
        extra: dict[str, Any] = {"quantize": contest.precision == "int8"}
        if self._is_ours:
            extra = {"precision": contest.precision}
        source = {"config" if contest.is_file else "language": contest.config}
        torch.set_num_threads(contest.threads)
        started = time.perf_counter()
        self.model = model_class.load_model(**source, **extra)
        self.load_s = time.perf_counter() - started
        torch.set_num_threads(contest.threads)  # the reference sets it too
        self._state = self.model.get_state_for_audio_prompt(contest.voice)
        self._cloned = cache(self._clone)

    def loaded(self) -> dict[str, Any]:
        """What there is to know of the model, asked once at the start."""
        precision = self.model.precision if self._is_ours else self._contest.precision
        cloning = bool(self.model.has_voice_cloning)
        layers = self.model.config.flow_lm.transformer.num_layers
        return {"load_s": self.load_s, "precision": precision, "cloning": cloning, "layers": layers}

    def speak(self, voice_s: float | None, threads: int) -> dict[str, Any]:
        """Speaks the text once; the fields of a `Round`."""
        torch.set_num_threads(threads)
        self.model.threads = threads  # ours borrows so many
        state = self._state if voice_s is None else self._cloned(voice_s)
        torch.manual_seed(0)
        extra = {"no_eos": "keep", "strict": True} if self._is_ours else {}
        started = time.perf_counter()
        first = samples = 0.0
        for chunk in self.model.generate_audio_stream(state, TEXT, **extra):
            first = first or time.perf_counter() - started
            samples += chunk.shape[-1]
        return asdict(Round(samples / RATE, time.perf_counter() - started, first))

    def gaps(self) -> dict[str, Any]:
        """Speaks four sentences; the fields of `Gaps`."""
        torch.manual_seed(0)
        take = BenchTake()
        if self._is_ours:
            text, split = " ".join(SENTENCES), {"strict": True, "max_tokens": 1}  # never amid a sentence
            for chunk in self.model.generate_audio_stream(
                self._state, text, **split, no_eos="keep", on_segment=take.on_segment
            ):
                take.add(chunk)
        else:
            for sentence in SENTENCES:  # as the reference itself goes on, one call after the other
                take.begin_segment()
                for chunk in self.model.generate_audio_stream(self._state, sentence):
                    take.add(chunk)
        return asdict(take.gaps())

    def clone(self, seconds: float) -> dict[str, Any]:
        """Makes a voice of so many seconds of sound; tells how long it took."""
        clip = torch.from_numpy(speech_like(seconds))[None]
        started = time.perf_counter()
        self.model.get_state_for_audio_prompt(clip)
        return {"took_s": time.perf_counter() - started}

    def memory(self) -> dict[str, Any]:
        """The largest resident size so far, bytes."""
        return {"bytes": memory("VmHWM")}

    def minutes(self, count: int) -> None:
        """Speaks so many minutes in one go, and answers once a minute of sound."""
        text = " ".join([TEXT] * (count * 30))  # a sentence is three seconds and more
        samples = counted = minute = 0
        since = 0.0  # when so many samples as are `counted` were there
        extra = {"no_eos": "keep"} if self._is_ours else {}
        with closing(self.model.generate_audio_stream(self._state, text, **extra)) as chunks:
            for chunk in chunks:
                samples += chunk.shape[-1]
                now = time.perf_counter()
                if samples >= (minute + 1) * 60 * RATE:
                    minute += 1
                    speed = (samples - counted) / RATE / (now - since)
                    reply(**asdict(Minute(minute, speed, memory("VmRSS"))))
                    since, counted = now, samples
                if minute == count:
                    return
                if not counted:
                    since, counted = now, samples

    def errors(self, frames: int) -> dict[str, float]:
        """Relative error of the latents at each precision, over so many frames."""
        from pocketvoice.engine.precision import latent_errors
        from pocketvoice.engine.voice_state import to_layers

        voice = to_layers(self._state, self.model._speaker.cache.shape)
        tokens = next(self.model.segments(TEXT)).tokens
        return latent_errors(self.model._loaded.network, voice, tokens, frames)

    def _clone(self, seconds: float) -> Any:
        return self.model.get_state_for_audio_prompt(torch.from_numpy(speech_like(seconds))[None])


class BenchTake:
    """The chunks of a text, with when they came and where its segments begin."""

    def __init__(self) -> None:
        self._chunks: list[Samples] = []
        self._came_at: list[float] = []
        self._begun: list[int] = []  # for each segment, how many chunks there were before it
        self._pauses: list[int] = []  # samples of silence after each segment that the text asks for

    def begin_segment(self) -> None:
        """The next chunk is another segment's."""
        self._begun.append(len(self._chunks))

    def on_segment(self, event: SegmentEvent) -> None:
        """The same, from our engine's events."""
        if event.kind is SegmentEventKind.STARTED:
            self.begin_segment()
        elif event.kind is SegmentEventKind.FINISHED:
            self._pauses.append(int(event.segment.pause_after_s * RATE))

    def add(self, chunk: torch.Tensor) -> None:
        """The next chunk has come."""
        self._came_at.append(time.perf_counter())
        self._chunks.append(chunk.numpy())

    def gaps(self) -> Gaps:
        """What a listener met who heard the chunks as they came."""
        lengths = [len(chunk) for chunk in self._chunks]
        all_leads = leads(zip(self._came_at, (length / RATE for length in lengths), strict=True))
        sound = np.concatenate(self._chunks)
        pauses = [*self._pauses, *[0] * len(self._begun)]
        silences = [
            silence_at(sound, sum(lengths[:begun])) - pause
            for begun, pause in zip(self._begun[1:], pauses, strict=False)
        ]
        return Gaps(
            leads_s=[all_leads[begun] for begun in self._begun[1:]],
            silences=silences,
            least_lead_s=min(all_leads[1:], default=0.0),
            waited_s=sum(max(0.0, -lead) for lead in all_leads),
        )


def silence_at(sound: Samples, place: int) -> int:
    """How many samples around the start of a segment at `place` are nothing at all: a model's own silence is never quite that.

    The first of a segment is none of them: fading in begins at nothing.
    """
    before, after = np.flatnonzero(sound[:place]), np.flatnonzero(sound[place + 1 :])
    last = before[-1] if len(before) else -1
    return int(place - 1 - last + (after[0] if len(after) else max(0, len(sound) - place - 1)))


def speech_like(seconds: float) -> Samples:
    """Sound with the rhythm and the spectrum of a voice, (T,) at 24 kHz."""
    t = np.arange(int(seconds * RATE)) / RATE
    phase = 2 * np.pi * np.cumsum(120 + 30 * np.sin(2 * np.pi * 0.7 * t)) / RATE
    buzz = sum(np.sin(number * phase) / number for number in range(1, 20))
    syllables = 0.55 + 0.45 * np.sin(2 * np.pi * 3 * t)
    breath = 0.003 * np.random.default_rng(1).standard_normal(len(t))
    return np.asarray(0.05 * buzz * syllables + breath, np.float32)


def memory(name: str) -> int:
    """Bytes of this process: VmRSS now, VmHWM at most so far; only the latter where there is no /proc."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="utf-8").splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def reply(**values: Any) -> None:
    """Writes one line of JSON."""
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


def _answering(work: Callable[[], Mapping[str, Any] | None]) -> bool:
    """Replies with what `work` returns or how it failed; whether it did not."""
    try:
        values = work()
    except Exception as exc:  # the outermost loop of a process
        kind, detail = type(exc).__name__, traceback.format_exc()
        reply(error=str(exc), kind=kind, detail=detail)
        return False
    if values is not None:
        reply(**values)
    return True


def main(contest: Contest) -> None:
    """Does what is asked, line by line, until standard input ends."""
    logging.disable(logging.WARNING)  # a model of random weights never ends, and says so
    children: list[Child] = []

    def load() -> dict[str, Any]:
        children.append(Child(contest))
        loaded = children[0].loaded()
        children[0].speak(None, contest.threads)  # warm
        return loaded

    if not _answering(load):
        return
    for line in sys.stdin:
        request: dict[str, Any] = json.loads(line)
        what = getattr(children[0], request.pop("what"))
        _answering(lambda what=what, request=request: what(**request))  # type: ignore[misc]


if __name__ == "__main__":
    main(Contest(**json.loads(sys.argv[1])))
