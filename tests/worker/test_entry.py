"""The surroundings of the worker process."""

import subprocess
import sys

SCRIPT = """
import sys
out = sys.stderr
sys.stdout = sys.stderr = None
from pocketvoice.worker.entry import _have_stdio
_have_stdio()
print("nobody sees this")
print("nor this", file=sys.stderr)
assert sys.stdout is not None and sys.stderr is not None
"""


def test_windowed_build_may_print() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT], capture_output=True, check=True, timeout=60
    )
    assert done.stdout == b""
