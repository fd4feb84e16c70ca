"""Saving speech as a file."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from pocketvoice.audio.sound_kinds import KINDS, SoundKind
from pocketvoice.gui.controllers import sound_files
from pocketvoice.worker.messages import ErrorInfo, Failed, Finished
from tests.gui.conftest import Run, ready, settle, until
from tests.gui.parts import Parts

TEXT = "First sentence. Second one here."


def write_wav(path: str) -> None:
    """What the worker would: two seconds of a tone."""
    soundfile.write(path, 0.3 * np.sin(np.arange(48_000) * 0.05), 24_000, subtype="PCM_16")


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.title)
def test_speech_is_saved_in_every_format(parts: Parts, run: Run, tmp_path: Path, kind: SoundKind) -> None:
    target = tmp_path / f"speech{kind.suffix}"

    async def story() -> None:
        await ready(parts)
        parts.speech.set_speed(1.5)
        parts.desktop.export_commands.save_as(TEXT, target)
        await until(lambda: parts.client.exports)
        await settle()
        assert parts.window.saving.isVisible()
        assert parts.window.saving.bar.value() > 0
        _, text, path, options = next(r for r in parts.client.requests if r[0] == "export")
        assert (text, options["speed"]) == (TEXT, 1.5)
        write_wav(path)
        parts.client.exports[0].put(Finished(parts.client.exports[0].request_id))
        await until(lambda: parts.messages.message is not None)
        assert parts.messages.message is not None
        assert parts.messages.message.text == f"The speech was saved as {target}."
        assert not parts.window.saving.isVisible()

    run(story())
    assert soundfile.info(target).duration == pytest.approx(2.0, abs=0.1)
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith("speech")] == [target.name]


@pytest.mark.expects_log("A speech is being saved")
def test_saving_can_be_cancelled(parts: Parts, run: Run, tmp_path: Path) -> None:
    async def story() -> None:
        await ready(parts)
        parts.desktop.export_commands.save_as(TEXT, tmp_path / "speech.mp3")
        parts.desktop.export_commands.save_as(TEXT, tmp_path / "other.mp3")
        assert parts.messages.message is not None
        assert "wait for it, or cancel it" in parts.messages.message.text
        await until(lambda: parts.client.exports)
        parts.window.saving.cancel.click()
        await until(lambda: not parts.exporter.busy)
        assert not parts.window.saving.isVisible()

    run(story())
    assert not (tmp_path / "speech.mp3").exists()


@pytest.mark.expects_log("No space left")
def test_failed_saving_is_told(parts: Parts, run: Run, tmp_path: Path) -> None:
    async def story() -> None:
        await ready(parts)
        parts.desktop.export_commands.save_as(TEXT, tmp_path / "speech")  # no suffix: WAV
        await until(lambda: parts.client.exports)
        assert next(r for r in parts.client.requests if r[0] == "export")[2] == str(tmp_path / "speech.wav")
        handle = parts.client.exports[0]
        handle.put(Failed(handle.request_id, ErrorInfo("DiskFullError", "No space left: free some.")))
        await until(lambda: parts.messages.message is not None)
        assert parts.messages.message is not None
        assert parts.messages.message.text == "No space left: free some."
        assert not parts.exporter.busy

    run(story())


@pytest.mark.expects_log("its folder does not exist")
def test_folder_that_is_gone(parts: Parts, run: Run, tmp_path: Path) -> None:
    async def story() -> None:
        await ready(parts)
        parts.desktop.export_commands.save_as(TEXT, tmp_path / "none" / "speech.flac")
        await until(lambda: parts.client.exports)
        write_wav(next(r for r in parts.client.requests if r[0] == "export")[2])
        parts.client.exports[0].put(Finished(parts.client.exports[0].request_id))
        await until(lambda: parts.messages.message is not None)
        assert parts.messages.message is not None
        assert "its folder does not exist" in parts.messages.message.text

    run(story())


@pytest.mark.parametrize("name", ["speech.m4a", "speech.txt", "speech.ogg.aiff", "speech.MP4"])
@pytest.mark.expects_log("can't be saved as")
def test_ending_of_something_else_is_refused(parts: Parts, run: Run, tmp_path: Path, name: str) -> None:
    async def story() -> None:
        await ready(parts)
        parts.desktop.export_commands.save_as(TEXT, tmp_path / name)
        assert parts.messages.message is not None
        assert "give a name that ends with one of .wav, .flac" in parts.messages.message.text
        assert not parts.exporter.busy
        assert parts.client.exports == []

    run(story())


@pytest.mark.parametrize("name", ["Chapter 1. The Whale", "Version 1.5", "speech", "Mr. Flask says"])
def test_dot_in_a_name_is_no_ending(tmp_path: Path, name: str) -> None:
    path, kind = sound_files.named_as(tmp_path / name)
    assert (path.name, kind.title) == (f"{name}.wav", "WAV")
