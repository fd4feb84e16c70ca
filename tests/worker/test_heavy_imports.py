"""Taking in heavy libraries: the collector rests meanwhile, and is as it was afterwards."""

import gc
import subprocess
import sys

import pytest

from pocketvoice.worker.heavy_imports import heavy_imports


@pytest.mark.parametrize("enabled", [True, False])
def test_collector_is_as_it_was(enabled: bool) -> None:
    was_enabled = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        with heavy_imports():
            assert not gc.isenabled()
        assert gc.isenabled() == enabled
        with pytest.raises(ZeroDivisionError), heavy_imports():
            raise ZeroDivisionError
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if was_enabled else gc.disable)()
        gc.unfreeze()


def test_what_came_in_is_not_looked_through_again() -> None:
    code = (
        "import gc\nfrom pocketvoice.worker.heavy_imports import heavy_imports\n"
        "with heavy_imports():\n    import asyncio\nprint(gc.get_freeze_count() > 10_000, gc.isenabled())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "True True\n"
