"""`book`: a real EPUB becomes real files with the built-in model, and is gone on with after any end."""

import io
import itertools
import json
import os
import shutil
import signal
import subprocess
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pocketvoice.audio.loudness import LoudnessMeter
from pocketvoice.book.work import work_folder
from pocketvoice.documents import open_document
from tests.book.conftest import CHAPTERS, png, write_epub
from tests.cli.conftest import Done, wait_for_handler
from tests.waiting import until

Cli = Callable[..., Done]
Start = Callable[..., "subprocess.Popen[bytes]"]

BUILT_IN = ["--language", "builtin_en", "--precision", "float32"]
"""Not the fastest of a moment: each test has a cache of its own, and the same bytes are expected."""


@pytest.fixture
def epub(tmp_path: Path) -> Path:
    return write_epub(tmp_path / "harbour.epub")


def loudness(path: Path) -> float:
    samples, rate = read(path)
    meter = LoudnessMeter(rate)
    meter.push(samples)
    return meter.integrated()


def read(path: Path) -> tuple[np.ndarray, int]:
    import av

    with av.open(str(path)) as file:
        rate = file.streams.audio[0].rate
        resampler = av.AudioResampler("flt", "mono", rate)
        frames = [each for frame in file.decode(audio=0) for each in resampler.resample(frame)]
    return np.concatenate([frame.to_ndarray()[0] for frame in frames]), rate


def probed(path: Path) -> dict[str, Any]:
    """What ffprobe says of a file."""
    program = shutil.which("ffprobe")
    if program is None:
        pytest.skip("ffprobe is not installed")
    asked = [
        program,
        "-v",
        "error",
        "-of",
        "json",
        "-show_chapters",
        "-show_format",
        "-show_streams",
        str(path),
    ]
    told: dict[str, Any] = json.loads(subprocess.run(asked, capture_output=True, check=True).stdout)
    return told


def test_epub_becomes_an_m4b_with_all_that_belongs_to_it(cli: Cli, epub: Path) -> None:
    done = cli(
        "book", epub, *BUILT_IN, "-o", "a.m4b", "--subtitles", "srt", "--heading-voice", "rms", "--jobs", "1"
    )
    assert (done.code, done.out) == (0, "")
    assert "of speech in 3 chapters written to a.m4b" in done.err
    assert sorted(os.listdir()) == ["a.m4b", "a.srt", "harbour.epub"]  # noqa: PTH208
    assert loudness(Path("a.m4b")) == pytest.approx(-19.0, abs=0.5)
    told = probed(Path("a.m4b"))
    assert [chapter["tags"]["title"] for chapter in told["chapters"]] == [title for title, _ in CHAPTERS]
    assert told["format"]["tags"]["title"] == "The Harbour"
    assert told["format"]["tags"]["artist"] == "Ann Writer"
    kinds = {stream["codec_name"]: stream for stream in told["streams"]}
    assert kinds["aac"]["tags"]["language"] == "eng"
    assert kinds["png"]["disposition"]["attached_pic"] == 1
    _check_times(Path("a.srt").read_text(encoding="utf-8"), told)


def _check_times(srt: str, told: dict[str, Any]) -> None:
    """The sentences are in order, do not overlap, and each lies in its chapter."""
    cues = [block.split("\n") for block in srt.strip().split("\n\n")]
    times = [tuple(map(_seconds, cue[1].split(" --> "))) for cue in cues]
    assert [cue[2] for cue in cues] == [
        "The boats", "The children walked to the harbour, where the old boats were lying in the sun.", "Nobody was there.",
        "The captain", "The captain looked at his watch and at the sky.", "We leave now, he said.",
        "The sea", "The sea was quiet.", "It cost $5.",
    ]  # fmt: skip
    assert all(start < stop for start, stop in times)
    assert all(before[1] <= after[0] + 1e-6 for before, after in itertools.pairwise(times))
    for number, first in enumerate((0, 3, 6)):
        chapter = told["chapters"][number]
        assert float(chapter["start_time"]) <= times[first][0] <= float(chapter["start_time"]) + 1.0
    assert times[-1][1] <= float(told["format"]["duration"])


def _seconds(clock: str) -> float:
    hours, minutes, seconds = clock.replace(",", ".").split(":")
    return 3600 * int(hours) + 60 * int(minutes) + float(seconds)


@pytest.mark.parametrize("kind", ["mp3", "opus", "flac"])
def test_folder_has_a_file_for_each_chapter(cli: Cli, epub: Path, kind: str) -> None:
    done = cli("book", epub, *BUILT_IN, "-o", "Book", "--format", kind, "--title", "Mine", "--loudness", "-16", "--json",
               "--subtitles", "lrc")  # fmt: skip
    assert done.code == 0, done.err
    names = [f"0{number} {title}" for number, (title, _) in enumerate(CHAPTERS, 1)]
    assert sorted(path.name for path in Path("Book").iterdir()) == sorted(
        f"{name}.{suffix}" for name in names for suffix in (kind, "lrc")
    )
    last = json.loads(done.out.splitlines()[-1])
    assert last["files"] == [f"Book/{name}.{suffix}" for name in names for suffix in (kind, "lrc")]
    sounds = [read(Path("Book") / f"{name}.{kind}") for name in names]
    assert sum(len(samples) / rate for samples, rate in sounds) == pytest.approx(last["seconds"], abs=0.5)
    meter = LoudnessMeter(sounds[0][1])
    for samples, _ in sounds:
        meter.push(samples)
    assert meter.integrated() == pytest.approx(-16.0, abs=0.5)
    assert not work_folder(Path("Book")).exists()


def test_epub_that_is_read_aloud(cli: Cli, epub: Path) -> None:
    """Its pages hold the text with a span for each sentence, and the overlays say when each is heard in a sound of its own."""
    import av
    from lxml import etree

    done = cli("book", epub, *BUILT_IN, "-o", "harbour.epub")
    assert "can't take the place of the document" in done.err
    done = cli("book", epub, *BUILT_IN, "-o", "aloud.epub", "--jobs", "1")
    assert done.code == 0, done.err
    with open_document(Path("aloud.epub")) as made, open_document(epub) as source:
        assert (made.title, made.author, made.language) == (source.title, source.author, source.language)
        assert made.text == source.text
        assert made.cover() == source.cover()
        assert [chapter.title for chapter in made.chapters] == [title for title, _ in CHAPTERS]
    with zipfile.ZipFile("aloud.epub") as archive:
        assert archive.namelist()[0] == "mimetype"
        for number in range(1, 4):
            page = etree.fromstring(archive.read(f"EPUB/chapter{number}.xhtml"))
            spans = {f"chapter{number}.xhtml#{span.get('id')}": span.text for span in page.iter("{*}span")}
            overlay = etree.fromstring(archive.read(f"EPUB/chapter{number}.smil"))
            assert [text.get("src") for text in overlay.iter("{*}text")] == list(spans)
            clips = [
                (float(clip.get("clipBegin")[:-1]), float(clip.get("clipEnd")[:-1]))
                for clip in overlay.iter("{*}audio")
            ]
            flat = [time for clip in clips for time in clip]
            assert flat == sorted(flat)
            with av.open(io.BytesIO(archive.read(f"EPUB/chapter{number}.m4a"))) as sound:
                assert clips[-1][1] <= float(sound.duration or 0) / 1e6
        assert "We leave now, he said." in archive.read("EPUB/chapter2.xhtml").decode()


def test_dry_run_tells_length_and_problems(cli: Cli, epub: Path) -> None:
    started = time.monotonic()
    done = cli("book", epub, *BUILT_IN, "--dry-run")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("The Harbour: about 0:2")
    assert "   2      0:0" in done.out
    Path("page.html").write_text("<p>Всё это написано по-русски, от начала и до конца.</p>", encoding="utf-8")
    told = json.loads(cli("book", "page.html", *BUILT_IN, "--dry-run", "--json").out)
    assert any("Cyrillic letters" in problem for problem in told["problems"])
    assert time.monotonic() - started < 60
    assert not list(Path().glob("*.parts"))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["gone.epub"], "gone.epub"),
        (["harbour.epub", "-o", "a.wav"], r"as .wav: choose one of"),
        (["harbour.epub", "-o", "a.mp3", "--format", "m4b"], "--format m4b contradicts the name a.mp3"),
        (["harbour.epub", "-o", "gone/a.mp3"], "its folder does not exist"),
        (["harbour.epub", "--cover", "gone.png"], "no picture gone.png"),
        (["harbour.epub", "--cover", "harbour.epub"], "neither a JPEG nor a PNG"),
        (["harbour.epub", "--heading-voice", "Nobody"], "Nobody"),
        (["harbour.epub", "--loudness", "3"], "must be from -40 to -5"),
        (["harbour.epub", "--language", "klingon"], "klingon"),
    ],
)
def test_mistake_is_one_sentence(cli: Cli, epub: Path, arguments: list[str], sentence: str) -> None:
    options = arguments if "klingon" in arguments else [*arguments, *BUILT_IN]
    done = cli("book", *options)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert sentence in done.err
    assert not list(Path().glob("*.parts"))


LONGER = tuple((f"Chapter {n}", f"<p>{' '.join([CHAPTERS[n % 3][1]] * 4)}</p>") for n in range(4))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """A longer book, and what it becomes in one process that nobody kills."""
    folder = tmp_path_factory.mktemp("undisturbed")
    book = write_epub(folder / "longer.epub", LONGER)
    from pocketvoice.cli import main

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POCKETVOICE_DATA_DIR", str(folder / "data"))
        code = main(["book", str(book), *BUILT_IN, "-o", str(folder / "a.m4b"), "--jobs", "1", "--quiet"])
    assert code == 0
    return book, (folder / "a.m4b").read_bytes()


def pieces(target: str = "a.m4b") -> dict[str, int]:
    """The finished pieces and when they were written."""
    found = {}
    with suppress(FileNotFoundError):
        for path in work_folder(Path(target)).glob("[0-9a-f]*.flac"):
            with suppress(FileNotFoundError):
                found[path.name] = path.stat().st_mtime_ns
    return found


def test_kills_change_nothing(start: Start, cli: Cli, undisturbed: tuple[Path, bytes]) -> None:
    """kill -9 in the middle, of an engine, and while the file is written: the same bytes, nothing spoken twice."""
    book, expected = undisturbed
    asked = ["book", book, *BUILT_IN, "-o", "a.m4b", "--jobs", "2", "--quiet"]
    first = start(*asked)
    until(lambda: len(pieces()) >= 3 or first.poll() is not None, 60)
    _kill(first)
    kept = pieces()
    second = start(*asked)
    until(_engines, 60, "the second engine")
    _kill(*_engines())
    until(lambda: list(Path().glob("a.m4b.parts/.a.m4b*.part")) or second.poll() is not None, 60)
    _kill(second)
    now = pieces()
    assert {name: now.get(name) for name in kept} == kept
    assert not Path("a.m4b").exists()
    done = cli(*asked)
    assert done.code == 0, done.err
    assert Path("a.m4b").read_bytes() == expected
    assert os.listdir() == ["a.m4b"]  # noqa: PTH208


def _kill(*processes: "subprocess.Popen[bytes] | int") -> None:
    """With SIGKILL, and waits until their engines have ended, too."""
    for process in processes:
        if isinstance(process, int):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        else:
            process.kill()
            process.wait()
    until(lambda: not _engines(), 30, "the engines end")


def _engines() -> list[int]:
    """Processes that speak for a book in this folder."""
    here, found = str(Path.cwd()), []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (process / "cmdline").read_bytes().split(b"\0")
            if b"book-engine" in words and str((process / "cwd").readlink()) == here:
                found.append(int(process.name))
    return found


def test_stops_say_how_it_goes_on(start: Start, cli: Cli, undisturbed: tuple[Path, bytes]) -> None:
    """Ctrl-C; then the end of its input, by which the window holds it."""
    book, expected = undisturbed
    process = start("book", book, *BUILT_IN, "-o", "a.m4b")
    wait_for_handler(process)
    until(lambda: len(pieces()) >= 3, 60)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 130
    assert told.decode().count("\n") == 1
    assert "is kept in a.m4b.parts, and the same command goes on there" in told.decode()
    kept = len(pieces())
    process = start(
        "book", book, *BUILT_IN, "-o", "a.m4b", "--jobs", "1", "--until-stdin-ends", stdin=subprocess.PIPE
    )
    until(lambda: len(pieces()) > kept or process.poll() is not None, 60)
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(timeout=30) != 0
    assert cli("book", book, *BUILT_IN, "-o", "a.m4b", "--jobs", "1").code == 0
    assert Path("a.m4b").read_bytes() == expected


def test_a_full_disk_is_told_and_gone_on_with(
    cli: Cli, undisturbed: tuple[Path, bytes], tmp_path: Path
) -> None:
    book, expected = undisturbed
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=500k", "tmpfs", str(disk)], capture_output=True
    ).returncode:
        pytest.skip("a small file system can't be mounted here")
    try:
        target = disk / "a.m4b"
        asked = ["book", book, *BUILT_IN, "-o", target, "--jobs", "1"]
        done = cli(*asked)
        assert done.code == 2
        assert done.err.count("\n") == 1
        assert "No space left" in done.err
        assert "free some space and try again" in done.err
        kept = pieces(str(target))
        assert kept
        subprocess.run(["mount", "-o", "remount,size=20m", str(disk)], check=True)
        done = cli(*asked)
        assert done.code == 0, done.err
        assert target.read_bytes() == expected
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_own_cover_takes_the_place_of_the_documents(cli: Cli, tmp_path: Path) -> None:
    import av

    Path("text.txt").write_text("It was a quiet morning.", encoding="utf-8")
    Path("cover.png").write_bytes(png(20, 30))
    done = cli("book", "text.txt", *BUILT_IN, "--author", "Me", "--cover", "cover.png")
    assert done.code == 0, done.err
    with av.open("text.m4b") as file:
        assert (file.streams.video[0].width, file.streams.video[0].height) == (20, 30)
        assert (file.metadata["title"], file.metadata["artist"]) == ("text", "Me")
