"""Where a file comes from: `parse` turns what a config or a user names into a place on the hub, on the web or on this disk.

Pure text work. It does not look whether the place exists, and knows neither the network nor the cache.
"""

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from pocketvoice.errors import InputError

_HUB = "hf://"
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")  # two letters at least: C:// is a Windows drive


@dataclass(frozen=True)
class HubFile:
    """A file of a repository on the model hub."""

    repo: str  # owner/name
    path: str  # inside the repository, with slashes
    revision: str | None = None  # a commit, branch or tag; None is the main branch

    @property
    def name(self) -> str:
        """The file's own name, for messages."""
        return PurePosixPath(self.path).name

    @property
    def origin(self) -> str:
        """Who serves it, for messages."""
        return self.repo

    @property
    def is_pinned(self) -> bool:
        """Whether the revision is a commit, whose files never change."""
        return self.revision is not None and _COMMIT.fullmatch(self.revision) is not None

    def __str__(self) -> str:
        return f"{_HUB}{self.repo}/{self.path}" + (f"@{self.revision}" if self.revision else "")


@dataclass(frozen=True)
class HttpFile:
    """A file behind a web address."""

    url: str

    @property
    def name(self) -> str:
        """The file's own name, for messages."""
        return PurePosixPath(urlsplit(self.url).path).name or self.origin

    @property
    def origin(self) -> str:
        """Who serves it, for messages."""
        return urlsplit(self.url).netloc.rpartition("@")[2]

    @property
    def cache_name(self) -> str:
        """A file name of its own in the cache: two addresses never share one."""
        import hashlib  # here, because it costs the start 3 ms and few sources are web addresses

        suffix = PurePosixPath(urlsplit(self.url).path).suffix
        return hashlib.sha256(self.url.encode()).hexdigest() + suffix

    def __str__(self) -> str:
        return self.url


@dataclass(frozen=True)
class LocalFile:
    """A file on this disk, or one that should be."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)


RemoteFile = HubFile | HttpFile
Source = HubFile | HttpFile | LocalFile


def parse(source: str) -> Source:
    """The place that `source` names; raises InputError, naming what is wrong, if it names none."""
    text = source.strip()
    if not text:
        raise InputError(
            "No file is named: give a path, an https:// address or hf://owner/repo/path@revision."
        )
    scheme = _SCHEME.match(text)
    if text.lower().startswith("hf:"):
        return _parse_hub(text)
    if scheme is None:
        return LocalFile(Path(text).expanduser())
    if scheme[0].lower() in ("http://", "https://"):
        return _parse_http(text)
    raise InputError(f"Can't fetch {text}: only paths, https:// and hf:// addresses are known.")


def _parse_hub(text: str) -> HubFile:
    if not text.startswith(_HUB):
        raise _malformed(text, "it must start with hf://")
    owner, _, rest = text.removeprefix(_HUB).partition("/")
    repo, _, tail = rest.partition("/")
    path, at, revision = tail.rpartition("@") if "@" in tail else (tail, "", "")
    if not (owner and repo and path):
        raise _malformed(text, "the owner, the repository or the path is missing")
    for part in (owner, repo):
        if _NAME.fullmatch(part) is None:
            raise _malformed(text, f"{part!r} is not a name")
    if at and _REVISION.fullmatch(revision) is None:
        raise _malformed(text, f"{revision!r} after the @ is not a revision")
    # The path is joined to a folder of the cache: it must not lead out of it.
    if "\\" in path or ":" in path or any(part in ("", ".", "..") for part in path.split("/")):
        raise _malformed(text, f"{path!r} is not a path inside a repository")
    if ".." in revision:
        raise _malformed(text, f"{revision!r} after the @ is not a revision")
    return HubFile(f"{owner}/{repo}", path, revision or None)


def _parse_http(text: str) -> HttpFile:
    try:
        host = urlsplit(text).hostname
        _ = urlsplit(text).port
    except ValueError as exc:
        raise InputError(f"{text} is not a web address: {exc}.") from exc
    if not host:
        raise InputError(f"{text} is not a web address: the host is missing.")
    return HttpFile(text)


def _malformed(text: str, why: str) -> InputError:
    return InputError(f"{text} is not a file on the model hub: {why}. Write hf://owner/repo/path@revision.")
