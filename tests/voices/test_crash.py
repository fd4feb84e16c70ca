"""A process that is killed at any step of any change leaves a whole library: the old or the new. `crash_walk` tries all of them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

WALK = Path(__file__).with_name("crash_walk.py")

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the walk forks")


@pytest.mark.parametrize(
    ("change", "least_points"),
    [
        ("add", 40), ("rename", 15), ("duplicate", 40), ("remove", 10), ("restore", 6), ("delete", 15), ("state", 20),
        ("replace-state", 20), ("preview", 20), ("import", 40), ("import-state", 30), ("export", 4),
    ],
)  # fmt: skip
def test_every_step_leaves_old_or_new(change: str, least_points: int, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(WALK), str(tmp_path), change],
        env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True, timeout=250,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    counts = json.loads(done.stdout)
    assert counts["points"] >= least_points
    assert counts["old"] > 0
    assert counts["new"] > 0


@pytest.mark.expects_log("goes to the trash")
def test_a_draft_of_a_dead_process_is_kept(tmp_path: Path) -> None:
    """It recorded, and died before it was saved."""
    script = (
        "import os, sys; from pathlib import Path; from pocketvoice.voices.library import VoiceLibrary; "
        "from tests.voices.sounds import babble; "
        "VoiceLibrary(Path(sys.argv[1])).draft(babble(1.0), source='Mic', language='de'); os._exit(9)"
    )
    subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], cwd=WALK.parents[2], timeout=60, check=False
    )
    from pocketvoice.voices.library import VoiceLibrary

    library = VoiceLibrary(tmp_path)
    library.recover()
    (left,) = library.trash.voices()
    assert left.unsaved
    voice = library.trash.restore(left.key)
    assert (voice.name, voice.source, voice.language) == ("Unsaved recording", "Mic", "de")
    assert library.check(voice.id) == []


def test_a_draft_of_a_living_process_is_left_alone(tmp_path: Path) -> None:
    from pocketvoice.voices.library import VoiceLibrary
    from pocketvoice.voices.voice import NewVoice
    from tests.voices.sounds import babble

    draft = VoiceLibrary(tmp_path).draft(babble(1.0))
    other = VoiceLibrary(tmp_path)
    other.recover()
    assert other.trash.voices() == []
    assert draft.save(NewVoice("Anna")).name == "Anna"
