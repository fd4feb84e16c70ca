"""`bench`: speed, first sound, memory, gaps, start, cloning and exactness on this machine, alone or beside the reference package.

Contenders take turns, round by round, so that whatever else the machine does meets them alike; medians count.
"""

import json
import shlex
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from typing import Any, TypeVar

from pocketvoice.cli import bench_report, checks
from pocketvoice.cli.bench_contests import contests_of
from pocketvoice.cli.options import BenchOptions
from pocketvoice.cli.progress import tell
from pocketvoice.engine import machine
from pocketvoice.engine.bench import Contender, Contest, Round, cold_start

USUAL_PARTS = ("speed", "gaps", "cold-start", "cloning", "errors")
CLIP_S = 25.0
"""Length of the clip that is cloned."""
VOICES_S = (5.0, 15.0, 30.0)
"""Lengths of the voices in the table of `--only voices`."""
THREADS = (1, 2)
"""torch threads a stage in that table."""
ERROR_FRAMES = 200
"""Frames over which the error of each precision is taken."""

Subject = TypeVar("Subject")  # who is measured
Result = TypeVar("Result")  # what a measurement gives


def bench(options: BenchOptions) -> int:
    """Measures what was asked for and prints it."""
    checks.check_model(options.speaker.model)
    report: dict[str, Any] = {
        "command": shlex.join(["pocketvoice", *sys.argv[1:]]),
        "machine": machine.identity(),
        "date": time.strftime("%Y-%m-%d"),
    }
    report |= _long(options, options.long) if options.long else _compared(options)
    if options.against and not options.long:
        report["bars"] = bench_report.bars(report)
    print(json.dumps(report, indent=2)) if options.json else bench_report.show(report)
    return 0


def _compared(options: BenchOptions) -> dict[str, Any]:
    """The parts that were asked for, of all contenders."""
    contests = contests_of(options)
    parts: tuple[str, ...] = options.only or USUAL_PARTS
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
    report: dict[str, Any], contenders: list[Contender], parts: tuple[str, ...], options: BenchOptions
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
    """The waits of a listener, in ms; measured once, since one wait is one too many."""
    gaps = contender.gaps()
    return {
        "leads_ms": [round(1000 * lead) for lead in gaps.leads_s],
        "gap_ms": round(1000 * gaps.gap_s),
        "least_lead_ms": round(1000 * gaps.least_lead_s),
        "waited_ms": round(1000 * gaps.waited_s),
        "silences": gaps.silences,
    }


def _speeds(contenders: list[Contender], options: BenchOptions) -> Iterator[dict[str, Any]]:
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


def _cold_starts(contests: list[Contest], options: BenchOptions) -> list[float]:
    """Seconds of each, from starting its program to the first sound."""
    taken = _in_turn(contests, cold_start, "cold start", options)
    return [round(statistics.median(times), 3) for times in taken]


def _cloning(contenders: list[Contender], options: BenchOptions) -> dict[str, Any]:
    """Seconds that a voice of a clip takes; none if the weights can't clone."""
    if not all(contender.loaded.cloning for contender in contenders):
        return {"took_s": None}
    taken = _in_turn(contenders, lambda contender: contender.clone(CLIP_S), "cloning", options)
    return {
        "clip_s": CLIP_S,
        "took_s": [round(statistics.median(times), 3) for times in taken],
        "peak_mb": [round(contender.peak_memory() / 1e6) for contender in contenders],
    }


def _voices(contenders: list[Contender], options: BenchOptions) -> list[dict[str, Any]]:
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
    subjects: list[Subject], measure: Callable[[Subject], Result], what: str, options: BenchOptions
) -> list[list[Result]]:
    """The results of each subject, round by round."""
    results: list[list[Result]] = [[] for _ in subjects]
    for number in range(options.rounds):
        _note(f"{what}: round {number + 1} of {options.rounds}", options)
        for subject, results_of_subject in zip(subjects, results, strict=True):
            results_of_subject.append(measure(subject))
    return results


def _long(options: BenchOptions, length_min: int) -> dict[str, Any]:
    """Whether a long text costs as much at its end as at its beginning."""
    contest = contests_of(options)[0]
    minutes = []
    with Contender(contest) as contender:
        for minute in contender.minutes(length_min):
            _note(f"minute {minute.number}: {minute.speed:.2f}x real time", options)
            minutes.append(asdict(minute))
    return {
        "config": contest.config,
        "precision": contender.loaded.precision,
        "minutes": minutes,
        "summary": summary_of(minutes),
    }


def summary_of(minutes: list[dict[str, Any]]) -> dict[str, Any]:
    """How the end compares with the beginning: the last minute with the first, and five with five where there are ten."""
    speeds = [minute["speed"] for minute in minutes]
    few = statistics.mean(speeds[-5:]) / statistics.mean(speeds[:5]) if len(speeds) >= 10 else None
    return {
        "last_to_first": round(speeds[-1] / speeds[0], 4),
        "last_five_to_first_five": few and round(few, 4),
        "grown_mb": round((minutes[-1]["resident"] - minutes[0]["resident"]) / 1e6, 1),
    }


def _note(sentence: str, options: BenchOptions) -> None:
    """What is measured now, for somebody who watches."""
    if sys.stderr.isatty():
        tell(sentence, quiet=options.quiet)
