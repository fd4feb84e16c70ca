"""Checks of what a caller gives: InputError (a ValueError) with the range, before anything is made of it. Loads no torch."""

import math
import re

from pocketvoice.errors import InputError


def device(name: object) -> None:
    """A device as torch names it, of the kinds that the engine computes on; whether it is there, `engine.devices` finds out."""
    if not is_cpu(name) and not re.fullmatch(r"cuda(:(0|[1-9]\d?))?|mps(:0)?", str(name)):
        raise InputError(
            f"The device {str(name)!r} is not supported: beside the CPU there are cuda and mps, use cpu."
        )


def is_cpu(name: object) -> bool:
    """Whether the device is the CPU."""
    return re.fullmatch(r"cpu(:0)?", str(name)) is not None


def whole(name: str, value: object, least: int, most: int | None = None) -> None:
    """A whole number of `least` or more, `most` at the most; None is fine."""
    if value is None:
        return
    fits = (
        isinstance(value, int)
        and not isinstance(value, bool)
        and value >= least
        and (most is None or value <= most)
    )
    if not fits:
        upper = "" if most is None else f" and at most {most}"
        raise InputError(f"{name} must be a whole number of at least {least}{upper}, not {value}.")


def number(name: str, value: float | None, least: float) -> None:
    """A finite number of `least` or more, minus infinity meaning any; None is fine."""
    if value is not None and not (math.isfinite(value) and value >= least):
        raise InputError(
            f"{name} must be a number{'' if math.isinf(least) else f' of at least {least:g}'}, not {value}."
        )
