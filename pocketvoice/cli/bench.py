"""`bench`: speed, first sound and memory on this machine, alone or beside the reference package, in turn."""

import argparse
import importlib.util
import json
import statistics
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from pocketvoice.cli import checks, process
from pocketvoice.cli.model import fetch_speaker
from pocketvoice.cli.progress import tell
from pocketvoice.engine.bench import OURS, REFERENCE, Contender, Contest, Round
from pocketvoice.errors import GenerationError, InputError, MissingFileError
from pocketvoice.hub import catalogue


def bench(options: argparse.Namespace) -> int:
    """Measures every contender, round by round in turn, and prints medians."""
    checks.check_model(options)
    results = [_told(partial(_compare, contests, options)) for contests in _contests(options)]
    if options.json:
        print(json.dumps(results, indent=2))
        return 0
    for result in results:
        _print(result)
    return 0


def _contests(options: argparse.Namespace) -> list[list[Contest]]:
    """The pairs (or singles) to be measured, one a precision."""
    packages = [OURS, REFERENCE] if options.against == "reference" else [OURS]
    if importlib.util.find_spec(packages[-1]) is None:
        raise InputError(
            "The reference package is not installed: `pip install pocket-tts==4.0.1` in this environment."
        )
    if options.against and options.precision == "bf16":
        raise InputError("The reference knows no bf16: compare float32 or int8.")
    config, voice = _model_and_voice(options)
    wanted = options.precision or ("int8" if options.quantize else None)
    precisions = [wanted] if wanted else ["float32", "int8"]
    return [
        [Contest(package, config, voice, precision, options.threads) for package in packages]
        for precision in precisions
    ]


def _model_and_voice(options: argparse.Namespace) -> tuple[str, str]:
    """What is measured, checked and on this disk: the children have no one to tell their troubles to."""
    if options.model is not None:
        _take_folder(options)
    checks.check_voice(options)
    config = options.config or _language(options)
    voice = options.voice or catalogue.default_voice(_language(options), options.config is not None)
    options.voice, options.checkpoint = voice, None
    fetch_speaker(options)
    return config, voice


def _language(options: argparse.Namespace) -> str:
    return options.language or catalogue.default_language()


def _take_folder(options: argparse.Namespace) -> None:
    """--model DIR stands for the config and the voice in it."""
    if options.language is not None or options.config is not None:
        raise InputError("Give either --model, --language or --config.")
    folder = Path(options.model)
    configs = sorted(folder.glob("*.yaml"))
    if not configs:
        raise MissingFileError(f"The folder {folder} holds no model config (*.yaml).")
    options.config = str(next((path for path in configs if path.stem == folder.name), configs[0]))
    options.voice = options.voice or str(folder / "voice.safetensors")


def _told(compare: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The result; what a child that fails prints, a traceback, becomes the one sentence at its end."""
    with process.native_errors_kept() as said:
        try:
            return compare()
        except GenerationError as exc:
            kind, _, sentence = (said().strip().splitlines() or [""])[-1].partition(": ")
            if kind.startswith("pocketvoice.errors."):
                raise InputError(sentence, detail=said()) from exc
            why = f"{kind}: {sentence}" if sentence else "it ended without a word"
            raise GenerationError(f"The measurement failed ({why}).", detail=said()) from exc


def _compare(contests: list[Contest], options: argparse.Namespace) -> dict[str, Any]:
    rounds: list[list[Round]] = [[] for _ in contests]
    with ExitStack() as stack:
        contenders = [stack.enter_context(Contender(contest)) for contest in contests]
        for number in range(options.rounds):
            _note(f"{contests[0].precision}: round {number + 1} of {options.rounds}", options)
            for contender, taken in zip(contenders, rounds, strict=True):
                taken.append(contender.measure())
        rows = [_row(contender, taken) for contender, taken in zip(contenders, rounds, strict=True)]
    result: dict[str, Any] = {"precision": contests[0].precision, "config": contests[0].config, "rows": rows}
    if len(rows) == 2:
        result["ratios"] = {
            key: round(rows[0][key] / rows[1][key], 3) for key in ("speed", "first_chunk_ms", "peak_mb")
        }
    return result


def _row(contender: Contender, rounds: list[Round]) -> dict[str, Any]:
    return {
        "package": contender.contest.package,
        "speed": round(statistics.median(r.speed for r in rounds), 3),
        "speed_range": [round(min(r.speed for r in rounds), 2), round(max(r.speed for r in rounds), 2)],
        "first_chunk_ms": round(1000 * statistics.median(r.first_chunk_s for r in rounds), 1),
        "sound_s": round(rounds[0].sound_s, 2),
        "load_s": round(contender.load_s, 2),
        "peak_mb": round(contender.peak_memory() / 1e6),
    }


def _note(sentence: str, options: argparse.Namespace) -> None:
    if sys.stderr.isatty():
        tell(options, sentence)


def _print(result: dict[str, Any]) -> None:
    print(f"{Path(result['config']).name}, {result['precision']}, medians")
    for row in result["rows"]:
        low, high = row["speed_range"]
        print(
            f"  {row['package']:<12} {row['speed']:6.2f}x real time ({low:.2f}-{high:.2f})  "
            f"first sound {row['first_chunk_ms']:6.1f} ms  peak memory {row['peak_mb']:5d} MB  load {row['load_s']:.2f} s"
        )
    if "ratios" in result:
        ratios = result["ratios"]
        print(
            f"  ours / reference: speed {ratios['speed']:.2f}, first sound {ratios['first_chunk_ms']:.2f}, "
            f"peak memory {ratios['peak_mb']:.2f}"
        )
