"""Voices that clients name by address: fetched under one set of rules, and kept in a folder with a size and an age.

A hub address is fetched like a web address, without the user's token: it is somebody else's wish. Blocks the calling thread.
"""

import threading
import time
from contextlib import suppress
from pathlib import Path

from pocketvoice import paths
from pocketvoice.errors import Cancelled, InputError
from pocketvoice.hub import faults
from pocketvoice.hub.cache import as_source, cached_path
from pocketvoice.hub.download import DownloadProgress, fetch
from pocketvoice.hub.source import HubFile
from pocketvoice.server.uploads import check_voice

MOST_BYTES = 512 << 20
"""Of all voices by address that are kept; the one that was fetched longest ago goes first."""
MOST_AGE_S = 24 * 3600.0
"""A voice is fetched anew after so long: the address may hold another one."""


def folder() -> Path:
    """Where they are kept."""
    return paths.user_cache_dir() / "voices_by_address"


def fetch_voice(address: str, most: int, cancel: threading.Event, *, public_only: bool) -> Path:
    """The file at an address, of at most `most` bytes; what is no voice is not kept.

    Raises:
        Cancelled: it is larger.
        InputError: it is no voice; and what `fetch` raises.
    """

    def watch(progress: DownloadProgress) -> None:
        if max(progress.done_bytes, progress.total_bytes or 0) > most:
            cancel.set()

    tidy(folder())
    source = as_source(address)
    path = cached_path(source) if isinstance(source, HubFile) else None
    if path is None:
        if isinstance(source, HubFile):
            address = f"{faults.endpoint()}/{source.repo}/resolve/{source.revision or 'main'}/{source.path}"
        path = fetch(address, progress=watch, cancel=cancel, public_only=public_only, folder=folder())
    if path.stat().st_size > most:
        raise Cancelled("It lies here already, and is too large.")
    try:
        check_voice(path)
    except InputError:
        if path.parent == folder():  # a web page, perhaps: the next request asks again
            path.unlink(missing_ok=True)
        raise
    tidy(folder(), keep=path)
    return path


def tidy(
    place: Path, *, keep: Path | None = None, most_bytes: int = MOST_BYTES, most_age_s: float = MOST_AGE_S
) -> None:
    """Deletes what is too old, then the oldest until the rest fits; never `keep`, nor a file that is being written."""
    now, found = time.time(), []
    with suppress(OSError):
        for path in place.iterdir():
            with suppress(OSError):
                found.append((path.stat().st_mtime, path.stat().st_size, path))
    total = sum(size for _, size, _ in found)
    for changed, size, path in sorted(found):
        is_new = now - changed <= most_age_s
        if path == keep or (
            is_new and (total <= most_bytes or path.suffix in (".part", ".lock", ".validator"))
        ):
            continue
        with suppress(OSError):
            path.unlink()
            total -= size
