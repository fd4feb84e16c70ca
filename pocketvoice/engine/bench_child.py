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
from pocketvoice.engine.bench import OURS, TEXT, Contest, Minute, Round

RATE = 24_000


class Child:
    """A loaded model and what can be asked of it."""

    def __init__(self, contest: Contest) -> None:
        package = importlib.import_module(contest.package)
        self._is_ours = contest.package == OURS
        self._contest = contest
        extra: dict[str, Any] = {"quantize": contest.precision == "int8"}
        if self._is_ours:
            extra = {"precision": contest.precision}
        source = {"config" if contest.is_file else "language": contest.config}
        torch.set_num_threads(contest.threads)
        started = time.perf_counter()
        self.model = package.TTSModel.load_model(**source, **extra)
        self.load_s = time.perf_counter() - started
        torch.set_num_threads(contest.threads)  # the reference sets it too
        self._state = self.model.get_state_for_audio_prompt(contest.voice)
        self._cloned = cache(self._clone)

    def loaded(self) -> dict[str, Any]:
        """Once, at the start."""
        precision = self.model.precision if self._is_ours else self._contest.precision
        cloning = bool(self.model.has_voice_cloning)
        return {"load_s": self.load_s, "precision": precision, "cloning": cloning}

    def speak(self, voice_s: float | None, threads: int) -> dict[str, Any]:
        """A Round."""
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

    def clone(self, seconds: float) -> dict[str, Any]:
        """How long it took."""
        clip = torch.from_numpy(speech_like(seconds))[None]
        started = time.perf_counter()
        self.model.get_state_for_audio_prompt(clip)
        return {"took_s": time.perf_counter() - started}

    def memory(self) -> dict[str, Any]:
        """The largest resident size."""
        return {"bytes": memory("VmHWM")}

    def minutes(self, count: int) -> None:
        """Answers once a minute."""
        text = " ".join([TEXT] * (count * 30))  # a sentence is three seconds and more
        samples, minute, started = 0, 0, time.perf_counter()
        extra = {"no_eos": "keep"} if self._is_ours else {}
        with closing(self.model.generate_audio_stream(self._state, text, **extra)) as chunks:
            for chunk in chunks:
                samples += chunk.shape[-1]
                while minute < count and samples >= (minute + 1) * 60 * RATE:
                    minute += 1
                    now = time.perf_counter()
                    reply(**asdict(Minute(minute, 60 / (now - started), memory("VmRSS"))))
                    started = now
                if minute == count:
                    return

    def errors(self, frames: int) -> dict[str, float]:
        """Of each precision."""
        from pocketvoice.engine.precision import latent_errors
        from pocketvoice.engine.voice_state import to_layers

        voice = to_layers(self._state, self.model._cache.shape)
        tokens = next(self.model.segments(TEXT)).tokens
        return latent_errors(self.model._loaded.network, voice, tokens, frames)

    def _clone(self, seconds: float) -> Any:
        return self.model.get_state_for_audio_prompt(torch.from_numpy(speech_like(seconds))[None])


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
    """One line."""
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
    """Until standard input ends."""
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
