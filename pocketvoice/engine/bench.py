"""Measures speaking: one process per contender, each asked line by line, so that several can take turns and memory is each's own.

This is the parent's side and loads no torch; `engine.bench_child` is the other. The child drives any package with the reference's
API by name, which is what makes ours and the reference comparable: same config, voice, text, seed and threads. Times are seconds.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pocketvoice import errors
from pocketvoice.errors import GenerationError, PocketVoiceError

OURS, REFERENCE = "pocketvoice", "pocket_tts"
# 30 tokens or so: a model that never ends speaks 12 s of it.
TEXT = "The quick brown fox jumps over the lazy dog, and then it does so once more before the sun goes down."
# Each a segment. The first is the shortest: there the second has the least time to be begun.
SENTENCES = (
    "The rain had stopped.",
    "Nobody had seen the old ferry leave.",
    "The children counted the boats in the harbour.",
    "By noon the streets were dry.",
)


@dataclass(frozen=True)
class Contest:
    """What a contender is to run. Paths are absolute: the child works in the config's folder, where the reference looks for
    what the config names."""

    package: str
    config: str  # a YAML file, or a language
    voice: str
    precision: str = "float32"
    threads: int = 1

    @property
    def is_file(self) -> bool:
        """Whether `config` is a file or an address, and not a language."""
        return self.config.endswith((".yaml", ".yml"))

    @property
    def folder(self) -> str | None:
        """Where to work; None is anywhere."""
        parent = Path(self.config).parent
        return str(parent) if self.is_file and parent.is_dir() else None


@dataclass(frozen=True)
class Round:
    """A text was spoken once: how much sound, in what time."""

    sound_s: float  # seconds of sound made
    took_s: float
    first_chunk_s: float  # until the first chunk was there

    @property
    def speed(self) -> float:
        """Seconds of sound made in a second."""
        return self.sound_s / self.took_s


@dataclass(frozen=True)
class Gaps:
    """What a listener met who began with the first chunk and heard on at the sound's pace, what came earlier being kept for him.

    Calculated from when the chunks of a stream came that was taken as fast as it was made; nothing was played. A lead is the
    sound that he had not heard yet when a chunk came, seconds; one below zero is a wait.
    """

    leads_s: list[float]  # at the first chunk of each segment but the first
    silences: list[int]  # samples of silence between the segments that the text did not ask for
    least_lead_s: float  # at any chunk but the first
    waited_s: float  # in all, within segments too

    @property
    def gap_s(self) -> float:
        """The waits for the next segment, in all."""
        return sum(max(0.0, -lead) for lead in self.leads_s)


@dataclass(frozen=True)
class Minute:
    """A minute of a long speech. The first begins with the first chunk: splitting the whole text is not a part of it."""

    number: int
    speed: float  # times real time
    resident: int  # bytes


@dataclass(frozen=True)
class Loaded:
    """What the child says when its model is there."""

    load_s: float  # of the model alone, with one thread: torch and the package were imported before
    precision: str  # the one chosen, of "auto"
    cloning: bool
    layers: int  # of FlowLM's transformer


class Contender:
    """A child process with a loaded model."""

    def __init__(self, contest: Contest) -> None:
        self.contest = contest
        command = [sys.executable, "-m", "pocketvoice.engine.bench_child", json.dumps(asdict(contest))]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            cwd=contest.folder, env=_environment(),
        )  # fmt: skip
        with ExitStack() as on_failure:
            on_failure.callback(self._end)
            self.loaded = Loaded(**self._answer())
            on_failure.pop_all()

    def speak(self, *, voice_s: float | None = None, threads: int | None = None) -> Round:
        """Speaks once, in the contest's voice or in one cloned from so many seconds of sound."""
        return Round(**self._ask("speak", voice_s=voice_s, threads=threads or self.contest.threads))

    def clone(self, seconds: float) -> float:
        """How long it takes to make a voice of a clip."""
        return float(self._ask("clone", seconds=seconds)["took_s"])

    def gaps(self) -> Gaps:
        """Speaks a text of several segments."""
        return Gaps(**self._ask("gaps"))

    def peak_memory(self) -> int:
        """Bytes: the largest resident size so far."""
        return int(self._ask("memory")["bytes"])

    def minutes(self, count: int) -> Iterator[Minute]:
        """Speaks so many minutes in one go, reporting each."""
        self._send("minutes", count=count)
        for _ in range(count):
            yield Minute(**self._answer())

    def latent_errors(self, frames: int) -> dict[str, float]:
        """Relative error of the latents at each precision against float32, every frame from the same inputs. Ours only."""
        return self._ask("errors", frames=frames)

    def _ask(self, what: str, **arguments: Any) -> dict[str, Any]:
        self._send(what, **arguments)
        return self._answer()

    def _send(self, what: str, **arguments: Any) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"what": what, **arguments}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended; how is found out with the answer

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("{"):  # packages print what they like
                answer: dict[str, Any] = json.loads(line)
                if "error" in answer:
                    raise _error_of(answer)
                return answer
        raise GenerationError(
            f"Measuring {self.contest.package} failed: it ended without a word (exit status {self._process.wait()})."
        )

    def _end(self) -> None:
        self._process.kill()
        self._process.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()


def _error_of(answer: dict[str, Any]) -> PocketVoiceError:
    """One of ours as it was; any other is a measurement that failed."""
    kind = getattr(errors, answer["kind"], None)
    if isinstance(kind, type) and issubclass(kind, PocketVoiceError):
        return kind(answer["error"], detail=answer["detail"])
    why = ": ".join(part for part in (answer["kind"], answer["error"]) if part)
    return GenerationError(f"The measurement failed ({why}).", detail=answer["detail"])


def leads(chunks: Iterable[tuple[float, float]]) -> list[float]:
    """How much sound a listener who began with the first of the chunks (when it came, how long it is; seconds) had not heard
    yet when each came. After a wait he hears on from where he was."""
    found, heard_until = [], None
    for came_at, lasts in chunks:
        due = came_at if heard_until is None else heard_until
        found.append(due - came_at)
        heard_until = max(due, came_at) + lasts
    return found


def cold_start(contest: Contest) -> float:
    """From starting the package's own program to the first sound on its standard output."""
    source = ["--config" if contest.is_file else "--language", contest.config]
    command = [sys.executable, "-m", contest.package, "generate", *source, "--voice", contest.voice]
    command += ["--text", TEXT, "--output-path", "-", "--quiet", *_precision_options(contest)]
    started = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=contest.folder,
        env=_environment(),
    )
    assert process.stdout is not None
    try:
        sound = process.stdout.read(44 + 2)  # the header of a WAV, and the first sample
        took_s = time.perf_counter() - started
    finally:
        process.kill()
        _, said = process.communicate()
    if len(sound) < 46:
        lines = said.decode(errors="replace").strip().splitlines() or ["it ended without a word"]
        raise GenerationError(f"Measuring {contest.package} failed: {lines[-1]}", detail="\n".join(lines))
    return took_s


def _environment() -> dict[str, str]:
    """The child finds this package whatever its folder, and holds no sound back.

    What our programs set for themselves (`worker.heavy_imports`, `worker.memory`) is set for all: pools that wait asleep, few
    heaps.
    """
    here = str(Path(__file__).resolve().parents[2])
    found = os.pathsep.join(path for path in (here, os.environ.get("PYTHONPATH", "")) if path)
    ours = {"OMP_WAIT_POLICY": "PASSIVE", "MALLOC_ARENA_MAX": "2"}
    return {**os.environ, **ours, "PYTHONPATH": found, "PYTHONUNBUFFERED": "1"}


def _precision_options(contest: Contest) -> list[str]:
    if contest.package == OURS:
        return ["--precision", contest.precision]
    return ["--quantize"] if contest.precision == "int8" else []
