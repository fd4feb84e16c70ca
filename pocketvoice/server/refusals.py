"""Every answer that is no sound: a status, a sentence, and the shape that the client of the endpoint expects.

OpenAI's clients read `error.message`, `type`, `param` and `code`; those of the reference read `detail`.
"""

import logging
import re
from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.responses import Response

from pocketvoice.errors import DiskFullError, PocketVoiceError, from_os_error
from pocketvoice.worker.messages import ErrorInfo

log = logging.getLogger(__name__)


class Refusal(Exception):
    """Raised where a request is not served: status, sentence, and what OpenAI's clients read besides."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.param = param
        self.headers = dict(headers or {})


_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}
_STATUS_OF = {
    "EmptyTextError": 400,
    "UnknownNameError": 404,
    "WorkerCrashed": 503,
    "DiskFullError": 507,
    "OfflineError": 502,
}
_INPUT = (
    "InputError", "MissingFileError", "AudioFileError", "ClipError", "VoiceStateError", "CloningUnavailableError",
)  # fmt: skip


def refusal_of(error: ErrorInfo) -> Refusal:
    """What a client is told of an error of the engine."""
    if error.kind in _STATUS_OF:
        status = _STATUS_OF[error.kind]
    elif error.kind in _INPUT:
        status = 400
    else:
        status = 502 if error.kind.endswith(("HubError", "TransferError", "AcceptedError")) else 500
    return Refusal(status, without_folders(error.message), code=_snake(error.kind.removesuffix("Error")))


def no_model(retry_s: int) -> Refusal:
    """What a client is told while no engine has a model; it is worth asking again after so many seconds."""
    return Refusal(
        503,
        "No model is loaded at the moment: try again shortly.",
        code="no_model",
        headers={"retry-after": str(retry_s)},
    )


def unwritten(exc: OSError, path: str) -> Refusal:
    """What a client is told when something can't be kept on the server's disk: not where."""
    ours = exc if isinstance(exc, PocketVoiceError) else from_os_error(exc, path)
    log.warning("%s (%s)", ours.message, ours.detail)
    if isinstance(ours, DiskFullError):
        return Refusal(
            507, "The server has no space left for this: ask for a shorter text.", code="disk_full"
        )
    return Refusal(500, "The server can't keep this on its disk: look at its log.", code="output")


def without_folders(message: str) -> str:
    """A sentence in which paths of this machine are only the names of files."""
    return _FOLDERS.sub("", message)


def body_of(refusal: Refusal, path: str) -> dict[str, Any]:
    """The JSON of a refusal: OpenAI's shape below /v1; elsewhere with the reference's `detail` besides."""
    kind = _TYPES.get(refusal.status, "invalid_request_error" if refusal.status < 500 else "server_error")
    error = {"message": refusal.message, "type": kind, "param": refusal.param, "code": refusal.code}
    return {"error": error} if path.startswith("/v1/") else {"detail": refusal.message, "error": error}


def response_of(refusal: Refusal, path: str) -> Response:
    """The HTTP answer to a request of this path."""
    body = msgspec.json.encode(body_of(refusal, path))
    headers = {"cache-control": "no-store", **refusal.headers}
    return Response(body, refusal.status, headers, media_type="application/json")


_FOLDERS = re.compile(r"(?<![\w:/.])(?:[A-Za-z]:)?[/\\](?:[^/\\\r\n\"':,;]+[/\\])+")


def _snake(name: str) -> str:
    """ "DiskFull" as "disk_full"."""
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name).lstrip("_")
