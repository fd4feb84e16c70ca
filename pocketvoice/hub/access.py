"""What it takes to get a model that is behind terms: the page where they are accepted, the page of access tokens, the token itself.

The token is kept where the hub's library looks for it, so that every program of the user finds it. No network here.
"""

import os
from contextlib import suppress
from pathlib import Path

from pocketvoice import paths
from pocketvoice.errors import ConfigError, InputError, from_os_error
from pocketvoice.hub import catalogue, faults
from pocketvoice.hub.cache import as_source
from pocketvoice.hub.source import HubFile

_PREFIX = "hf_"


def terms_page(language: str) -> str | None:
    """Where the terms of the full weights of a catalogue model are accepted; None if there are none to accept."""
    import yaml

    path = catalogue.entry(language).config_path
    try:
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
        gated = config["weights_path"], config.get("weights_path_without_voice_cloning")
    except (OSError, yaml.YAMLError, KeyError, TypeError, AttributeError) as exc:
        raise ConfigError(
            f"The model config {path} is damaged: reinstall the program.", detail=repr(exc)
        ) from exc
    source = as_source(str(gated[0]))
    return faults.terms_page(source.repo) if gated[1] and isinstance(source, HubFile) else None


def tokens_page() -> str:
    """Where a user of the hub makes an access token."""
    return f"{faults.endpoint()}/settings/tokens"


def has_token() -> bool:
    """Whether there is an access token, wherever it comes from."""
    from huggingface_hub import get_token

    return get_token() is not None


def save_token(token: str) -> None:
    """Keeps an access token, readable by the user alone; raises InputError, OutputError or DiskFullError."""
    token = token.strip()
    if not token.startswith(_PREFIX) or not token.isascii() or len(token.split()) != 1:
        raise InputError(f"That is no access token: it begins with {_PREFIX} and has no spaces.")
    if os.environ.get("HF_TOKEN") or os.environ.get("HUGGING_FACE_HUB_TOKEN"):
        raise InputError("The variable HF_TOKEN is set and goes before a saved token: change or unset it.")
    path = _token_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise from_os_error(exc, path.parent) from exc
    with paths.atomic_write(path) as file:
        with suppress(OSError, AttributeError):  # not on every system
            os.fchmod(file.fileno(), 0o600)
        file.write(token.encode())


def _token_path() -> Path:
    """As the hub's library has it, but asked of the environment anew."""
    explicit, home = os.environ.get("HF_TOKEN_PATH"), os.environ.get("HF_HOME")
    if explicit:
        return Path(explicit).expanduser()
    if home:
        return Path(home).expanduser() / "token"
    from huggingface_hub import constants

    return Path(constants.HF_TOKEN_PATH)
