"""`bench`: speed, first sound, memory, gaps, start, cloning and exactness on this machine, alone or beside the reference package.

Contenders take turns, round by round, so that whatever else the machine does meets them alike; medians count.
"""

import argparse
import importlib.util
import json
import shlex
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from pocketvoice.cli import bench_report, checks
from pocketvoice.cli.model import fetch_speaker
from pocketvoice.cli.progress import tell
from pocketvoice.engine import machine
from pocketvoice.engine.bench import OURS, REFERENCE, Contender, Contest, Round, cold_start
from pocketvoice.errors import InputError, MissingFileError
from pocketvoice.hub import catalogue
from pocketvoice.hub.source import LocalFile, parse
from pocketvoice.voices.library import open_library
from pocketvoice.worker.child.own_voices import find_own

USUAL_PARTS = ("speed", "gaps", "cold-start", "cloning", "errors")
CLIP_S = 25.0
VOICES_S = (5.0, 15.0, 30.0)
THREADS = (1, 2)
ERROR_FRAMES = 200

Who = TypeVar("Who")
What = TypeVar("What")


def bench(options: argparse.Namespace) -> int:
    """Measures what was asked for and prints it."""
    checks.check_model(options)
    report: dict[str, Any] = {
        "command": shlex.join(["pocketvoice", *sys.argv[1:]]),
        "machine": machine.identity(),
        "date": time.strftime("%Y-%m-%d"),
    }
    report |= _long(options) if options.long else _compared(options)
    if options.against and not options.long:
        report["bars"] = bench_report.bars(report)
    print(json.dumps(report, indent=2)) if options.json else bench_report.show(report)
    return 0


def _compared(options: argparse.Namespace) -> dict[str, Any]:
    """The parts that were asked for, of all contenders."""
    contests = _contests(options)
    parts = options.only or USUAL_PARTS
    rows = [{"package": contest.package, "precision": contest.precision} for contest in contests]
    report: dict[str, Any] = {"config": contests[0].config, "rounds": options.rounds, "rows": rows}
    with ExitStack() as stack:
        if contests[0].precision == "auto":
            with Contender(contests[0]):
                pass  # makes the trial and remembers it: neither its time nor its memory is the start's
        if set(parts) - {"cold-start"}:
            contenders = [stack.enter_context(Contender(contest)) for contest in contests]
            for row, contender in zip(rows, contenders, strict=True):
                row |= _loaded(contender)
            _measure(report, contenders, parts, options)
        if "cold-start" in parts:
            report["cold_start_s"] = _cold_starts(contests, options)
    return report


def _measure(
    report: dict[str, Any], contenders: list[Contender], parts: tuple[str, ...], options: argparse.Namespace
) -> None:
    """The parts that loaded models are needed for."""
    if "speed" in parts:
        for row, measured in zip(report["rows"], _speeds(contenders, options), strict=True):
            row |= measured
    if "gaps" in parts:
        _note("gaps", options)
        report["gaps"] = [_gaps(contender) for contender in contenders]
    if "cloning" in parts:
        report["cloning"] = _cloning(contenders, options)
    if "voices" in parts:
        report["voices"] = _voices(contenders, options)
    if "errors" in parts:
        _note("latent errors", options)
        report["latent_errors"] = contenders[0].latent_errors(ERROR_FRAMES)


def _loaded(contender: Contender) -> dict[str, Any]:
    loaded = contender.loaded
    return {"computes_in": loaded.precision, "load_s": round(loaded.load_s, 3), "layers": loaded.layers}


def _gaps(contender: Contender) -> dict[str, Any]:
    """Measured once: a wait is a wait."""
    gaps = contender.gaps()
    return {
        "leads_ms": [round(1000 * lead) for lead in gaps.leads_s],
        "gap_ms": round(1000 * gaps.gap_s),
        "least_lead_ms": round(1000 * gaps.least_lead_s),
        "waited_ms": round(1000 * gaps.waited_s),
        "silences": gaps.silences,
    }


def _speeds(contenders: list[Contender], options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    rounds = _in_turn(contenders, Contender.speak, "speed", options)
    for contender, taken in zip(contenders, rounds, strict=True):
        yield {**_medians(taken), "peak_mb": round(contender.peak_memory() / 1e6)}


def _medians(rounds: list[Round]) -> dict[str, Any]:
    return {
        "speed": round(statistics.median(r.speed for r in rounds), 3),
        "speed_range": [round(min(r.speed for r in rounds), 2), round(max(r.speed for r in rounds), 2)],
        "first_chunk_ms": round(1000 * statistics.median(r.first_chunk_s for r in rounds), 1),
        "sound_s": round(rounds[0].sound_s, 2),
    }


def _cold_starts(contests: list[Contest], options: argparse.Namespace) -> list[float]:
    """Seconds of each, from starting its program to the first sound."""
    taken = _in_turn(contests, cold_start, "cold start", options)
    return [round(statistics.median(times), 3) for times in taken]


def _cloning(contenders: list[Contender], options: argparse.Namespace) -> dict[str, Any]:
    """Of a clip of 25 s; none if the weights can't."""
    if not all(contender.loaded.cloning for contender in contenders):
        return {"took_s": None}
    taken = _in_turn(contenders, lambda contender: contender.clone(CLIP_S), "cloning", options)
    return {
        "clip_s": CLIP_S,
        "took_s": [round(statistics.median(times), 3) for times in taken],
        "peak_mb": [round(contender.peak_memory() / 1e6) for contender in contenders],
    }


def _voices(contenders: list[Contender], options: argparse.Namespace) -> list[dict[str, Any]]:
    """Speeds with voices of several lengths and torch threads."""
    can_clone = all(contender.loaded.cloning for contender in contenders)
    table = []
    for threads in THREADS:
        for voice_s in VOICES_S if can_clone else (None,):

            def speak(contender: Contender, threads: int = threads, voice_s: float | None = voice_s) -> Round:
                return contender.speak(voice_s=voice_s, threads=threads)

            what = f"{threads} threads, {f'a voice of {voice_s:g} s' if voice_s else 'the voice'}"
            rounds = _in_turn(contenders, speak, what, options)
            measured = [_medians(taken) for taken in rounds]
            table.append({"threads": threads, "voice_s": voice_s, "measured": measured})
    return table


def _in_turn(
    who: list[Who], measure: Callable[[Who], What], what: str, options: argparse.Namespace
) -> list[list[What]]:
    """The measurements of each, round by round."""
    taken: list[list[What]] = [[] for _ in who]
    for number in range(options.rounds):
        _note(f"{what}: round {number + 1} of {options.rounds}", options)
        for one, its in zip(who, taken, strict=True):
            its.append(measure(one))
    return taken


def _long(options: argparse.Namespace) -> dict[str, Any]:
    """Whether a long text costs as much at its end as at its beginning."""
    contest = _contests(options)[0]
    minutes = []
    with Contender(contest) as contender:
        for minute in contender.minutes(options.long):
            _note(f"minute {minute.number}: {minute.speed:.2f}x real time", options)
            minutes.append(asdict(minute))
    return {
        "config": contest.config,
        "precision": contender.loaded.precision,
        "minutes": minutes,
        "summary": _summary(minutes),
    }


def _summary(minutes: list[dict[str, Any]]) -> dict[str, Any]:
    """How the end compares with the beginning: the last minute with the first, and five with five where there are ten."""
    speeds = [minute["speed"] for minute in minutes]
    few = statistics.mean(speeds[-5:]) / statistics.mean(speeds[:5]) if len(speeds) >= 10 else None
    return {
        "last_to_first": round(speeds[-1] / speeds[0], 4),
        "last_five_to_first_five": few and round(few, 4),
        "grown_mb": round((minutes[-1]["resident"] - minutes[0]["resident"]) / 1e6, 1),
    }


def _contests(options: argparse.Namespace) -> list[Contest]:
    """Ours first; beside it, with the reference, both its precisions."""
    if options.against and importlib.util.find_spec(REFERENCE) is None:
        raise InputError(
            "The reference package is not installed: `pip install pocket-tts==4.0.1` in this environment."
        )
    config, voice = _model_and_voice(options)
    wanted = options.precision or ("int8" if options.quantize else None)
    who = [(OURS, precision) for precision in ([wanted] if wanted else ["auto", "float32"])]
    if options.against:
        who += [(REFERENCE, "float32"), (REFERENCE, "int8")]
    config, voice = _absolute(config), _absolute(voice)
    return [Contest(package, config, voice, precision, options.threads) for package, precision in who]


def _absolute(named: str) -> str:
    """A path as one that holds in any folder; a name or an address as it is."""
    if named in catalogue.languages() or named in catalogue.voice_names():
        return named
    place = parse(named)
    return str(place.path.absolute()) if isinstance(place, LocalFile) and place.path.exists() else named


def _model_and_voice(options: argparse.Namespace) -> tuple[str, str]:
    """What is measured, checked and on this disk: the children have no one to tell their troubles to."""
    if options.model is not None:
        _take_folder(options)
    checks.check_voice(options)
    config = options.config or _language(options)
    voice = options.voice or catalogue.default_voice(_language(options), options.config is not None)
    kept = find_own(open_library(), voice, None if options.config else _language(options))
    if kept is not None:
        if not kept.has_clip:
            raise InputError(f"The voice {kept.name} has no clip to measure with: choose another voice.")
        voice = str(kept.clip_path)
    options.voice, options.checkpoint = voice, None
    fetch_speaker(options)
    return _on_disk(config, voice) if options.against else (config, voice)


def _on_disk(config: str, voice: str) -> tuple[str, str]:
    """A model that comes with us by its files: the reference does not know it by name."""
    if config not in catalogue.languages() or not catalogue.entry(config).is_local:
        return config, voice
    entry = catalogue.entry(config)
    own = voice in catalogue.local_voices(config)
    return str(entry.config_path), catalogue.voice_state_source(config, voice) if own else voice


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


def _note(sentence: str, options: argparse.Namespace) -> None:
    if sys.stderr.isatty():
        tell(options, sentence)
