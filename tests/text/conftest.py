"""The small tokenizers of the text tests, trained once a session."""

import runpy
from pathlib import Path

import pytest

from pocketvoice.text.tokenizer import Tokenizer, load_tokenizer

_VOCABULARY = runpy.run_path(str(Path(__file__).with_name("vocabulary.py")))


@pytest.fixture(scope="session")
def tokenizer_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same vocabulary as a sentencepiece model and as a tokenizer.json."""
    model, json = _VOCABULARY["write_tokenizers"](tmp_path_factory.mktemp("vocabulary"))
    return {"sentencepiece": model, "tokenizers": json}


@pytest.fixture(scope="session")
def n_pieces() -> int:
    return int(_VOCABULARY["N_PIECES"])


@pytest.fixture(scope="session")
def prose() -> str:
    """A paragraph in each of the seven languages."""
    return "\n\n".join(" ".join(text.split()) for text in _VOCABULARY["SENTENCES"].values())


@pytest.fixture(scope="session", params=["sentencepiece", "tokenizers"])
def tokenizer(request: pytest.FixtureRequest, tokenizer_files: dict[str, Path], n_pieces: int) -> Tokenizer:
    return load_tokenizer(tokenizer_files[request.param], request.param, n_pieces)
