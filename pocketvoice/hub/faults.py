"""What went wrong on the way to a file, as one of our errors: a sentence for the user with the remedy, the detail for the log.

The hub answers with a status and an `X-Error-Code`; both arrive here either from the hub's library or from our own
transfer. 401 is what the hub says to strangers even about repositories that don't exist, so its sentence names both.
"""

import errno
import os
import ssl
import sys
from typing import Any, Protocol

from pocketvoice.errors import (
    HubError,
    InputError,
    NotOnHubError,
    OfflineError,
    PocketVoiceError,
    TermsNotAcceptedError,
    TransferError,
    UnauthorizedError,
    from_os_error,
)
from pocketvoice.hub.source import HttpFile, HubFile, RemoteFile

_FOREIGN = ("httpx", "httpx2", "httpcore", "httpcore2", "requests", "urllib3", "ssl", "socket")
"""Modules whose exceptions mean that the network failed: HTTP clients that versions of the hub's library use."""


class Headers(Protocol):
    """The headers of an answer, whoever's class they are: names in any case."""

    def get(self, name: str, /) -> Any: ...


def describe(file: RemoteFile) -> str:
    """The file as a user knows it: its name and who serves it."""
    return f"{file.name} ({file.origin})"


def endpoint() -> str:
    """The address of the model hub, as the environment says now."""
    from huggingface_hub import constants

    return str(os.environ.get("HF_ENDPOINT") or constants.ENDPOINT).rstrip("/")


def terms_page(repo: str) -> str:
    """The page where the terms of a repository are accepted."""
    return f"{endpoint()}/{repo}"


def is_offline() -> bool:
    """Whether the user forbade the network with HF_HUB_OFFLINE."""
    value = os.environ.get("HF_HUB_OFFLINE") or os.environ.get("TRANSFORMERS_OFFLINE") or ""
    return value.upper() in ("1", "ON", "YES", "TRUE")


def network_forbidden(file: RemoteFile, detail: str = "") -> OfflineError:
    """The error for a file that is not in the cache, where the user forbade the network."""
    return OfflineError(
        f"{describe(file)} is not in the cache and HF_HUB_OFFLINE forbids the network: "
        "unset HF_HUB_OFFLINE once and try again while online.",
        detail=detail,
    )


def unreachable(file: RemoteFile, exc: BaseException) -> OfflineError:
    """The error for a request that nobody answers; a certificate that can't be trusted gets a sentence of its own."""
    who, what = ("The model hub", describe(file)) if isinstance(file, HubFile) else (file.origin, file.name)
    detail = f"{type(exc).__name__}: {exc}"
    if _is_certificate_fault(exc):
        return OfflineError(
            f"The secure connection for {describe(file)} can't be trusted: check the clock of this computer, "
            "and the network's proxy or login page.",
            detail=detail,
        )
    return OfflineError(
        f"{who} can't be reached for {what}, which is not in the cache: "
        "check the network connection and try again.",
        detail=detail,
    )


def not_a_hub(file: HubFile) -> OfflineError:
    """Something answers, but it is not the hub: mostly the login page of a hotel or a company."""
    return OfflineError(
        f"What answers at {endpoint()} is not the model hub: sign in to the network, or check the proxy and HF_ENDPOINT.",
        detail=f"no commit or no etag in the answer for {file}",
    )


def storage_refused(file: HubFile, status: int) -> TransferError:
    """The hub agreed, but the storage it sent us to did not: an address that has run out, or a proxy in between."""
    return _refused("The storage of the model hub", file, status, f"HTTP {status} after the hub had agreed")


def broken(file: RemoteFile, done_bytes: int, exc: BaseException | None) -> TransferError:
    """The connection broke again and again; what has come stays for the next attempt."""
    return TransferError(
        f"The transfer of {describe(file)} broke after {done_bytes / 1e6:.1f} MB: "
        "try again, it goes on from where it stopped.",
        detail=f"{type(exc).__name__}: {exc}" if exc else "the other end stopped sending",
    )


def from_status(
    status: int, headers: Headers, file: RemoteFile, *, signed_in: bool = False, detail: str = ""
) -> HubError:
    """The error for an HTTP status; `signed_in` says whether an access token was sent."""
    detail = (
        detail
        or f"HTTP {status} {headers.get('X-Error-Code') or ''} {headers.get('X-Error-Message') or ''}".strip()
    )
    if isinstance(file, HttpFile):
        return _from_web_status(status, file, detail)
    if status == 401:
        return _unauthorized(file, signed_in, headers.get("X-Error-Code") == "GatedRepo", detail)
    if status == 403:
        return _forbidden(file, headers.get("X-Error-Code") == "GatedRepo", detail)
    if status in (404, 410):
        return _missing(file, headers.get("X-Error-Code") or "", detail)
    return _refused("The model hub", file, status, detail)


def library_errors() -> tuple[type[Exception], ...]:
    """What asking through the hub's library can raise because of the world outside; all else is a mistake of ours.

    Its HTTP client depends on its version: all exceptions of the clients that are loaded are taken.
    """
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, OfflineModeIsEnabled

    clients = [sys.modules[name] for name in _FOREIGN if name in sys.modules]
    names = [thing for client in clients for thing in vars(client).values()]
    foreign = {thing for thing in names if isinstance(thing, type) and issubclass(thing, Exception)}
    foreign -= {Exception}
    return (HfHubHTTPError, HFValidationError, OfflineModeIsEnabled, OSError, *foreign)


def from_library(exc: Exception, file: HubFile, *, signed_in: bool) -> PocketVoiceError | None:
    """The error for an exception of the hub's library; None if it is none that the world outside can cause."""
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, OfflineModeIsEnabled

    detail = f"{type(exc).__name__}: {exc}"
    if isinstance(exc, OfflineModeIsEnabled):
        return network_forbidden(file, detail)
    if isinstance(exc, HfHubHTTPError):
        response: Any = exc.response
        return from_status(response.status_code, response.headers, file, signed_in=signed_in, detail=detail)
    if isinstance(exc, HFValidationError):
        return InputError(
            f"{file} is not a file on the model hub: check the name of the repository.", detail=detail
        )
    if isinstance(exc, OSError) and exc.errno in (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS):
        return from_os_error(exc, exc.filename or file.name)
    if isinstance(exc, OSError) or type(exc).__module__.split(".")[0] in _FOREIGN:
        return unreachable(file, exc)
    return None


def _unauthorized(file: HubFile, signed_in: bool, is_gated: bool, detail: str) -> UnauthorizedError:
    if signed_in:
        return UnauthorizedError(
            f"The model hub does not accept your access token for {file.repo}: make a new one and run `hf auth login`.",
            detail=detail,
        )
    doubt = "" if is_gated else ", if it exists at all"
    return UnauthorizedError(
        f"{describe(file)} needs an access token{doubt}: accept the terms at {terms_page(file.repo)}, "
        "then run `hf auth login`.",
        detail=detail,
    )


def _forbidden(file: HubFile, is_gated: bool, detail: str) -> TermsNotAcceptedError:
    page = terms_page(file.repo)
    if is_gated:
        sentence = (
            f"The terms of {file.repo} are not accepted: accept them at {page}, then run `hf auth login`."
        )
    else:
        sentence = (
            f"Your access token may not read {file.repo}: accept the terms at {page}, give the token the right to read "
            "gated repositories, and run `hf auth login`."
        )
    return TermsNotAcceptedError(sentence, detail=detail)


def _missing(file: HubFile, code: str, detail: str) -> NotOnHubError:
    if code == "RepoNotFound":
        sentence = f"There is no repository {file.repo} on the model hub that you may see: check its name."
    elif code == "RevisionNotFound":
        sentence = f"{file.repo} has no revision {file.revision}: check the part after the @."
    else:
        sentence = (
            f"{file.repo} holds no file {file.path} at revision {file.revision or 'main'}: check the path."
        )
    return NotOnHubError(sentence, detail=detail)


def _from_web_status(status: int, file: HttpFile, detail: str) -> HubError:
    if status in (401, 403):
        return UnauthorizedError(
            f"{file.origin} does not hand out {file.name} ({status}): get the file in your browser and give its path.",
            detail=detail,
        )
    if status in (404, 410):
        return NotOnHubError(
            f"{file.origin} has no file {file.name} at this address: check it.", detail=detail
        )
    return _refused(file.origin, file, status, detail)


def _refused(who: str, file: RemoteFile, status: int, detail: str) -> TransferError:
    if status == 429:
        sentence = f"{who} was asked too often for {describe(file)}: wait some minutes and try again."
    elif status >= 500:
        sentence = (
            f"{who} has a fault of its own ({status}) and can't send {describe(file)}: try again later."
        )
    else:
        sentence = f"{who} refused to send {describe(file)} ({status}): try again later."
    return TransferError(sentence, detail=detail)


def _is_certificate_fault(exc: BaseException) -> bool:
    """Whether a certificate is at the bottom of it: clients wrap the cause in errors of their own, several deep."""
    seen: BaseException | None = exc
    while seen is not None:
        if isinstance(seen, ssl.SSLCertVerificationError) or isinstance(
            getattr(seen, "reason", None), ssl.SSLCertVerificationError
        ):
            return True
        seen = seen.__cause__ or seen.__context__
    return False
