"""Waiting for what must come about: the only place where tests look again and again."""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")

_LOOK_EVERY_S = 0.005


def until(condition: Callable[[], Found], timeout_s: float = 30.0, what: object = "") -> Found:
    """Waits until `condition` gives something true, and returns that.

    `what` is told where it did not come about; a function is asked then.

    Raises:
        AssertionError: it did not come about within `timeout_s` seconds.
    """
    ends = time.monotonic() + timeout_s
    while not (found := condition()):
        if time.monotonic() > ends:
            raise AssertionError(f"not within {timeout_s:g} s: {what() if callable(what) else what}")
        time.sleep(_LOOK_EVERY_S)
    return found


async def until_async(condition: Callable[[], Found], timeout_s: float = 30.0, what: object = "") -> Found:
    """As `until`, on a running loop."""
    ends = time.monotonic() + timeout_s
    while not (found := condition()):
        if time.monotonic() > ends:
            raise AssertionError(f"not within {timeout_s:g} s: {what() if callable(what) else what}")
        await asyncio.sleep(_LOOK_EVERY_S)
    return found
