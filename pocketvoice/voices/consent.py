"""The sentence a user agrees to before a voice is cloned, and what the models must not be used for. Texts of `resources/`."""

import tomllib
from functools import cache
from typing import Any

from pocketvoice import paths


def sentence() -> str:
    """For the checkbox; it is stored with the voice."""
    return str(_texts()["sentence"])


def prohibited_uses() -> tuple[str, ...]:
    """Sentences: the first is the rule, the others what is forbidden."""
    texts = _texts()
    return (str(texts["rule"]), *(str(use) for use in texts["prohibited"]))


@cache
def _texts() -> dict[str, Any]:
    return tomllib.loads((paths.resources_dir() / "consent.toml").read_text(encoding="utf-8"))
