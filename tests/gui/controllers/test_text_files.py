"""Text from files: the encoding is guessed, what is no text is refused."""

import codecs
import random
from pathlib import Path

import pytest

from pocketvoice.errors import InputError, MissingFileError
from pocketvoice.gui.controllers.text_files import decode, read_text

TEXT = "Größe, naïve café – “quoted”.\nSecond line."


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"]
)
def test_encoding_is_guessed(encoding: str) -> None:
    assert decode(TEXT.encode(encoding), "a.txt") == TEXT


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1251", "Это был длинный день, и никто не спал. Потом пришёл дождь."),
        ("koi8-r", "Это был длинный день, и никто не спал. Потом пришёл дождь."),
        ("shift-jis", "これは日本語の文章です。昔々あるところに、おじいさんとおばあさんがいました。"),
        ("gb18030", "这是一个很长的夜晚，没有人睡觉。后来下雨了，大家都回家了。"),
        (
            "cp1252",
            "Die Größe der Bäume überraschte die Gäste, die fröhlich über die Brücke kamen: „Schön“, sagte Jürgen.",
        ),
    ],
)
def test_old_encodings_open_as_what_they_are(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding), "a.txt") == text


def test_bytes_only_latin_1_knows() -> None:
    assert decode(b"caf\xe9 \x81", "a.txt") == "café \x81"


def test_line_ends_become_one() -> None:
    assert decode(b"a\r\nb\rc\n", "a.txt") == "a\nb\nc\n"
    assert decode(b"", "a.txt") == ""


@pytest.mark.parametrize(
    "data",
    [
        b"%PDF-1.7\nabc",
        b"PK\x03\x04abc",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        random.Random(1).randbytes(5000),
        b"\xff\xfea",
    ],
)
def test_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match="is not a text file: choose"):
        decode(data, "picture.txt")


def test_missing_and_folder(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="There is no file"):
        read_text(tmp_path / "none.txt")
    with pytest.raises(InputError, match="is a folder"):
        read_text(tmp_path)


def test_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.txt"
    with path.open("wb") as file:
        file.truncate(30_000_000)
    with pytest.raises(InputError, match="too large"):
        read_text(path)


def test_marks_are_no_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(codecs.BOM_UTF8 + b"# Title")
    assert read_text(path) == "# Title"
