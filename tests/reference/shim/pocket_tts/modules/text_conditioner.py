"""Tokenizers. The released ones can't be fetched where tests run: the vocabulary of our own tests takes their place."""

import runpy
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from pocketvoice.text import tokenizer

DEFAULT_TOKENIZER_N_BINS = 4000
VOCABULARY = Path(__file__).parents[4] / "text" / "vocabulary.py"


@cache
def _files() -> tuple[Path, Path]:
    """The vocabulary for sentencepiece, and as JSON."""
    model, json = runpy.run_path(str(VOCABULARY))["write_tokenizers"](Path(tempfile.mkdtemp()))
    return model, json


class _Called:
    """Called, it gives what the reference's gives: a batch of one."""

    def __call__(self: Any, text: str) -> Tensor:
        return torch.tensor([self.encode(text)])


class SentencePieceTokenizer(_Called, tokenizer.SentencePieceTokenizer):
    """Whatever it is asked for, that of our tests."""

    def __init__(self, n_bins: int, path: str) -> None:
        super().__init__(_files()[0])


class JsonTokenizer(_Called, tokenizer.JsonTokenizer):
    """Whatever it is asked for, that of our tests."""

    def __init__(self, n_bins: int, path: str) -> None:
        super().__init__(_files()[1])


Tokenizer = SentencePieceTokenizer | JsonTokenizer


def get_default_tokenizer() -> SentencePieceTokenizer:
    return SentencePieceTokenizer(DEFAULT_TOKENIZER_N_BINS, "")


def build_tokenizer(n_bins: int, path: str, kind: str | None = None) -> Tokenizer:
    is_json = kind == "tokenizers" or (kind is None and ".json" in path)
    return (JsonTokenizer if is_json else SentencePieceTokenizer)(n_bins, path)
