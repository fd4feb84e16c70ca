"""The errors of pocketvoice. Each carries one sentence for the user, with the remedy, and the detail for the log.

    PocketVoiceError
    |-- InputError (ValueError)                 what the user gave can't be used
    |   |-- EmptyTextError                      nothing to say
    |   |-- UnknownNameError (FileNotFoundError) no such language, model or voice; carries suggestions
    |   |-- MissingFileError (FileNotFoundError)
    |   |-- ConfigError                         a model config that is not valid; names the field
    |   |-- WeightsError                        a weights file that is damaged or does not fit its config
    |   |-- AudioFileError                      a file that holds no readable sound
    |   |-- ClipError                           sound that can't serve as a voice clip: too short, silent, ...
    |   |-- VoiceStateError                     a voice state that is damaged or made for other weights
    |   `-- CloningUnavailableError             the loaded weights can't clone voices
    |-- EnvironmentFault (OSError)              not our bug, not the user's input: network, disk, devices
    |   |-- HubError                            the model hub
    |   |   |-- OfflineError                    no network, or HF_HUB_OFFLINE is set
    |   |   |-- UnauthorizedError               401: no token, or a wrong one
    |   |   |-- TermsNotAcceptedError           403: the model's terms are not accepted
    |   |   |-- NotOnHubError                   404: no such repository, revision or file
    |   |   |-- TransferError                   the transfer broke
    |   |   `-- ChecksumError                   what arrived is not what was published
    |   |-- DiskFullError
    |   |-- OutputError                         a file or folder that can't be written
    |   `-- AudioDeviceError                    no sound device, or it failed
    |-- GenerationError (RuntimeError)          the model failed while speaking
    `-- Cancelled                               the user stopped it; not a failure

Foreign exceptions are mapped to these where they enter, with `raise ... from exc`.
"""

import errno
from collections.abc import Iterable
from pathlib import Path


class PocketVoiceError(Exception):
    """Base of all: `str(error)` is the sentence for the user, `detail` is for the log."""

    def __init__(self, message: str, *, detail: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail

    def __str__(self) -> str:
        return self.message


class InputError(PocketVoiceError, ValueError):
    """What the user gave can't be used."""


class EmptyTextError(InputError):
    """The text holds nothing that can be spoken."""


class UnknownNameError(InputError, FileNotFoundError):
    """No language, model or voice of that name; `suggestions` are the nearest ones."""

    def __init__(self, message: str, *, suggestions: Iterable[str] = (), detail: str = "") -> None:
        super().__init__(message, detail=detail)
        self.suggestions = tuple(suggestions)


class MissingFileError(InputError, FileNotFoundError):
    """A file that was named does not exist."""


class ConfigError(InputError):
    """A model config that is not valid; the message names the field."""


class WeightsError(InputError):
    """A weights file that is damaged, or does not fit its config."""


class AudioFileError(InputError):
    """A file that holds no readable sound."""


class ClipError(InputError):
    """Sound that can't serve as a voice clip."""


class VoiceStateError(InputError):
    """A voice state that is damaged, or was made for other weights."""


class CloningUnavailableError(InputError):
    """The loaded weights can't clone voices."""


class EnvironmentFault(PocketVoiceError, OSError):
    """The environment's fault: network, disk, devices."""


class HubError(EnvironmentFault):
    """The model hub could not deliver."""


class OfflineError(HubError):
    """No network, or HF_HUB_OFFLINE is set, and the file is not in the cache."""


class UnauthorizedError(HubError):
    """401: no access token, or one that is not valid."""


class TermsNotAcceptedError(HubError):
    """403: the terms of the model are not accepted."""


class NotOnHubError(HubError):
    """404: no such repository, revision or file."""


class TransferError(HubError):
    """The transfer broke and could not be resumed."""


class ChecksumError(HubError):
    """What arrived is not what was published."""


class DiskFullError(EnvironmentFault):
    """No space left on the device."""


class OutputError(EnvironmentFault):
    """A file or folder that can't be written."""


class AudioDeviceError(EnvironmentFault):
    """No sound device, or it failed."""


class GenerationError(PocketVoiceError, RuntimeError):
    """The model failed while speaking."""


class Cancelled(PocketVoiceError):
    """The user stopped it: not a failure, and nothing to tell."""


def from_os_error(exc: OSError, path: str | Path) -> PocketVoiceError:
    """The error of ours for an `OSError` met while writing `path`; raise it `from exc`."""
    detail = f"{type(exc).__name__}: {exc}"
    # By number, not by class: Python has classes for a few of them only.
    if exc.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFullError(f"No space left to write {path}: free some space and try again.", detail=detail)
    if exc.errno in (errno.ENOENT, errno.ENOTDIR):
        return OutputError(f"Can't write {path}: its folder does not exist.", detail=detail)
    if exc.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return OutputError(f"Can't write {path}: no permission. Choose another place.", detail=detail)
    if exc.errno == errno.EISDIR:
        return OutputError(f"Can't write {path}: it is a folder. Give a file name.", detail=detail)
    if exc.errno == errno.ENAMETOOLONG:
        return OutputError(f"Can't write {path}: the name is too long. Choose a shorter one.", detail=detail)
    return OutputError(f"Can't write {path}: {exc.strerror or exc}.", detail=detail)
