"""Finished pieces become files: the loudness is measured over the whole book, then every chapter is written at that level.

The sound goes by piece by piece, twice or three times; nothing of it stays in memory.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pocketvoice import paths
from pocketvoice.audio.chunk import Samples
from pocketvoice.audio.loudness import CEILING, SILENCE, LoudnessMeter, limited
from pocketvoice.book.encoding import ChapterMark, Cover, Tags, written
from pocketvoice.book.epub import write_epub
from pocketvoice.book.fit import Take
from pocketvoice.book.formats import EPUB, EPUB_SOUND, BookFormat
from pocketvoice.book.pieces import Piece
from pocketvoice.book.script import Script
from pocketvoice.book.subtitles import subtitles
from pocketvoice.book.timeline import LEAD_S, ChapterTimer, TimedChapter, in_sentences
from pocketvoice.book.work import Pieces

_CLOSE_ENOUGH = 0.1  # LU
_ROUNDS = 3
_MOST_GAIN_DB = 30.0

OnFraction = Callable[[float], None]


@dataclass(frozen=True)
class Levels:
    """What each voice is multiplied by, and how loud the book is with that, LUFS."""

    gains: dict[int, float]
    loudness: float


@dataclass(frozen=True)
class BookFiles:
    """What is to be written."""

    target: Path
    """A file, or the folder for a file a chapter."""
    kind: BookFormat
    per_chapter: bool
    loudness: float | None
    """LUFS; None leaves the sound as loud as it was spoken."""
    subtitles: tuple[str, ...] = ()
    narrator: str = ""


class Assembly:
    """The sound of a book, from the pieces in a folder."""

    def __init__(
        self,
        script: Script,
        pieces: Sequence[Piece],
        takes: Mapping[str, Take],
        folder: Pieces,
        sample_rate: int,
        on_fraction: OnFraction = lambda _: None,
    ) -> None:
        self._script = script
        self._chapters: dict[int, list[Piece]] = {}
        for piece in pieces:
            self._chapters.setdefault(piece.chapter, []).append(piece)
        self._takes = takes
        self._folder = folder
        self._rate = sample_rate
        self._on_fraction = on_fraction
        self._passes = 2.0  # that are likely, for the progress
        self._pieces_done = 0
        self._count = max(len(pieces), 1)

    def write(self, files: BookFiles, cover: Cover | None) -> tuple[list[Path], Levels, float]:
        """Writes all files; returns them, the levels, and the length in seconds. Raises OutputError, DiskFullError."""
        chapters, levels = self._measured(files.loudness)
        if files.kind is EPUB:
            made = self._write_epub(files, chapters, levels, cover)
        elif files.per_chapter:
            made = self._write_chapters(files, chapters, levels, cover)
        else:
            made = self._write_file(files, files.target, chapters, levels, cover, self._tags(files))
        return made, levels, chapters[-1].stop / self._rate

    # ------------------------------------------------------------ levels

    def _measured(self, wanted: float | None) -> tuple[list[TimedChapter], Levels]:
        """When everything is heard, and the levels that make the book as loud as is wanted."""
        chapters: list[TimedChapter] = []
        meters: dict[int, LoudnessMeter] = {}
        whole = LoudnessMeter(self._rate)
        peaks: dict[int, float] = {}
        start = 0
        for number in self._chapters:
            timer = ChapterTimer(self._script.chapters[number].title, start, self._rate)
            for piece, samples in self._spoken(number, {}):
                whole.push(samples)
                if piece is None:
                    timer.silence(len(samples))
                else:
                    timer.piece(piece, samples)
                    meters.setdefault(piece.voice, LoudnessMeter(self._rate)).push(samples)
                    peaks[piece.voice] = max(
                        peaks.get(piece.voice, 0.0), float(np.abs(samples).max(initial=0.0))
                    )
            chapters.append(timer.finished())
            start = chapters[-1].stop
        loudness = whole.integrated()
        if wanted is None or loudness == SILENCE:
            return chapters, Levels({}, loudness)
        single = len(meters) == 1
        measured = {voice: loudness if single else meter.integrated() for voice, meter in meters.items()}
        gains = {
            voice: _gain(wanted - (loudness if was == SILENCE else was)) for voice, was in measured.items()
        }
        is_exact = single and all(gains[voice] * peak <= CEILING for voice, peak in peaks.items())
        return chapters, Levels(gains, wanted) if is_exact else self._corrected(gains, wanted)

    def _corrected(self, gains: dict[int, float], wanted: float) -> Levels:
        """The limiter makes it quieter, and voices share the book: measured with both, and made up for."""
        self._passes += 1
        loudness = wanted
        for _ in range(_ROUNDS):
            meter = LoudnessMeter(self._rate)
            for number in self._chapters:
                for _piece, samples in self._spoken(number, gains):
                    meter.push(samples)
            loudness = meter.integrated()
            if abs(loudness - wanted) <= _CLOSE_ENOUGH:
                break
            gains = {voice: gain * _gain(wanted - loudness) for voice, gain in gains.items()}
        return Levels(gains, loudness)

    def _spoken(self, chapter: int, gains: Mapping[int, float]) -> Iterator[tuple[Piece | None, Samples]]:
        """The sound of a chapter: pieces at their levels, and None with each silence."""
        yield None, self._silence(LEAD_S)
        for piece in self._chapters[chapter]:
            if piece.key:
                pcm = self._folder.read(piece.key, self._takes[piece.key])
                samples = pcm.astype(np.float32) / np.float32(32768)
                gain = gains.get(piece.voice)
                yield piece, samples if gain is None else limited(samples * np.float32(gain))
            if piece.segment.pause_after_s:
                yield None, self._silence(piece.segment.pause_after_s)
            self._pieces_done += 1
            self._on_fraction(min(self._pieces_done / (self._passes * self._count), 1.0))

    def _silence(self, seconds: float) -> Samples:
        return np.zeros(round(seconds * self._rate), np.float32)

    # ------------------------------------------------------------ files

    def _write_chapters(
        self, files: BookFiles, chapters: Sequence[TimedChapter], levels: Levels, cover: Cover | None
    ) -> list[Path]:
        made: list[Path] = []
        digits = max(2, len(str(len(chapters))))
        for number, chapter in enumerate(chapters, 1):
            path = files.target / f"{number:0{digits}} {file_name(chapter.title)}{files.kind.suffix}"
            tags = self._tags(files, chapter.title, f"{number}/{len(chapters)}")
            made += self._write_file(
                files, path, [chapter.moved(-chapter.start)], levels, cover, tags, first=number - 1
            )
        return made

    def _write_file(
        self,
        files: BookFiles,
        path: Path,
        chapters: Sequence[TimedChapter],
        levels: Levels,
        cover: Cover | None,
        tags: Tags,
        first: int = 0,
    ) -> list[Path]:
        """One file with these chapters, and the texts beside it."""
        marks = [ChapterMark(chapter.title, chapter.start, chapter.stop) for chapter in chapters]
        numbers = list(self._chapters)[first : first + len(chapters)]
        with written(
            path, files.kind, self._rate, tags, marks, cover, part_folder=self._folder.folder
        ) as book:
            for number in numbers:
                for _piece, samples in self._spoken(number, levels.gains):
                    book.write(samples)
        return [path, *self._write_times(files, path, chapters, tags)]

    def _write_epub(
        self, files: BookFiles, chapters: Sequence[TimedChapter], levels: Levels, cover: Cover | None
    ) -> list[Path]:
        """The sound of each chapter first, beside the pieces, then all in one file."""
        tags, parts = self._tags(files), []
        for at, (number, chapter) in enumerate(zip(self._chapters, chapters, strict=True)):
            sound = self._folder.folder / f"chapter{number}.m4a"
            moved = chapter.moved(-chapter.start)
            plain = replace(files, kind=EPUB_SOUND, subtitles=())
            self._write_file(plain, sound, [moved], levels, None, tags, first=at)
            parts.append((self._script.chapters[number], moved, sound))
        write_epub(files.target, self._script, parts, tags, cover, self._rate)
        return [files.target, *self._write_times(files, files.target, chapters, tags)]

    def _write_times(
        self, files: BookFiles, path: Path, chapters: Sequence[TimedChapter], tags: Tags
    ) -> list[Path]:
        made = []
        for kind in files.subtitles:
            text = subtitles(kind, in_sentences(chapters), self._rate, tags.title, tags.author)
            made.append(path.with_suffix(f".{kind}"))
            with paths.atomic_write(made[-1]) as file:
                file.write(text.encode("utf-8", "replace"))
        return made

    def _tags(self, files: BookFiles, title: str = "", track: str = "") -> Tags:
        script = self._script
        return Tags(
            title or script.title, script.title, script.author, script.language, files.narrator, track
        )


def _gain(decibels: float) -> float:
    return float(10 ** (min(decibels, _MOST_GAIN_DB) / 20))


def file_name(title: str) -> str:
    """A title as part of a file's name, on any system."""
    plain = re.sub(r'[\x00-\x1f<>:"/\\|?*\x7f]+', " ", title)
    return " ".join(plain.split())[:80].rstrip(" .") or "Chapter"
