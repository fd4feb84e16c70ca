"""The way to a model behind terms: its page, the token, where that is kept."""

from pathlib import Path

import pytest

from pocketvoice.errors import InputError, UnknownNameError
from pocketvoice.hub import access


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of a user without a token."""
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_ENDPOINT", "http://hub.test")
    return tmp_path / "hub"


def test_terms_have_a_page() -> None:
    assert access.terms_page("english") == "http://hub.test/kyutai/pocket-tts"
    assert access.tokens_page() == "http://hub.test/settings/tokens"


def test_built_in_model_has_no_terms() -> None:
    assert access.terms_page("builtin_en") is None


def test_unknown_model_is_said() -> None:
    with pytest.raises(UnknownNameError):
        access.terms_page("klingon")


def test_token_is_kept_for_the_user_alone(home: Path) -> None:
    access.save_token("  hf_abc123\n")
    assert (home / "token").read_text() == "hf_abc123"
    assert (home / "token").stat().st_mode & 0o077 == 0
    access.save_token("hf_def456")  # another one
    assert (home / "token").read_text() == "hf_def456"
    assert (home / "token").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("token", ["", "abc123", "hf_two words", "hf_\u00e4"])
def test_what_is_no_token_is_refused(home: Path, token: str) -> None:
    with pytest.raises(InputError, match="no access token"):
        access.save_token(token)
    assert not home.exists()


def test_variable_goes_before_a_saved_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_other")
    with pytest.raises(InputError, match="HF_TOKEN"):
        access.save_token("hf_abc123")
