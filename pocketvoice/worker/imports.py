"""How a process of ours takes torch in: quickly, and so that it never has to pause for it later. Loads no torch itself."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def heavy_imports() -> Iterator[None]:
    """While the block imports torch nothing is collected, and what it brought in is never looked through again.

    Importing makes half a million lasting objects: looking through them for garbage costs a quarter of a second while they come,
    and 0.1 s (one and a half frames of speech) each time later. For programs that own their process; the collector is as it was
    afterwards.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()
