"""`pocketvoice text`: a line of output for every line of input, and as JSON kinds and places."""

import argparse
import json
from pathlib import Path

import pytest

from pocketvoice.cli.text import text
from pocketvoice.errors import InputError, MissingFileError


def run(file: Path, language: str = "en", as_json: bool = False) -> int:
    return text(argparse.Namespace(file=str(file), language=language, json=as_json))


def test_a_line_for_every_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.txt"
    file.write_text("It costs $5.\n\nAt 5:30 pm today.\n", encoding="utf-8")
    assert run(file) == 0
    assert capsys.readouterr().out == "It costs five dollars.\n\nAt five thirty PM today.\n"


def test_json_has_kinds_and_places(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.txt"
    file.write_text("One.\nIt costs $5.\n", encoding="utf-8")
    run(file, as_json=True)
    row = json.loads(capsys.readouterr().out.splitlines()[1])
    assert row["kinds"] == ["money"]
    assert row["words"][2] == {"text": "five", "kind": "money", "span": [14, 16], "source": "$5"}


def test_the_language_decides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.txt"
    file.write_text("1.500 km", encoding="utf-8")
    run(file, "de")
    assert capsys.readouterr().out == "eintausendfünfhundert Kilometer\n"


def test_bad_input_is_told(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        run(tmp_path / "none.txt")
    (tmp_path / "latin.txt").write_bytes("é".encode("latin-1"))
    with pytest.raises(InputError, match="UTF-8"):
        run(tmp_path / "latin.txt")
    (tmp_path / "a.txt").write_text("a", encoding="utf-8")
    with pytest.raises(InputError, match="choose one of"):
        run(tmp_path / "a.txt", "xx")
