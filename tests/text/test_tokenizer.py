"""Loading the two formats of tokenizers, and what is wrong with a file in a sentence."""

import shutil
from pathlib import Path

import pytest

from pocketvoice.errors import WeightsError
from pocketvoice.text.tokenizer import JsonTokenizer, SentencePieceTokenizer, Tokenizer, load_tokenizer


def test_formats_agree(tokenizer_files: dict[str, Path], n_pieces: int, prose: str) -> None:
    first, second = (load_tokenizer(path, kind, n_pieces) for kind, path in tokenizer_files.items())
    assert first.encode(prose) == second.encode(prose)


def test_decode_returns_text(tokenizer: Tokenizer) -> None:
    assert (
        tokenizer.decode(tuple(tokenizer.encode("It was raining, 😂 and so on.")))
        == "It was raining, 😂 and so on."
    )


def test_suffix_chooses_format(tokenizer_files: dict[str, Path], n_pieces: int, tmp_path: Path) -> None:
    assert isinstance(load_tokenizer(tokenizer_files["tokenizers"], "sentencepiece", n_pieces), JsonTokenizer)
    assert isinstance(
        load_tokenizer(tokenizer_files["sentencepiece"], "sentencepiece", n_pieces), SentencePieceTokenizer
    )
    unnamed = shutil.copy(tokenizer_files["tokenizers"], tmp_path / "blob")
    assert isinstance(load_tokenizer(Path(unnamed), "json", n_pieces), JsonTokenizer)


def test_missing_file_told(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="missing"):
        load_tokenizer(tmp_path / "tokenizer.model", "sentencepiece", 4000)


@pytest.mark.parametrize("name", ["tokenizer.model", "tokenizer.json"])
@pytest.mark.parametrize("content", [b"", b"not a tokenizer", b"{}", b"\xff\xfe\x00"])
def test_damaged_file_told(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(WeightsError, match=name):
        load_tokenizer(path, "sentencepiece", 4000)


@pytest.mark.parametrize("kind", ["sentencepiece", "tokenizers"])
def test_other_vocabulary_refused(tokenizer_files: dict[str, Path], kind: str, n_pieces: int) -> None:
    with pytest.raises(WeightsError, match=f"{n_pieces} pieces .* 4000"):
        load_tokenizer(tokenizer_files[kind], kind, 4000)
