"""How a process of ours takes torch in: quickly, and so that it never has to pause for it later. Loads no torch itself."""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager


def wait_asleep() -> None:
    """Threads of torch's pools sleep while they wait, those of GNU's OpenMP and of LLVM's; read when torch is imported.

    By default they spin, and once another program wants a core they spin while the one they wait for is not running: reading a
    clip then took ten times as long.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("KMP_BLOCKTIME", "0")


@contextmanager
def heavy_imports() -> Iterator[None]:
    """While the block imports torch nothing is collected, and what it brought in is never looked through again.

    Importing makes half a million lasting objects: looking through them for garbage costs a quarter of a second while they come,
    and 0.1 s (one and a half frames of speech) each time later. For programs that own their process; the collector is as it was
    afterwards.
    """
    wait_asleep()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()
