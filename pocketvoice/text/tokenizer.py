"""Text to token numbers and back: the two file formats a checkpoint comes with, behind one small protocol.

Each library is imported only when a file of its format is loaded. It downloads nothing: `path` is a local file.
A loaded tokenizer is read-only and may be used from several threads.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from pocketvoice.errors import WeightsError


class Tokenizer(Protocol):
    """What the splitter and the engine need of a tokenizer."""

    @property
    def vocab_size(self) -> int:
        """How many pieces it knows; token numbers are below it."""

    def encode(self, text: str) -> list[int]:
        """The token numbers of `text`."""

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of `tokens`; a leading space is lost."""


class SentencePieceTokenizer:
    """The tokenizer of a sentencepiece `.model` file."""

    def __init__(self, path: Path) -> None:
        import sentencepiece

        self._pieces: Any = sentencepiece.SentencePieceProcessor(model_proto=path.read_bytes())

    @property
    def vocab_size(self) -> int:
        return int(self._pieces.vocab_size())

    def encode(self, text: str) -> list[int]:
        return list(self._pieces.encode(text, out_type=int))

    def decode(self, tokens: Sequence[int]) -> str:
        return str(self._pieces.decode(list(tokens)))


class JsonTokenizer:
    """The tokenizer of a Hugging Face `tokenizer.json` file."""

    def __init__(self, path: Path) -> None:
        import tokenizers

        self._tokenizer: Any = tokenizers.Tokenizer.from_str(path.read_text(encoding="utf-8"))

    @property
    def vocab_size(self) -> int:
        return int(self._tokenizer.get_vocab_size())

    def encode(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text).ids)

    def decode(self, tokens: Sequence[int]) -> str:
        return str(self._tokenizer.decode(list(tokens)))


def load_tokenizer(path: Path, kind: str, n_bins: int) -> Tokenizer:
    """Loads the tokenizer at `path`; `kind` and `n_bins` are the config's `tokenizer` and `n_bins`.

    Raises WeightsError if the file is missing, is not a tokenizer or has another number of pieces than `n_bins`.
    """
    tokenizer = _read(path, _reader(path, kind))
    if tokenizer.vocab_size != n_bins:
        raise WeightsError(
            f"The tokenizer {path} has {tokenizer.vocab_size} pieces where the model's config says {n_bins}: "
            "it belongs to another model."
        )
    return tokenizer


def _reader(path: Path, kind: str) -> type[SentencePieceTokenizer] | type[JsonTokenizer]:
    """The suffix wins over `kind`: configs of old models name no kind for their tokenizer.json."""
    is_json = kind in ("tokenizers", "json") or path.name.split("@")[0].endswith(".json")
    return JsonTokenizer if is_json else SentencePieceTokenizer


def _read(path: Path, reader: type[SentencePieceTokenizer] | type[JsonTokenizer]) -> Tokenizer:
    if not path.is_file():
        raise WeightsError(f"The model's tokenizer {path} is missing: download the model again.")
    try:
        return reader(path)
    except ImportError:
        raise
    except (
        Exception
    ) as exc:  # for a bad file: sentencepiece RuntimeError or TypeError, tokenizers Exception itself
        raise WeightsError(
            f"{path} is not a readable tokenizer file: download the model again.",
            detail=f"{reader.__name__}: {type(exc).__name__}: {exc}",
        ) from exc
