"""How many threads torch computes an operator with: a setting of the whole process, borrowed here and given back.

Speaking wants one for each of its two stages: their operators are small, and threads of a pool wait for each other longer than they
compute. Reading a clip wants every core, provided that the pool's threads sleep while they wait (OMP_WAIT_POLICY): pools that spin
lose tenfold as soon as another program wants a core.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from pocketvoice.engine import machine

_lock = threading.Lock()
_borrowed: list[int] = []  # guarded by _lock; the last one counts
_own = 1  # what is given back; guarded by _lock


@contextmanager
def borrowed(count: int) -> Iterator[None]:
    """While the block runs torch uses `count` threads. Blocks of several threads may overlap: the last one to begin decides."""
    global _own
    with _lock:
        if not _borrowed:
            _own = torch.get_num_threads()
        _borrowed.append(count)
        torch.set_num_threads(count)
    try:
        yield
    finally:
        with _lock:
            _borrowed.remove(count)
            torch.set_num_threads(_borrowed[-1] if _borrowed else _own)


def for_clips() -> int:
    """Threads for reading a clip: all cores, if waiting ones sleep, else what torch is set to."""
    is_asleep = os.environ.get("OMP_WAIT_POLICY", "").lower() == "passive"
    return machine.cores() if is_asleep else torch.get_num_threads()
