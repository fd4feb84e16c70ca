"""What `bench` found, for people: one block a part, the ratios of ours to the others below each."""

from pathlib import Path
from typing import Any


def show(report: dict[str, Any]) -> None:
    """Prints it."""
    print(f"{Path(report['config']).name}; {report['machine']}; {report['date']}")
    if "minutes" in report:
        _show_minutes(report["precision"], report["minutes"])
        return
    print(f"medians of {report['rounds']}")
    rows = report.get("rows", [])
    if rows and "speed" in rows[0]:
        _show_speeds(rows)
    if "cold_start_s" in report:
        _show_seconds("cold start to first sound", report["cold_start_s"], rows)
    if "cloning" in report:
        _show_cloning(report["cloning"], rows)
    if "voices" in report:
        _show_voices(report["voices"], rows)
    if "latent_errors" in report:
        errors = ", ".join(f"{name} {100 * error:.2f} %" for name, error in report["latent_errors"].items())
        print(f"latent error, teacher-forced: {errors}")


def _name(row: dict[str, Any]) -> str:
    chosen = "" if row["computes_in"] == row["precision"] else f" ({row['computes_in']})"
    return f"{row['package']} {row['precision']}{chosen}"


def _show_speeds(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        low, high = row["speed_range"]
        print(
            f"  {_name(row):<24} {row['speed']:6.2f}x real time ({low:.2f}-{high:.2f})  "
            f"first sound {row['first_chunk_ms']:6.1f} ms  peak memory {row['peak_mb']:5d} MB  load {row['load_s']:.2f} s"
        )
    ours = rows[0]
    for row in rows[1:]:
        ratios = {key: ours[key] / row[key] for key in ("speed", "first_chunk_ms", "peak_mb")}
        print(
            f"  {_name(ours)} / {_name(row)}: speed {ratios['speed']:.2f}, first sound {ratios['first_chunk_ms']:.2f}, "
            f"peak memory {ratios['peak_mb']:.2f}"
        )


def _show_seconds(what: str, seconds: list[float], rows: list[dict[str, Any]]) -> None:
    names = [_name(row) for row in rows] or [f"contender {number + 1}" for number in range(len(seconds))]
    told = [f"{name} {took:.2f} s" for name, took in zip(names, seconds, strict=True)]
    print(f"{what}: {', '.join(told)}")
    ratios = [f"{seconds[0] / took:.2f}" for took in seconds[1:]]
    if ratios:
        print(f"  the first / the others: {', '.join(ratios)}")


def _show_cloning(cloning: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    if cloning["took_s"] is None:
        print("cloning: these weights can't")
        return
    _show_seconds(f"cloning a clip of {cloning['clip_s']:.0f} s", cloning["took_s"], rows)
    print(f"  peak memory {', '.join(f'{size} MB' for size in cloning['peak_mb'])}")


def _show_voices(table: list[dict[str, Any]], rows: list[dict[str, Any]]) -> None:
    print("threads  voice  " + "  ".join(f"{_name(row):>24}" for row in rows))
    for line in table:
        voice = "-" if line["voice_s"] is None else f"{line['voice_s']:.0f} s"
        cells = [f"{one['speed']:.2f}x, {one['first_chunk_ms']:.0f} ms" for one in line["measured"]]
        print(f"{line['threads']:>7}  {voice:>5}  " + "  ".join(f"{cell:>24}" for cell in cells))


def _show_minutes(precision: str, minutes: list[dict[str, Any]]) -> None:
    for minute in minutes:
        print(
            f"  minute {minute['number']:>3}: {minute['speed']:6.2f}x real time, {minute['resident'] / 1e6:.0f} MB"
        )
    first, last = minutes[0], minutes[-1]
    print(
        f"{precision}: the last minute took {first['speed'] / last['speed']:.3f} times as long as the first, "
        f"memory grew by {(last['resident'] - first['resident']) / 1e6:.0f} MB"
    )
