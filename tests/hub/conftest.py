"""A fake hub, and an environment that leads to it and to empty caches, whatever the environment of the test run says."""

from collections.abc import Iterator

import numpy as np
import pytest
from huggingface_hub import constants

from tests.hub.fake_hub import FakeHub, Repo

COMMIT = "0123456789abcdef0123456789abcdef01234567"
GATED = f"hf://acme/voice/languages/x/model.safetensors@{COMMIT}"
PUBLIC = f"hf://acme/voice-public/languages/x/model.safetensors@{COMMIT}"
SMALL = f"hf://acme/voice-public/tokenizer.json@{COMMIT}"


@pytest.fixture(scope="session")
def content() -> bytes:
    """A weights file's worth of bytes: 600 kB."""
    return np.random.default_rng(1).bytes(600_000)


@pytest.fixture
def hub(content: bytes, online: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """The fake hub, with a gated repository, a public one, and the environment pointing at it."""
    with FakeHub() as hub:
        hub.tokens = {"hf_good"}
        hub.repos = {
            "acme/voice": Repo(COMMIT, {"languages/x/model.safetensors": content}, gate="token"),
            "acme/voice-public": Repo(
                COMMIT,
                {"languages/x/model.safetensors": content[::-1], "tokenizer.json": b'{"pieces": []}' * 9},
                small={"tokenizer.json"},
            ),
        }
        hub.web = {"voice.wav": content[:300_000], "a folder/stimme ä.wav": b"RIFF"}
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        yield hub


@pytest.fixture
def online(tmp_path, monkeypatch) -> None:
    """No token, empty caches, no proxy, and the network allowed, whatever the test run was started with.

    The hub's library keeps two of these in constants from its import; ours are read at every call.
    """
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("POCKETVOICE_CACHE_DIR", str(tmp_path / "ours"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "no-token"))
    monkeypatch.setattr(constants, "HF_STORED_TOKENS_PATH", str(tmp_path / "no-tokens"))


@pytest.fixture
def signed_in(monkeypatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_good")
