"""Which weights of a model are used: those with voice cloning if they can be had, else the public ones, and never silently.

The weights with cloning are behind terms the user has to accept. Without them the public ones speak just as well with the
catalogue's voices; `FetchedWeights.reason` says which were taken, why, and what to do about it.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pocketvoice.errors import (
    HubError,
    NotOnHubError,
    OfflineError,
    TermsNotAcceptedError,
    TransferError,
    UnauthorizedError,
)
from pocketvoice.hub import faults
from pocketvoice.hub.cache import as_source, cached_path
from pocketvoice.hub.download import fetch
from pocketvoice.hub.progress import PAUSES_S, ProgressCallback
from pocketvoice.hub.source import HubFile


@dataclass(frozen=True)
class FetchedWeights:
    """A weights file and what it can do."""

    path: Path
    has_voice_cloning: bool  # whether the encoder's weights are in it
    reason: str  # one sentence: which weights these are, why, and what to do to get the others


def fetch_weights(
    weights_path: str,
    without_cloning: str | None,
    *,
    progress: ProgressCallback | None = None,
    cancel: threading.Event | None = None,
    pauses_s: Sequence[float] = PAUSES_S,
) -> FetchedWeights:
    """The weights at `weights_path`, or those at `without_cloning` if the hub does not hand out the first.

    Falls back when the hub refuses (401, 403), can't be reached or does not have the file; never on a full disk, a wrong
    checksum or a cancel, and on a broken transfer only to a file that is in the cache. `pauses_s` as in `fetch`.
    """
    public = cached_path(without_cloning) if without_cloning is not None else None
    if public is not None and cached_path(weights_path) is None and _is_stranger(weights_path):
        return _without_cloning(public, without_cloning, f"no access token is set ({_remedy(weights_path)})")
    try:
        path = fetch(weights_path, progress=progress, cancel=cancel, pauses_s=pauses_s)
    except (UnauthorizedError, TermsNotAcceptedError, OfflineError, NotOnHubError, TransferError) as exc:
        if without_cloning is None or (isinstance(exc, TransferError) and public is None):
            raise
        if public is None:
            public = _fetch_public(without_cloning, exc, progress, cancel)
        return _without_cloning(public, without_cloning, _why(exc, weights_path))
    return FetchedWeights(path, True, "The full weights are loaded: voices can be cloned.")


def _fetch_public(
    source: str, first: HubError, progress: ProgressCallback | None, cancel: threading.Event | None
) -> Path:
    """The public weights, not cached so far; if the network is the trouble, that is the one error to tell."""
    try:
        return fetch(source, progress=progress, cancel=cancel)
    except OfflineError as exc:
        if faults.is_offline():
            why = "HF_HUB_OFFLINE forbids the network: unset HF_HUB_OFFLINE once and start again while online"
        else:
            why = "the network can't be reached: check the network connection and start again"
        raise OfflineError(
            f"The model is not on this computer yet and {why}.", detail=f"{first.detail}; {exc.detail}"
        ) from exc


def _without_cloning(path: Path, source: str | None, why: str) -> FetchedWeights:
    return FetchedWeights(path, False, f"The public weights without voice cloning are loaded, because {why}.")


def _why(exc: HubError, source: str) -> str:
    if isinstance(exc, UnauthorizedError):
        return f"the hub does not know you or your access token ({_remedy(source)})"
    if isinstance(exc, TermsNotAcceptedError):
        return f"the terms of the full ones are not accepted ({_remedy(source)})"
    if isinstance(exc, NotOnHubError):
        return f"the full ones are not where the config says, {source} (check it)"
    if isinstance(exc, TransferError):
        return "the download of the full ones broke (start again to resume it)"
    if faults.is_offline():
        return "HF_HUB_OFFLINE is set and the full ones are not in the cache (unset it once to get them)"
    return "the network can't be reached and the full ones are not in the cache (go online once to get them)"


def _remedy(source: str) -> str:
    file = as_source(source)
    if isinstance(file, HubFile):
        return f"to clone voices, accept the terms at {faults.terms_page(file.repo)} and run `hf auth login`"
    return "to clone voices, get the file by hand and name its path in the config"


def _is_stranger(source: str) -> bool:
    """Whether asking the hub for `source` is in vain: it hands out gated files to nobody without a token."""
    if not isinstance(as_source(source), HubFile):
        return False
    from huggingface_hub import get_token

    return get_token() is None
