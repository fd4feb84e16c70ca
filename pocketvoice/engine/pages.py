"""Large pages for packed weights: read from end to end for every frame, they are read a tenth faster or more through fewer pages.

Linux gives large pages by itself where it is set to "always"; with "madvise", the usual setting, it wants to be asked. Elsewhere
nothing happens. Weights that are mapped from their file stay in the file's pages.
"""

import ctypes
import logging
import threading
from collections.abc import Iterator
from pathlib import Path

log = logging.getLogger(__name__)

LARGE = 2 * 2**20  # bytes of a large page on x86-64 and on most others
WORTH_IT = 20e6  # packed numbers of a model: fewer lie in the processor's caches
_SMALLEST = 4 * LARGE  # bytes of a mapping
_MADV_HUGEPAGE, _MADV_COLLAPSE = 14, 25  # linux/mman.h; the second since Linux 6.1
_SETTING = Path("/sys/kernel/mm/transparent_hugepage/enabled")
_MAPPINGS = Path("/proc/self/maps")


def enlarge_soon() -> threading.Thread:
    """Starts `enlarge` on a thread of its own: it copies a gigabyte in two seconds, which nobody should wait for."""
    thread = threading.Thread(target=enlarge, name="large pages", daemon=True)
    thread.start()
    return thread


def enlarge() -> int:
    """Asks for large pages under all big pieces of this process's memory; returns the bytes that have them now."""
    if not wanted():
        return 0
    madvise = ctypes.CDLL(None).madvise
    done = 0
    for start, stop in _big_mappings(_MAPPINGS.read_text(encoding="utf-8")):
        madvise(ctypes.c_void_p(start), ctypes.c_size_t(stop - start), _MADV_HUGEPAGE)
        for page in range(
            start, stop, LARGE
        ):  # one by one: other threads must not wait long for the memory's lock
            if madvise(ctypes.c_void_p(page), ctypes.c_size_t(LARGE), _MADV_COLLAPSE) == 0:
                done += LARGE
    log.debug("%d MB in large pages", done >> 20)
    return done


def wanted() -> bool:
    """Whether this system gives large pages to those who ask, and only to them."""
    try:
        return "[madvise]" in _SETTING.read_text(encoding="utf-8")
    except OSError:
        return False


def _big_mappings(table: str) -> Iterator[tuple[int, int]]:
    """Start and stop, whole large pages, of private memory without a file."""
    for line in table.splitlines():
        span, access, _, _, inode, *name = line.split(maxsplit=5)
        if access != "rw-p" or inode != "0" or name not in ([], ["[heap]"]):
            continue
        start, stop = (int(end, 16) for end in span.split("-"))
        start, stop = -(-start // LARGE) * LARGE, stop // LARGE * LARGE
        if stop - start >= _SMALLEST:
            yield start, stop
