"""What is on the disk already: the model hub's cache, and our own folder for files from web addresses.

Only paths and file operations: no network, and no import of the hub's library beyond its constants, so that asking
whether a model is there costs microseconds. The layout of the hub's cache is the library's documented one
(`models--owner--repo/{blobs,refs,snapshots}`); what we put there the library finds, and the other way round.
The environment is read at every call, so that a changed HF_HOME is honoured without a restart.
"""

import os
from contextlib import suppress
from pathlib import Path

from pocketvoice import paths
from pocketvoice.errors import InputError
from pocketvoice.hub.source import HttpFile, HubFile, LocalFile, Source, parse


def cached_path(source: str | Path | Source, folder: Path | None = None) -> Path | None:
    """The file `source` names, if it lies on this disk; None if it would have to be fetched.

    What comes from a web address lies in `folder`; None is `downloads_dir()`.
    """
    file = as_source(source)
    if isinstance(file, HubFile):
        path = _snapshot_path(file)
    elif isinstance(file, HttpFile):
        path = (folder or downloads_dir()) / file.cache_name
    else:
        path = file.path
    return path if _exists(path) else None


def is_cached(source: str | Path | Source) -> bool:
    """Whether `source` can be used with no network."""
    return cached_path(source) is not None


def forget(source: str | Path | Source) -> None:
    """Throws away what came from a web address: it was not what was wanted (a web page, say). Other files stay."""
    with suppress(InputError):
        file = as_source(source)
        if isinstance(file, HttpFile):
            with suppress(OSError):
                (downloads_dir() / file.cache_name).unlink()


def as_source(source: str | Path | Source) -> Source:
    """A path or text from outside as one of our three kinds of place."""
    if isinstance(source, Path):
        return LocalFile(source)
    return parse(source) if isinstance(source, str) else source


def downloads_dir() -> Path:
    """Our own folder for what comes from web addresses."""
    return paths.user_cache_dir() / "downloads"


def hub_cache_dir() -> Path:
    """The cache shared by all programs that use the model hub."""
    explicit = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    if explicit:
        return Path(explicit).expanduser()
    home = os.environ.get("HF_HOME")
    if home:
        return Path(home).expanduser() / "hub"
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE)


def blob_path(file: HubFile, etag: str) -> Path:
    """Where the content lies that the hub calls `etag`."""
    return _repo_dir(file) / "blobs" / etag


def lock_path(file: HubFile, etag: str) -> Path:
    """The lock of that content: the one the hub's library takes too."""
    return hub_cache_dir() / ".locks" / _repo_dir(file).name / f"{etag}.lock"


def publish(blob: Path, file: HubFile, commit: str) -> Path:
    """Makes the finished `blob` visible as `file` at `commit`; the path to use from now on."""
    repo = _repo_dir(file)
    pointer = repo / "snapshots" / commit / file.path
    pointer.parent.mkdir(parents=True, exist_ok=True)
    if not pointer.exists():
        _link(pointer, blob)
    revision = file.revision or "main"
    if revision != commit:
        reference = repo / "refs" / revision
        reference.parent.mkdir(parents=True, exist_ok=True)
        # The library reads it to know which commit a branch is at: half a name would be another one.
        with paths.atomic_write(reference) as out:
            out.write(commit.encode())
    return pointer


def _link(pointer: Path, blob: Path) -> None:
    with suppress(FileNotFoundError):
        pointer.unlink()  # a link whose blob is gone
    try:
        pointer.symlink_to(os.path.relpath(blob, pointer.parent))
    except FileExistsError:
        pass  # another process was quicker; it is the same content
    except OSError:
        # Windows without the right to make links: the library moves the blob there as well.
        blob.replace(pointer)


def _repo_dir(file: HubFile) -> Path:
    return hub_cache_dir() / ("models--" + file.repo.replace("/", "--"))


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name too long for the system, a folder we may not look into
        return False


def _snapshot_path(file: HubFile) -> Path:
    repo = _repo_dir(file)
    commit = file.revision or "main"
    if not file.is_pinned:
        with suppress(OSError):  # no such reference: the revision may be a folder all the same
            commit = (repo / "refs" / commit).read_text(encoding="utf-8").strip()
    return repo / "snapshots" / commit / file.path
