"""Sound files by their endings: each is what its name says, complete or not there at all."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from pocketvoice.audio.saving import KINDS, WAV, kind_of, sound_file
from pocketvoice.errors import InputError, OutputError

TONE = (0.5 * np.sin(np.arange(24_000) * 0.1)).astype(np.float32)


@pytest.mark.parametrize("suffix", [*KINDS, ".MP3", ""])
def test_file_is_what_its_name_says(tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"speech{suffix}"
    with sound_file(target, 24_000) as wav:
        wav.write(TONE)
    with soundfile.SoundFile(target) as file:
        assert file.format == kind_of(target).container
        assert file.samplerate == 24_000
        sound = file.read(dtype="float32")
    assert len(sound) >= len(TONE)
    assert 0.4 < np.abs(sound[2000:20_000]).max() < 0.6
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("name", ["a.txt", "a.m4b", "a.wav.gz", "a."])
def test_other_endings_are_refused(tmp_path: Path, name: str) -> None:
    if name == "a.":
        assert kind_of(tmp_path / name) is WAV, "no ending"
        return
    with pytest.raises(InputError, match=r"choose one of \.wav"), sound_file(tmp_path / name, 24_000):
        pass


@pytest.mark.parametrize("suffix", [".wav", ".mp3"])
def test_what_fails_leaves_the_old_file(tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"speech{suffix}"
    target.write_bytes(b"old")
    with pytest.raises(LookupError):
        _broken_off(target)
    assert target.read_bytes() == b"old"


def _broken_off(target: Path) -> None:
    with sound_file(target, 24_000) as wav:
        wav.write(TONE)
        raise LookupError


def test_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="folder"), sound_file(tmp_path / "gone" / "a.mp3", 24_000) as wav:
        wav.write(TONE)
