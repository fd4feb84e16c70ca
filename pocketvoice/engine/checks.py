"""Checks of what a caller gives: InputError (a ValueError) with the range, before anything is made of it. Loads no torch."""

import math
import re

from pocketvoice.errors import InputError


def device(name: object) -> None:
    """A device as torch names it: the CPU is the only one that the engine computes on."""
    if not re.fullmatch(r"cpu(:0)?", str(name)):
        raise InputError(
            f"The device {str(name)!r} is not supported: pocketvoice computes on the CPU, use cpu."
        )


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
