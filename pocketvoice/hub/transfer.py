"""One file over HTTP into a partial file on the disk: resumed where it stopped, counted, and stopped at once when cancelled.

Knows neither the hub nor the cache: it is given an address, headers and the partial file. Runs on the caller's thread. The
partial file survives every failure but a wrong size, so the next call goes on from there.
"""

import http.client
import shutil
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pocketvoice.errors import ChecksumError, DiskFullError, PocketVoiceError, from_os_error
from pocketvoice.hub import faults
from pocketvoice.hub.connection import cuttable
from pocketvoice.hub.progress import PAUSES_S, Meter, ProgressCallback, check_cancel
from pocketvoice.hub.source import HubFile, RemoteFile

_PIECE_BYTES = 1 << 16  # read at once: between two pieces a cancel is noticed
_TIMEOUT_S = 15.0  # of silence, before a connection counts as broken
_URL_SAFE = "%/:=&?~#+!$,;'@()*[]"  # what stays as it is in an address; all else is percent-encoded


@dataclass(frozen=True)
class Order:
    """What to fetch, and into which partial file."""

    file: RemoteFile  # for messages
    url: str
    part: Path  # its folder exists
    headers: dict[str, str] = field(default_factory=dict)
    token: str | None = None  # the Authorization header; never sent on to another host
    size_bytes: int | None = None  # as published; None takes the word of the server
    is_pinned: bool = False  # what the address holds never changes, so a partial file always fits
    public_only: bool = False  # no address of this machine or its network
    pauses_s: Sequence[float] = PAUSES_S  # before the next attempts, after which it is given up


class _BrokenError(Exception):
    """The connection broke in the middle: worth another attempt."""


def receive(order: Order, *, progress: ProgressCallback | None, cancel: threading.Event | None) -> None:
    """Completes `order.part`; returns when it holds the whole file.

    Raises Cancelled, OfflineError, TransferError, ChecksumError (wrong size), DiskFullError, OutputError, and what
    `faults.from_status` makes of a refusal.
    """
    meter = Meter(order.file.name, progress)
    best, attempt = _size_of(order.part), 0
    with cuttable(cancel, public_only=order.public_only) as opener:
        while True:
            check_cancel(cancel)
            try:
                return _Attempt(order, opener, meter, cancel).run()
            except _BrokenError as exc:
                check_cancel(cancel)
                done = _size_of(order.part)
                if done > best:
                    best, attempt = done, 0
                if attempt == len(order.pauses_s):
                    raise _final_fault(order.file, done, exc) from exc
            _pause(order.pauses_s[attempt], cancel)
            attempt += 1


class _Attempt:
    """One request, and what it brings appended to the partial file."""

    def __init__(
        self,
        order: Order,
        opener: urllib.request.OpenerDirector,
        meter: Meter,
        cancel: threading.Event | None,
    ) -> None:
        self._order = order
        self._part = order.part
        self._opener = opener
        self._meter = meter
        self._cancel = cancel
        # Tells whose bytes the partial file holds, when the address may hold others tomorrow.
        self._validator = order.part.with_name(order.part.name + ".validator")

    def run(self) -> None:
        offset = self._resume_offset()
        total = self._order.size_bytes
        if offset and offset == total:
            # An earlier call was stopped between the last byte and the check.
            self._meter.start(offset, total)
        else:
            with self._open(offset) as response:
                offset = self._offset_of(response, offset)
                total = self._total(response, offset)
                self._meter.start(offset, total)
                self._check_space(total, offset)
                self._remember_validator(response)
                self._copy(response, append=offset > 0)
        self._check_size(total)

    def _resume_offset(self) -> int:
        """How many bytes of the partial file can be kept."""
        done, total = _size_of(self._part), self._order.size_bytes
        if total is not None and done > total:
            return 0
        return done if self._order.is_pinned or self._validator.exists() else 0

    def _open(self, offset: int) -> Any:
        try:
            return self._opener.open(self._request(offset), timeout=_TIMEOUT_S)
        except urllib.error.HTTPError as exc:
            with exc:
                raise self._refusal(exc, offset) from exc
        except (OSError, http.client.HTTPException) as exc:
            check_cancel(self._cancel)
            if offset == 0 and isinstance(exc, urllib.error.URLError):  # there was never a connection
                raise faults.unreachable(self._order.file, exc) from exc
            raise _BrokenError from exc

    def _request(self, offset: int) -> urllib.request.Request:
        request = urllib.request.Request(quote(self._order.url, safe=_URL_SAFE), headers=self._order.headers)
        # The bytes that come must be the file's own to be counted and resumed.
        request.add_header("Accept-Encoding", "identity")
        if self._order.token is not None:
            request.add_unredirected_header("Authorization", self._order.token)
        if offset:
            request.add_header("Range", f"bytes={offset}-")
            if not self._order.is_pinned:
                request.add_header("If-Range", self._validator.read_text(encoding="latin-1"))
        return request

    def _refusal(self, exc: urllib.error.HTTPError, offset: int) -> Exception:
        if exc.code == 416 and offset:
            self._part.unlink()  # it holds more than there is: start over
            return _BrokenError()
        if exc.code >= 500 and offset:  # it served before, so it may again in a moment
            return _BrokenError()
        file = self._order.file
        if isinstance(file, HubFile) and exc.code in (401, 403) and "X-Error-Code" not in exc.headers:
            return faults.storage_refused(file, exc.code)
        return faults.from_status(exc.code, exc.headers, file, signed_in=self._order.token is not None)

    def _offset_of(self, response: http.client.HTTPResponse, asked: int) -> int:
        """Where the bytes of the answer belong: servers may send the whole file whatever was asked for."""
        if response.status != 206:
            return 0
        content_range = response.headers.get("Content-Range", "")
        if not content_range.startswith(f"bytes {asked}-"):
            self._part.unlink(missing_ok=True)
            raise _BrokenError(f"asked for the bytes from {asked}, got {content_range!r}")
        return asked

    def _total(self, response: http.client.HTTPResponse, offset: int) -> int | None:
        if self._order.size_bytes is not None:
            return self._order.size_bytes
        length = response.headers.get("Content-Length", "")
        return offset + int(length) if length.isdigit() else None

    def _check_space(self, total: int | None, offset: int) -> None:
        missing = (total or 0) - offset
        free = shutil.disk_usage(self._part.parent).free
        if missing > free:
            raise DiskFullError(
                f"{faults.describe(self._order.file)} needs {missing / 1e6:.0f} MB and the disk has {free / 1e6:.0f} MB "
                "left: free some space and try again.",
                detail=str(self._part),
            )

    def _remember_validator(self, response: http.client.HTTPResponse) -> None:
        if self._order.is_pinned or response.status == 206:
            return
        # HTTP allows only a strong validator for If-Range: a weak one names a meaning, not bytes.
        etag = response.headers.get("ETag", "")
        validator = etag if etag and not etag.startswith("W/") else response.headers.get("Last-Modified")
        with _writing(self._validator):
            if validator:
                self._validator.write_text(validator, encoding="latin-1")
            else:
                self._validator.unlink(missing_ok=True)

    def _copy(self, response: http.client.HTTPResponse, *, append: bool) -> None:
        with _writing(self._part):
            out = self._part.open("ab" if append else "wb")
        with out:
            while piece := self._read(response):
                with _writing(self._part):
                    out.write(piece)
                    out.flush()  # a full disk shows here, not when the file is closed
                self._meter.add(len(piece))
                check_cancel(self._cancel)

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        try:
            return response.read1(_PIECE_BYTES)
        except (OSError, http.client.HTTPException) as exc:
            check_cancel(self._cancel)
            raise _BrokenError from exc

    def _check_size(self, total: int | None) -> None:
        check_cancel(self._cancel)  # a connection cut by the watcher looks like the end of the file
        done = _size_of(self._part)
        if total is not None and done < total:
            raise _BrokenError
        if total is not None and done > total:
            self._part.unlink()
            raise ChecksumError(
                f"{faults.describe(self._order.file)} came with {done} bytes instead of {total} and was thrown away: "
                "try again."
            )
        self._validator.unlink(missing_ok=True)
        self._meter.finish()


def _final_fault(file: RemoteFile, done_bytes: int, exc: _BrokenError) -> PocketVoiceError:
    cause = exc.__cause__ or exc
    return faults.broken(file, done_bytes, cause) if done_bytes else faults.unreachable(file, cause)


def _pause(seconds: float, cancel: threading.Event | None) -> None:
    if cancel is None:
        time.sleep(seconds)
    else:
        cancel.wait(seconds)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise from_os_error(exc, path) from exc


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
