"""Fetching: `fetch` gives a path for any source, from the cache at once or over the network with progress, cancel and resume.

The hub's library says where a file lies, what it is called inside the cache and who we are (address, etag, size, token); the
bytes go through `transfer`. Its own `hf_hub_download` is not used for them, for reasons that stand at `_fetch_from_hub`.
Blocks the calling thread; several threads and processes may fetch the same file, one of them downloads it.
"""

import hashlib
import logging
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pocketvoice.errors import (
    Cancelled,
    ChecksumError,
    MissingFileError,
    PocketVoiceError,
    UnauthorizedError,
    from_os_error,
)
from pocketvoice.hub import cache, faults
from pocketvoice.hub.cache import as_source, cached_path, is_cached
from pocketvoice.hub.progress import PAUSES_S, DownloadProgress, ProgressCallback, check_cancel
from pocketvoice.hub.source import HttpFile, HubFile, LocalFile, RemoteFile

__all__ = ["DownloadProgress", "ProgressCallback", "cached_path", "fetch", "is_cached"]

_LOCK_POLL_S = 0.1  # between two attempts at a lock that another download holds
_CANCEL_POLL_S = 0.05  # between two looks at `cancel`
_SHA256 = re.compile(r"[0-9a-f]{64}")
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")  # the server's words become names in the cache
_GIT_SHA1 = re.compile(r"[0-9a-f]{40}")

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Published:
    """What the hub says of a file before it is fetched."""

    url: str
    commit: str
    etag: str  # the sha256 of a large file, git's sha1 of a small one
    size_bytes: int | None
    headers: dict[str, str]  # to send along when fetching it
    token: str | None  # the Authorization header it was found with


def fetch(
    source: str | Path,
    *,
    progress: ProgressCallback | None = None,
    cancel: threading.Event | None = None,
    pauses_s: Sequence[float] = PAUSES_S,
    public_only: bool = False,
    folder: Path | None = None,
) -> Path:
    """The path of the file that `source` names: a path, `hf://owner/repo/path@revision` or a web address.

    With `public_only` a web address, and where it leads on to, must be one of the public internet; else InputError.
    With `folder` what comes from a web address is kept, and looked for, there.
    What lies in the cache is used as it is, with no request. A transfer that breaks is tried again after each of `pauses_s`
    seconds. Raises MissingFileError for a path that does not exist,
    InputError for a source that is none, Cancelled as soon as `cancel` is set, and the errors of the network and the disk.
    """
    file = as_source(source)
    folder = folder or cache.downloads_dir()
    found = cached_path(file, folder)
    if found is not None:
        return found
    if isinstance(file, LocalFile):
        raise MissingFileError(f"There is no file {file.path}: check the path.")
    if faults.is_offline():
        raise faults.network_forbidden(file)
    check_cancel(cancel)
    try:
        if isinstance(file, HubFile):
            return _fetch_from_hub(file, progress, cancel, pauses_s)
        return _fetch_from_web(file, folder, progress, cancel, pauses_s, public_only)
    except PocketVoiceError:
        raise
    except OSError as exc:  # folders, locks and links; the network's faults are ours by now
        raise from_os_error(exc, exc.filename or cache.hub_cache_dir()) from exc


def _fetch_from_hub(
    file: HubFile,
    progress: ProgressCallback | None,
    cancel: threading.Event | None,
    pauses_s: Sequence[float],
) -> Path:
    """Asks the hub's library what to fetch, fetches it into the library's cache, and checks it.

    Why not `hf_hub_download`: that of huggingface_hub 2.4 throws partial files away (its temporary names are unique to a
    call), so nothing resumes; it hands out pieces of 10 MB, so a cancel waits for the next piece; it checks sizes only. Its
    xet path adds a client in another language that reports from foreign threads and stops only with its whole session.
    Plain HTTP serves every file of the hub, xet ones too.
    """
    from pocketvoice.hub.transfer import Order, receive

    published = _interruptible(lambda: _look_up(file), cancel)
    blob = cache.blob_path(file, published.etag)
    with _locked(cache.lock_path(file, published.etag), cancel):
        if not blob.exists():
            part = blob.with_name(blob.name + ".pocketvoice.incomplete")
            part.parent.mkdir(parents=True, exist_ok=True)
            order = Order(
                file,
                published.url,
                part,
                published.headers,
                published.token,
                published.size_bytes,
                is_pinned=True,
                pauses_s=pauses_s,
            )
            receive(order, progress=progress, cancel=cancel)
            _verify(part, published.etag, file)
            part.replace(blob)
        return cache.publish(blob, file, published.commit)


def _fetch_from_web(
    file: HttpFile,
    folder: Path,
    progress: ProgressCallback | None,
    cancel: threading.Event | None,
    pauses_s: Sequence[float],
    public_only: bool,
) -> Path:
    from pocketvoice.hub.transfer import Order, receive

    target = folder / file.cache_name
    with _locked(target.with_name(target.name + ".lock"), cancel):
        if not target.exists():
            part = target.with_name(target.name + ".part")
            order = Order(
                file,
                file.url,
                part,
                {"User-Agent": "pocketvoice"},
                public_only=public_only,
                pauses_s=pauses_s,
            )
            try:
                receive(order, progress=progress, cancel=cancel)
            except Cancelled:
                # Somebody else's wish, and too large: nobody comes back for it.
                if folder != cache.downloads_dir():
                    part.unlink(missing_ok=True)
                    part.with_name(part.name + ".validator").unlink(missing_ok=True)
                raise
            part.replace(target)
    return target


def _look_up(file: HubFile) -> _Published:
    """Asks the hub about `file` with the user's token; without it if the hub does not know the token.

    An expired token is refused even for what everybody may read.
    """
    from huggingface_hub import constants, utils

    # Else the library tells the hub which programs run here, for which it first fetches a list: one request more, and
    # seconds of waiting where there is no network. The variable of this name is read only when the library is imported.
    constants.HF_HUB_DISABLE_TELEMETRY = True
    headers = dict(utils.build_hf_headers(library_name="pocketvoice"))  # type: ignore[attr-defined]
    token = headers.pop("authorization", None)
    try:
        return _ask(file, headers, token)
    except UnauthorizedError:
        if token is None:
            raise
        with suppress(UnauthorizedError):
            return _ask(file, headers, None)
        raise


def _ask(file: HubFile, headers: dict[str, str], token: str | None) -> _Published:
    from huggingface_hub import constants, get_hf_file_metadata, hf_hub_url

    url = hf_hub_url(file.repo, file.path, revision=file.revision, endpoint=faults.endpoint())
    sent = headers if token is None else {**headers, "authorization": token}
    try:
        metadata = get_hf_file_metadata(url, token=False, headers=sent, timeout=constants.HF_HUB_ETAG_TIMEOUT)
    except faults.library_errors() as exc:
        fault = faults.from_library(exc, file, signed_in=token is not None)
        if fault is None:
            raise
        raise fault from exc
    commit, etag = metadata.commit_hash or "", metadata.etag or ""
    if not (_FILE_NAME.fullmatch(commit) and _FILE_NAME.fullmatch(etag)):
        raise faults.not_a_hub(file)
    pinned = hf_hub_url(file.repo, file.path, revision=commit, endpoint=faults.endpoint())
    return _Published(pinned, commit, etag, metadata.size, headers, token)


def _interruptible(ask: Callable[[], _Published], cancel: threading.Event | None) -> _Published:
    """`ask()`, given up as soon as `cancel` is set: the library's requests can't be stopped, but nothing depends on them."""
    if cancel is None:
        return ask()
    answers: list[_Published] = []
    faults_met: list[Exception] = []

    def run() -> None:
        try:
            answers.append(ask())
        except Exception as exc:  # outermost in its thread: the caller gets it
            faults_met.append(exc)

    thread = threading.Thread(target=run, name="hub-look-up", daemon=True)
    thread.start()
    while thread.is_alive():
        check_cancel(cancel)
        thread.join(_CANCEL_POLL_S)
    if faults_met:
        raise faults_met[0]
    return answers[0]


@contextmanager
def _locked(path: Path, cancel: threading.Event | None) -> Iterator[None]:
    """Holds the lock file `path`; waits for whoever holds it now, until `cancel` is set."""
    from huggingface_hub import utils

    path.parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        while True:
            check_cancel(cancel)
            try:
                stack.enter_context(utils.WeakFileLock(str(path), timeout=_LOCK_POLL_S))  # type: ignore[attr-defined]
                break
            except TimeoutError:
                logger.debug("waiting for another download of %s", path.stem)
        yield


def _verify(part: Path, etag: str, file: RemoteFile) -> None:
    """Throws `part` away, with ChecksumError, unless it holds what the hub calls `etag`."""
    if _SHA256.fullmatch(etag):
        digest = hashlib.sha256()
    elif _GIT_SHA1.fullmatch(etag):
        digest = hashlib.sha1(f"blob {part.stat().st_size}\0".encode(), usedforsecurity=False)
    else:
        return  # an etag of a server of its own: it says nothing about the content
    with part.open("rb") as content:
        while piece := content.read(1 << 20):
            digest.update(piece)
    if digest.hexdigest() != etag:
        part.unlink()
        raise ChecksumError(
            f"{faults.describe(file)} arrived damaged and was thrown away: try again, and if it happens again, "
            "check the proxy or virus scanner in between.",
            detail=f"published {etag}, received {digest.hexdigest()}",
        )
