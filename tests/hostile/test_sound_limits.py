"""A small request makes no endless sound, and refusals tell nothing of this machine."""

import pytest

from pocketvoice.errors import DiskFullError
from pocketvoice.server.refusals import Refusal, unwritten, without_folders
from pocketvoice.server.speech_stream import check_pauses


def test_pause_bomb_is_refused_before_it_is_made() -> None:
    """577 bytes made 576 MB."""
    bomb = "Hello. " + "[pause:60s]" * 50
    check_pauses(bomb, 1.0, 3600)
    with pytest.raises(Refusal, match="longer than 60 minutes") as caught:
        check_pauses(bomb, 0.25, 3600)
    assert caught.value.status == 400
    check_pauses("[pause:forever] " * 1000, 0.25, 1)


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("/home/anna/My voices/slt.wav holds no sound.", "slt.wav holds no sound."),
        ("Can't read '/tmp/pocketvoice-x1/ab.wav': damaged.", "Can't read 'ab.wav': damaged."),
        (r"Can't read C:\Users\Anna\a.wav: damaged.", "Can't read a.wav: damaged."),
        ("Ask https://example.org/a/b for and/or 1/2.", "Ask https://example.org/a/b for and/or 1/2."),
    ],
)
def test_paths_of_the_machine_are_not_told(told: str, shown: str) -> None:
    assert without_folders(told) == shown


@pytest.mark.expects_log("No space left")
def test_full_disk_names_no_file() -> None:
    refusal = unwritten(DiskFullError("No space left to write 14: free some space and try again."), "/tmp")
    assert refusal.status == 507
    assert "14" not in refusal.message
    assert "/" not in refusal.message
