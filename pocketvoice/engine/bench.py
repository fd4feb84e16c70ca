"""Measures speaking: one process per contender, each driven line by line, so that two can take turns and memory is each's own.

`Contender` is the parent's side; running this module is the child's. The child drives any package with the reference's API by
name, which is what makes ours and the reference comparable: same config, voice, text, seed and threads. Times are seconds.
"""

import importlib
import json
import logging
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pocketvoice.errors import GenerationError

OURS, REFERENCE = "pocketvoice", "pocket_tts"
# 30 tokens or so: a model that never ends speaks 12 s of it.
TEXT = "The quick brown fox jumps over the lazy dog, and then it does so once more before the sun goes down."


@dataclass(frozen=True)
class Contest:
    """What a contender is to run."""

    package: str
    config: str
    voice: str
    precision: str = "float32"
    threads: int = 1


@dataclass(frozen=True)
class Round:
    """One measurement."""

    sound_s: float  # seconds of sound made
    took_s: float
    first_chunk_s: float  # until the first chunk was there

    @property
    def speed(self) -> float:
        """Times real time."""
        return self.sound_s / self.took_s


class Contender:
    """A child process with a loaded model."""

    def __init__(self, contest: Contest) -> None:
        self.contest = contest
        command = [
            sys.executable,
            "-W",
            "ignore",
            "-m",
            "pocketvoice.engine.bench",
            json.dumps(asdict(contest)),
        ]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        loaded = self._answer()
        self.load_s: float = loaded["load_s"]

    def measure(self) -> Round:
        """Speaks once."""
        return Round(**self._ask("measure"))

    def peak_memory(self) -> int:
        """Bytes: the largest resident size so far."""
        return int(self._ask("memory")["bytes"])

    def _ask(self, what: str) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(what + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("{"):  # packages print what they like
                answer: dict[str, Any] = json.loads(line)
                return answer
        raise GenerationError(
            f"Measuring {self.contest.package} failed (exit status {self._process.wait()}); its message is above."
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()


def _child(contest: Contest) -> None:
    logging.disable(logging.WARNING)  # a model of random weights never ends, and says so
    started = time.perf_counter()
    model, state = _load(contest)
    _reply(load_s=time.perf_counter() - started)
    _measure(contest, model, state)  # warm
    for line in sys.stdin:
        if line.strip() == "measure":
            _reply(**asdict(_measure(contest, model, state)))
        else:
            _reply(bytes=_peak_memory())


def _load(contest: Contest) -> tuple[Any, Any]:
    import torch

    package = importlib.import_module(contest.package)
    extra: dict[str, Any] = {"quantize": contest.precision == "int8"}
    if contest.package == OURS:
        extra = {"precision": contest.precision}
    is_file = contest.config.endswith((".yaml", ".yml"))
    model = package.TTSModel.load_model(**{"config" if is_file else "language": contest.config}, **extra)
    torch.set_num_threads(contest.threads)
    return model, model.get_state_for_audio_prompt(contest.voice)


def _measure(contest: Contest, model: Any, state: Any) -> Round:
    import torch

    torch.manual_seed(0)
    extra = {"no_eos": "keep", "strict": True} if contest.package == OURS else {}
    started = time.perf_counter()
    first = samples = 0.0
    for chunk in model.generate_audio_stream(state, TEXT, **extra):
        first = first or time.perf_counter() - started
        samples += chunk.shape[-1]
    return Round(samples / model.sample_rate, time.perf_counter() - started, first)


def _peak_memory() -> int:
    """Of this process, since it started. Linux resets nothing; elsewhere `ru_maxrss` has the same meaning."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _reply(**values: float) -> None:
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    _child(Contest(**json.loads(sys.argv[1])))
