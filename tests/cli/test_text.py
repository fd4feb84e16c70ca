"""`pocketvoice text`: a line of output for every line of input, and as JSON kinds and places."""

import json
from pathlib import Path

import pytest

from pocketvoice import paths
from pocketvoice.cli.options import TextOptions
from pocketvoice.cli.text import text
from pocketvoice.errors import InputError, MissingFileError
from pocketvoice.text.normalise import PronunciationRule, PronunciationRules


def run(file: Path, language: str = "en", as_json: bool = False) -> int:
    return text(TextOptions(file=str(file), text_language=language, json=as_json))


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


def test_auto_guesses_each_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.txt"
    file.write_text(
        "Der Zug nach Berlin kommt um 14.30 Uhr an.\nThe train to London is 5 minutes late today.\n5\n",
        encoding="utf-8",
    )
    run(file, "auto")
    german, english, alone = capsys.readouterr().out.splitlines()
    assert german == "Der Zug nach Berlin kommt um vierzehn Uhr dreißig an."
    assert english == "The train to London is five minutes late today."
    assert alone == "five"


def test_own_pronunciations_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = (PronunciationRule("Nguyen", "win"), PronunciationRule("Cholmondeley", "chumley", voice="rms"))
    paths.user_data_dir().mkdir(parents=True, exist_ok=True)
    PronunciationRules(rules).save(paths.pronunciations_file())
    try:
        (tmp_path / "a.txt").write_text("Mr. Nguyen and Cholmondeley", encoding="utf-8")
        run(tmp_path / "a.txt")
        text(TextOptions(file=str(tmp_path / "a.txt"), text_language="en", voice="rms"))
    finally:
        paths.pronunciations_file().unlink()
    assert capsys.readouterr().out == "Mister win and Cholmondeley\nMister win and chumley\n"


def test_emoji_have_names_if_that_is_wanted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.txt"
    file.write_text("Bis morgen 👍\n", encoding="utf-8")
    for emoji in ("skip", "name"):
        assert text(TextOptions(file=str(file), text_language="de", emoji=emoji)) == 0
    assert capsys.readouterr().out == "Bis morgen\nBis morgen daumen hoch\n"
