"""Files made to hurt: refused in one sentence or opened unharmed, quickly, without the network and without the disk."""

import os
import socket
import time
import tracemalloc
from pathlib import Path

import pytest

from pocketvoice.documents import DocumentError, can_open, document_from_bytes, open_document
from pocketvoice.errors import InputError, MissingFileError
from tests.documents.hostile import OPENED, REFUSED

LONGEST_S = 8.0  # on a machine with many other things to do


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("a document reached for the network")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.parametrize("what", REFUSED)
def test_refused_in_one_sentence(what: str) -> None:
    name, make = REFUSED[what]
    data = make()
    began = time.process_time()
    with pytest.raises(DocumentError) as caught:
        document_from_bytes(data, name).text  # noqa: B018 - reads it all
    assert time.process_time() - began < LONGEST_S
    assert_is_sentence(str(caught.value), name)


def assert_is_sentence(message: str, name: str) -> None:
    assert message.startswith(name)
    assert message.endswith(".")
    assert ": " in message, "no remedy"
    assert "\n" not in message
    assert len(message) < 200


@pytest.mark.parametrize("what", OPENED)
def test_opened_unharmed(what: str) -> None:
    name, make, said = OPENED[what]
    data = make()
    began = time.process_time()
    text = document_from_bytes(data, name).text
    assert time.process_time() - began < LONGEST_S
    assert said in text
    assert "root:" not in text
    assert "ha ha" not in text


def test_a_bomb_does_not_fill_the_memory() -> None:
    name, make = REFUSED["zip bomb"]
    data = make()
    tracemalloc.start()
    try:
        with pytest.raises(DocumentError):
            document_from_bytes(data, name)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("ending", [".txt", ".pdf", ".epub", ".docx", ".html"])
def test_a_gigabyte_of_nothing_is_refused_at_once(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"nothing{ending}"
    with path.open("wb") as file:
        file.truncate(1 << 30)  # takes no room on the disk
    began = time.process_time()
    with pytest.raises(DocumentError, match="zeros"):
        open_document(path)
    assert time.process_time() - began < 1.0


def test_a_gigabyte_of_text_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "much.txt"
    with path.open("wb") as file:
        file.write(b"Some words. " * 1000)
        file.truncate(1 << 30)
    began = time.process_time()
    with pytest.raises(DocumentError, match="too large"):
        open_document(path)
    assert time.process_time() - began < 1.0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(DocumentError, match="not a file"):
        open_document(tmp_path / "pipe.txt")


def test_folders_and_devices_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="is a folder"):
        open_document(tmp_path)
    if os.name == "posix":
        with pytest.raises(DocumentError, match="not a file"):
            open_document("/dev/zero")


@pytest.mark.parametrize("path", ["", "no/such/file.pdf", "no\0name.txt"])
def test_what_is_not_there_is_said_so(path: str) -> None:
    with pytest.raises(InputError):
        open_document(path)


def test_a_missing_file_is_a_missing_file() -> None:
    with pytest.raises(MissingFileError, match="check the name"):
        open_document("no/such/file.pdf")


def test_can_open_says_no_without_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (tmp_path / "a.txt").write_text("Words.", encoding="utf-8")
    assert can_open(tmp_path / "a.txt")
    assert not any(map(can_open, [tmp_path, tmp_path / "a.png", tmp_path / "gone.txt"]))


DATA = Path(__file__).with_name("data")


@pytest.mark.parametrize("path", sorted(DATA.iterdir()), ids=lambda path: path.name)
def test_damaged_files_never_raise_anything_else(path: Path) -> None:
    """Every file of ours cut short and with bytes turned over: read, or refused as a document."""
    whole = path.read_bytes()
    for number in range(12):
        data = bytearray(whole[: len(whole) * (number + 1) // 13] if number % 2 else whole)
        for at in range(number, len(data), max(len(data) // (5 * number + 1), 1)):
            data[at] ^= 0x55
        try:
            assert document_from_bytes(bytes(data), path.name).text
        except DocumentError as error:
            assert_is_sentence(str(error), path.name)
