"""What trials of the precisions found on this machine, and the choice made of it, remembered in one small file. Loads no torch.

The file is a convenience: where it can't be read or written, trials are made anew.
"""

import json
import logging
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import msgspec

from pocketvoice import __version__, paths
from pocketvoice.engine import machine
from pocketvoice.errors import PocketVoiceError

log = logging.getLogger(__name__)

LARGEST_ERROR = 0.1
"""Of latents against those of float32, given the same inputs: relative root mean square. See the README, "Precision"."""
LEAST_GAIN, LEAST_GAIN_MS = 0.1, 0.25  # a coarser precision must save a tenth, and 0.3 % of real time
_KEPT = 50  # trials in the file


@dataclass(frozen=True)
class Measured:
    """One precision in a trial."""

    precision: str
    flow_lm_ms: float  # a frame (80 ms of speech)
    mimi_ms: float  # a frame
    error: float  # relative, of the latents against float32's


@dataclass(frozen=True)
class Trial:
    """Precisions of one model on this machine, the most exact first, and the one chosen."""

    chosen: str
    measured: tuple[Measured, ...]
    took_s: float
    date: str = field(default_factory=lambda: time.strftime("%Y-%m-%d"))

    def sentence(self) -> str:
        """The trial in a sentence for people."""
        figures = ", ".join(
            f"{one.precision} {one.flow_lm_ms:.1f} + {one.mimi_ms:.1f} ms a frame (error {100 * one.error:.1f} %)"
            for one in self.measured
        )
        return f"{self.chosen}; FlowLM + Mimi on {self.date}: {figures}"


def choose(measured: tuple[Measured, ...], cores: int) -> str:
    """The fastest that is exact enough; the more exact one where speeds are alike."""
    best = measured[0]
    for one in measured[1:]:
        saved = _cost_ms(best, cores) - _cost_ms(one, cores)
        if one.error <= LARGEST_ERROR and saved >= max(LEAST_GAIN_MS, LEAST_GAIN * _cost_ms(best, cores)):
            best = one
    return best.precision


def _cost_ms(one: Measured, cores: int) -> float:
    """The two stages run at once where there is a core for each, and then the slower one counts most."""
    stages = one.flow_lm_ms, one.mimi_ms
    return sum(stages) if cores < 2 else max(stages) + min(stages) / 2


def path() -> Path:
    """Where the trials are kept."""
    return paths.user_cache_dir() / "trials.json"


def recall(model_id: str) -> Trial | None:
    """The trial of this model by this version of the program on this machine, if it was made."""
    entry = _read().get(_key(model_id))
    try:
        return None if entry is None else msgspec.convert(entry, Trial)
    except msgspec.ValidationError as exc:
        log.info("the trial of %s in %s is of another form: %s", model_id, path(), exc)
        return None


def remember(model_id: str, trial: Trial) -> None:
    """Keeps it for the next start, if that can be done."""
    kept = _read()
    kept.pop(_key(model_id), None)
    kept[_key(model_id)] = asdict(trial)
    newest = dict(list(kept.items())[-_KEPT:])
    try:
        path().parent.mkdir(parents=True, exist_ok=True)
        with paths.atomic_write(path()) as file:
            file.write(json.dumps(newest, indent=1).encode())
    except (PocketVoiceError, OSError) as exc:
        log.info("the trial of %s is not remembered: %s", model_id, exc)


def _key(model_id: str) -> str:
    return f"{model_id}, pocketvoice {__version__}, {machine.identity()}"


def of_this_machine() -> dict[str, Trial]:
    """All that are remembered of this version on this machine, by model id."""
    ending = _key("")
    ids = [key.removesuffix(ending) for key in _read() if key.endswith(ending)]
    return {model_id: trial for model_id in ids if (trial := recall(model_id)) is not None}


def _read() -> dict[str, object]:
    try:
        content = json.loads(path().read_bytes())
    except (OSError, ValueError, RecursionError) as exc:
        if not isinstance(exc, FileNotFoundError):
            log.info("%s is not readable: %r", path(), exc)
        return {}
    return content if isinstance(content, dict) else {}
