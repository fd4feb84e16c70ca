"""Where things lie: our resources, the user's data and cache. Creates nothing by itself, knows no file formats."""

import errno
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import platformdirs

from pocketvoice.errors import PocketVoiceError, from_os_error

_APP = "pocketvoice"
_unfinished: set[Path] = set()
"""Files that are being written and have no name yet: a process that ends at once deletes them."""


def unfinished(path: Path) -> None:
    """From now on the file goes when the process is stopped; to be called before it is made."""
    _unfinished.add(path)


def finished(path: Path) -> None:
    """It has got its name, or is gone."""
    _unfinished.discard(path)


def delete_unfinished() -> None:
    """Deletes what nobody will complete, before the process ends without unwinding."""
    for path in list(_unfinished):
        with suppress(OSError):
            path.unlink()


def program(*arguments: str) -> list[str]:
    """The command line of another process of this program, an installed or a frozen one."""
    itself = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", _APP]
    return [*itself, *arguments]


def resources_dir() -> Path:
    """The folder of icons, model configs and texts: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent
    installed = package / "resources"
    return installed if installed.is_dir() else package.parent / "resources"


def models_dir() -> Path:
    """The folder of the model configs that come with the program."""
    return resources_dir() / "models"


def user_data_dir() -> Path:
    """The user's voices and downloaded models live under here (`POCKETVOICE_DATA_DIR` overrides it)."""
    return Path(os.environ.get("POCKETVOICE_DATA_DIR") or platformdirs.user_data_dir(_APP, appauthor=False))


def pronunciations_file() -> Path:
    """Where the user's own pronunciations are kept; there may be none."""
    return user_data_dir() / "pronunciations.json"


def user_cache_dir() -> Path:
    """What can be made or fetched again (`POCKETVOICE_CACHE_DIR` overrides it)."""
    return Path(os.environ.get("POCKETVOICE_CACHE_DIR") or platformdirs.user_cache_dir(_APP, appauthor=False))


def user_log_dir() -> Path:
    """The folder of the log file."""
    return Path(platformdirs.user_log_dir(_APP, appauthor=False))


@contextmanager
def atomic_write(path: str | Path) -> Iterator[IO[bytes]]:
    """Opens a temporary file beside `path` for writing and renames it into place when the block succeeds.

    A link stays a link: its target is replaced. A new file gets the rights of the umask, one that is replaced hands its own
    on. Raises DiskFullError or OutputError with a sentence; on any failure `path` is as it was before.
    """
    target = Path(os.path.realpath(path))
    # 40 characters are 160 bytes at most: with what is added the name stays within the 255 that systems take.
    temporary = target.with_name(f".{target.name[:40]}.{secrets.token_hex(4)}.part")
    unfinished(temporary)
    try:
        _check_replaceable(target)
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except PocketVoiceError:  # raised by the block; some are OSErrors too
        raise
    except OSError as exc:
        raise from_os_error(exc, path) from exc
    finally:
        with suppress(OSError):
            temporary.unlink()
        finished(temporary)


def _check_replaceable(target: Path) -> None:
    """Renaming would replace a folder's or a protected file's entry without asking: refuse as opening it would."""
    if target.exists() and not target.is_file():
        raise IsADirectoryError(errno.EISDIR, "not a file", str(target))
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
