"""What `bench` found, for people: one block a part, the ratios of ours to the others below each, and the bars at the end."""

import math
from pathlib import Path
from typing import Any

from pocketvoice.cli import streams
from pocketvoice.engine.bench import OURS

_SPEED_BARS = {"float32": ((12, 5.0), (math.inf, 4.0)), "int8": ((6, 3.0),)}
"""How many times the reference's speed is asked for, by its precision, of models of at most so many layers."""
_BARS = {"first sound": 1 / 3, "peak memory": 0.45, "cold start": 0.40, "cloning speed": 3.0}
"""Ours / the reference's."""
_HIGHER_IS_BETTER = ("speed", "cloning speed")


def show(report: dict[str, Any]) -> None:
    """Prints it."""
    streams.show(f"$ {report['command']}")
    streams.show(f"{Path(report['config']).name}; {report['machine']}; {report['date']}")
    if "minutes" in report:
        _show_minutes(report["precision"], report["minutes"], report["summary"])
        return
    streams.show(f"medians of {report['rounds']}")
    rows = report["rows"]
    if "speed" in rows[0]:
        _show_speeds(rows)
    if "gaps" in report:
        _show_gaps(report["gaps"], rows)
    if "cold_start_s" in report:
        _show_seconds("cold start to first sound", report["cold_start_s"], rows)
    if "cloning" in report:
        _show_cloning(report["cloning"], rows)
    if "voices" in report:
        _show_voices(report["voices"], rows)
    if "latent_errors" in report:
        errors = ", ".join(f"{name} {100 * error:.2f} %" for name, error in report["latent_errors"].items())
        streams.show(f"latent error, teacher-forced: {errors}")
    for bar in report.get("bars", []):
        streams.show(
            f"{bar['what']}: {bar['reached']:.3g} (bar {bar['bar']:.3g}, {'met' if bar['met'] else 'missed'})"
        )


def bars(report: dict[str, Any]) -> list[dict[str, Any]]:
    """What the project asks of itself beside the reference: of the first contender, and that our float32 is faster than its."""
    rows, found = report["rows"], []
    ours, theirs = ([row for row in rows if (row["package"] == OURS) is own] for own in (True, False))
    for what, values in _measured(report).items():
        for row, value in zip(theirs, values[len(ours) :], strict=True):
            bar = _speed_bar(row) if what == "speed" else _BARS[what]
            if bar is not None:
                found.append(_judged(f"{what} against {_name(row)}", values[0] / value, bar, what))
    exact = [row["speed"] for row in rows if row["precision"] == "float32" and "speed" in row]
    if len(exact) == 2:
        found.append(_judged("speed of float32 against float32", exact[0] / exact[1], 1.0, "speed"))
    if "gaps" in report:
        gaps = report["gaps"][0]
        found.append(_judged("gaps between segments, ms", gaps["gap_ms"], 0.0, "gaps"))
        found.append(_judged("silence put between segments, samples", sum(gaps["silences"]), 0.0, "gaps"))
    return found


def _measured(report: dict[str, Any]) -> dict[str, list[float]]:
    """What bars are set for, of each contender."""
    rows, found = report["rows"], {}
    for what, key in (("speed", "speed"), ("first sound", "first_chunk_ms"), ("peak memory", "peak_mb")):
        if key in rows[0]:
            found[what] = [row[key] for row in rows]
    if "cold_start_s" in report:
        found["cold start"] = report["cold_start_s"]
    if report.get("cloning", {}).get("took_s"):
        found["cloning speed"] = [1 / took for took in report["cloning"]["took_s"]]
    return found


def _speed_bar(row: dict[str, Any]) -> float | None:
    fitting = (bar for layers, bar in _SPEED_BARS[row["precision"]] if row["layers"] <= layers)
    return next(fitting, None)


def _judged(what: str, reached: float, bar: float, kind: str) -> dict[str, Any]:
    met = reached >= bar if kind in _HIGHER_IS_BETTER else reached <= bar
    return {"what": what, "reached": round(reached, 3), "bar": bar, "met": met}


def _name(row: dict[str, Any]) -> str:
    chosen = row.get("computes_in", row["precision"])
    return f"{row['package']} {row['precision']}" + ("" if chosen == row["precision"] else f" ({chosen})")


def _padded(row: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    """Its name, as wide as the widest."""
    return _name(row).ljust(max(len(_name(one)) for one in rows))


def _show_speeds(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        low, high = row["speed_range"]
        streams.show(
            f"  {_padded(row, rows)} {row['speed']:6.2f}x real time ({low:.2f}-{high:.2f})  "
            f"first sound {row['first_chunk_ms']:6.1f} ms  peak memory {row['peak_mb']:5d} MB  load {row['load_s']:.2f} s"
        )
    ours = rows[0]
    for row in rows[1:]:
        ratios = {key: ours[key] / row[key] for key in ("speed", "first_chunk_ms", "peak_mb")}
        streams.show(
            f"  {_name(ours)} / {_name(row)}: speed {ratios['speed']:.2f}, first sound {ratios['first_chunk_ms']:.2f}, "
            f"peak memory {ratios['peak_mb']:.2f}"
        )


def _show_seconds(what: str, seconds: list[float], rows: list[dict[str, Any]]) -> None:
    told = [f"{_name(row)} {took:.2f} s" for row, took in zip(rows, seconds, strict=True)]
    streams.show(f"{what}: {', '.join(told)}")
    ratios = [f"{seconds[0] / took:.2f}" for took in seconds[1:]]
    if ratios:
        streams.show(f"  the first / the others: {', '.join(ratios)}")


def _show_cloning(cloning: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    if cloning["took_s"] is None:
        streams.show("cloning: these weights can't")
        return
    _show_seconds(f"cloning a clip of {cloning['clip_s']:.0f} s", cloning["took_s"], rows)
    streams.show(f"  peak memory {', '.join(f'{size} MB' for size in cloning['peak_mb'])}")


def _show_voices(table: list[dict[str, Any]], rows: list[dict[str, Any]]) -> None:
    streams.show(
        "speed and first sound with a voice made of so much sound, torch's threads a stage (the kernels take no notice):"
    )
    width = max(len(_name(row)) for row in rows)
    streams.show("  threads  voice  " + "  ".join(f"{_name(row):>{width}}" for row in rows))
    for line in table:
        voice = "-" if line["voice_s"] is None else f"{line['voice_s']:.0f} s"
        cells = [f"{one['speed']:.2f}x, {one['first_chunk_ms']:.0f} ms" for one in line["measured"]]
        streams.show(
            f"  {line['threads']:>7}  {voice:>5}  " + "  ".join(f"{cell:>{width}}" for cell in cells)
        )


def _show_gaps(gaps: list[dict[str, Any]], rows: list[dict[str, Any]]) -> None:
    streams.show(
        "gaps to a listener who begins with the first sound, and what he still had to hear when more came "
        "(once, calculated: all is kept for him as it is made):"
    )
    for row, one in zip(rows, gaps, strict=True):
        leads = ", ".join(str(lead) for lead in one["leads_ms"])
        streams.show(
            f"  {_padded(row, rows)}  gaps between segments {one['gap_ms']} ms, left {min(one['leads_ms'])} ms ({leads})  "
            f"anywhere {one['waited_ms']} ms, left {one['least_lead_ms']} ms  silence put in {sum(one['silences'])} samples"
        )


def _show_minutes(precision: str, minutes: list[dict[str, Any]], summary: dict[str, Any]) -> None:
    for minute in minutes:
        streams.show(
            f"  minute {minute['number']:>3}: {minute['speed']:6.2f}x real time, {minute['resident'] / 1e6:.0f} MB"
        )
    told = [f"{precision}: speed of the last minute / the first {summary['last_to_first']:.3f}"]
    if summary["last_five_to_first_five"] is not None:
        told.append(f"of the last five / the first five {summary['last_five_to_first_five']:.3f}")
    streams.show(f"{', '.join(told)}; memory grew by {summary['grown_mb']:.0f} MB")
