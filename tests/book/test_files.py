"""Files with tags, chapters and covers; the folder of pieces; texts with times."""

import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from pocketvoice.book.assembly import file_name
from pocketvoice.book.durations import time_left
from pocketvoice.book.encoding import ChapterMark, Tags, cover_of, written
from pocketvoice.book.formats import EPUB, FORMATS, BookFormat, format_of
from pocketvoice.book.subtitles import subtitles
from pocketvoice.book.timeline import Cue
from pocketvoice.book.work import WorkFolder, work_folder
from pocketvoice.errors import InputError, OutputError
from tests.book.conftest import png

RATE = 24_000
TAGS = Tags("Die Häfen", "Buch", "A. Writer", "de-AT", "slt", "1/2")
MARKS = [ChapterMark("Eins & zwei", 0, 2 * RATE), ChapterMark("Drei", 2 * RATE, 5 * RATE)]


def write(path: Path, kind: BookFormat) -> bytes:
    times = np.arange(5 * RATE) / RATE
    samples = (0.2 * np.sin(2 * np.pi * 440 * times)).astype(np.float32)
    with written(path, kind, RATE, TAGS, MARKS, cover_of(png(), "x")) as book:
        for start in range(0, len(samples), 7001):
            book.write(samples[start : start + 7001])
    return path.read_bytes()


@pytest.mark.parametrize(
    "kind", [kind for kind in FORMATS.values() if kind is not EPUB], ids=lambda kind: kind.suffix
)
def test_file_has_tags_chapters_cover_and_sound(kind: BookFormat, tmp_path: Path) -> None:
    path = tmp_path / f"a{kind.suffix}"
    assert write(path, kind) == write(path, kind)  # the same bytes each time
    assert list(tmp_path.iterdir()) == [path]
    with av.open(str(path)) as file:
        said: dict[str, Any] = {**file.streams.audio[0].metadata, **file.metadata}
        assert (said["title"], said["artist"], said["album"], said["genre"]) == (
            "Die Häfen",
            "A. Writer",
            "Buch",
            "Audiobook",
        )
        chapters = [
            (mark["metadata"]["title"], round(float(mark["start"] * (mark["time_base"] or Fraction(1))), 2))
            for mark in file.chapters()
        ]
        assert chapters == [("Eins & zwei", 0.0), ("Drei", 2.0)]
        assert [stream.codec.name for stream in file.streams.video] == ["png"]
        samples = np.concatenate([frame.to_ndarray().mean(axis=0) for frame in file.decode(audio=0)])
        rate = file.streams.audio[0].rate
    assert len(samples) / rate == pytest.approx(5.0, abs=0.08)
    spectrum = np.abs(np.fft.rfft(samples[rate : 2 * rate]))
    assert spectrum.argmax() == pytest.approx(440, abs=2)


def test_a_file_that_fails_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "a.m4b"
    path.write_bytes(b"before")
    book = written(path, FORMATS[".m4b"], RATE, TAGS, MARKS, None)
    book.__enter__().write(np.zeros(100, np.float32))
    assert book.__exit__(RuntimeError, RuntimeError(), None) is not True
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(OutputError, match="folder does not exist"):
        write(tmp_path / "gone" / "a.m4b", FORMATS[".m4b"])


def test_cover_has_to_be_a_picture() -> None:
    with pytest.raises(InputError, match="neither a JPEG nor a PNG"):
        cover_of(b"GIF89a", "cover.gif")
    with pytest.raises(InputError, match="is damaged"):
        cover_of(png()[:60], "cover.png")


def test_name_says_the_format(tmp_path: Path) -> None:
    assert format_of(Path("Book.M4B")) is FORMATS[".m4b"]
    assert format_of(Path("Book")) is None
    (tmp_path / "Vol. 1").mkdir()
    assert format_of(tmp_path / "Vol. 1") is None
    with pytest.raises(InputError, match=r"as \.wav: choose one of \.m4b"):
        format_of(Path("a.wav"))
    assert file_name('A/B: "C"?\n..') == "A B C"
    assert file_name("***") == "Chapter"


def test_pieces_survive_and_only_one_process_works(tmp_path: Path) -> None:
    output = tmp_path / "a.m4b"
    sound = (0.1 * np.random.default_rng(1).standard_normal(9000)).astype(np.float32)
    with WorkFolder(output) as work:
        take = work.pieces.write("a" * 24, 2, False, sound, RATE)
        (work.folder / ".x.part").write_bytes(b"torn")
        work.remember({"precision": "int8"})
        script = (
            "import sys; from pathlib import Path; from pocketvoice.book.work import WorkFolder\n"
            "with WorkFolder(Path(sys.argv[1])): pass"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, str(output)], capture_output=True, text=True, cwd=Path.cwd()
        )
        assert "is being made by another process" in done.stderr
    with WorkFolder(output) as work:
        assert work.pieces.found() == {"a" * 24: {2: take}}
        np.testing.assert_allclose(work.pieces.read("a" * 24, take) / 32768, sound, atol=1e-4)
        assert work.remembered() == {"precision": "int8"}
        assert not list(work.folder.glob("*.part"))
        work.pieces.path("a" * 24, take).write_bytes(b"torn")
        with pytest.raises(OutputError, match="run the same command again"):
            work.pieces.read("a" * 24, take)
        assert work.pieces.found() == {}
        work.discard()
    assert not work_folder(output).exists()


CUES = [
    Cue(0, RATE, "Hello <you> & me."),
    Cue(RATE, 3661 * RATE + 12, "A --> b."),
    Cue(3661 * RATE + 12, 3700 * RATE, "[c]"),
]


def test_times_are_written_in_each_kind() -> None:
    assert subtitles("srt", CUES, RATE).startswith(
        "1\n00:00:00,000 --> 00:00:01,000\nHello <you> & me.\n\n2\n"
    )
    assert "00:00:01,000 --> 01:01:01,000\nA -> b.\n" in subtitles("srt", CUES, RATE)
    vtt = subtitles("vtt", CUES, RATE)
    assert vtt.startswith("WEBVTT\n\n1\n00:00:00.000 --> 00:00:01.000\nHello &lt;you&gt; &amp; me.\n")
    lrc = subtitles("lrc", CUES, RATE, "T [1]", "A")
    assert lrc.splitlines() == [
        "[ti:T (1)]",
        "[ar:A]",
        "[00:00.00]Hello <you> & me.",
        "[00:01.00]A --> b.",
        "[61:01.00][c]",
    ]
    assert len(re.findall("-->", subtitles("srt", CUES, RATE))) == 3


def test_time_left_is_for_people() -> None:
    assert [time_left(seconds) for seconds in (0, 42, 89, 600, 7500)] == [
        "5 seconds", "40 seconds", "90 seconds", "10 minutes", "2 h 5 min",
    ]  # fmt: skip
