"""The kernels under address and undefined-behaviour sanitizers, over mutated configs and weights: they stay in their memory."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

GCC = shutil.which("gcc")
FLAGS = (
    "-O1", "-g", "-std=c11", "-shared", "-fPIC", "-march=x86-64-v3", "-fno-math-errno", "-ffp-contract=fast",
    "-fsanitize=address,undefined", "-fno-sanitize=alignment,float-divide-by-zero", "-fno-sanitize-recover=undefined",
)  # fmt: skip


def _runtime() -> str | None:
    """The sanitizer's library, which must be loaded before all others."""
    if GCC is None or sys.platform != "linux":
        return None
    path = subprocess.run([GCC, "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
    return path if Path(path).is_file() else None


@pytest.mark.skipif(_runtime() is None, reason="needs gcc and its address sanitizer")
def test_mutated_models_stay_in_their_memory(repository: Path, tmp_path: Path) -> None:
    configs = os.environ.get("POCKETVOICE_FUZZ_CONFIGS", "20")
    files = os.environ.get("POCKETVOICE_FUZZ_WEIGHTS", "20")
    seed = os.environ.get("POCKETVOICE_FUZZ_SEED", "14")
    source = repository / "pocketvoice" / "model" / "kernels" / "kernels.c"
    subprocess.run([str(GCC), *FLAGS, str(source), "-o", str(tmp_path / "avx2.so"), "-lm"], check=True)
    # torch's own leaks and its allocator are not what is looked for.
    settings = {"LD_PRELOAD": str(_runtime()), "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0"}
    command = [sys.executable, "-m", "tests.hostile.sanitized_story", str(tmp_path), configs, files, seed]
    done = subprocess.run(command, cwd=repository, env=os.environ | settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    with_configs, with_files = map(int, done.stdout.split())
    assert with_configs > int(configs) // 4, "enough of them were computed"
    assert with_files > int(files) // 4
