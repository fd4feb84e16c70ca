"""Keeps the worker's memory at its level: speech is made by threads that come and go, and glibc would keep a heap for each.

Linux with glibc; elsewhere nothing is done. See mallopt(3) and malloc_trim(3).
"""

import ctypes
import gc
import logging
import sys
import time
from typing import Any

log = logging.getLogger(__name__)

_M_ARENA_MAX = -8
_ARENAS = 2
"""Heaps beside each other: the two threads of the engine need no more."""
_REST_S = 1.0


def limit_heaps() -> None:
    """Threads share heaps from now on; called before there are threads that use much."""
    libc = _glibc()
    if libc is not None and not libc.mallopt(_M_ARENA_MAX, _ARENAS):
        log.debug("the number of heaps can't be limited")


class IdleMemory:
    """Gives free memory back to the system when there was nothing to do for a while. Main loop only."""

    def __init__(self) -> None:
        self._idle_since: float | None = None  # None: there is work, or it was done

    def tick(self, *, busy: bool) -> None:
        """Called twenty times a second: gives memory back once, a second after the last work."""
        now = time.monotonic()
        if busy:
            self._idle_since = now
        elif self._idle_since is not None and now - self._idle_since > _REST_S:
            self._idle_since = None
            give_back()


def give_back() -> None:
    """What was freed, for other programs to have."""
    gc.collect()
    libc = _glibc()
    if libc is not None:
        libc.malloc_trim(0)


def _glibc() -> Any:
    """The C library, if it is that one."""
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, "gnu_get_libc_version") and hasattr(libc, "malloc_trim") else None
