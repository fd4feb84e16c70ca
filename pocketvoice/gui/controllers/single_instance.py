"""One running program a user: a second start hands its text to the first and ends. Over a local socket; JSON, length first.

The socket lies in a folder that only this user can enter, so that nobody else can take its place and receive the texts.
Main thread only; the first program reads without waiting, the second waits a second at most.
"""

import hashlib
import json
import logging
import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from PySide6.QtCore import QByteArray, QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from pocketvoice.settings import config_dir

_PATIENCE_MS = 1000
_LENGTH_BYTES = 8
_MOST_BYTES = 100_000_000
_TAKEN = b"taken"
_MOST_FOLDER_BYTES = (
    70  # a socket's path has 104 at most, and Qt puts a folder of its own between for a moment
)

_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Handover:
    """What a second start hands to the running program."""

    text: str = ""
    """To be shown; "" only brings the window forward."""
    speak: bool = False
    """Whether to speak the text, or those of the files, at once."""
    files: tuple[str, ...] = ()
    """Texts to be shown, voices to be brought in, or a sound to make one of: absolute paths."""


class SingleInstance(QObject):
    """Listens in the first program; sends from a second one."""

    received = Signal(object)  # Handover

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._address = _address()
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)

    def hand_over(self, handover: Handover) -> bool:
        """Sends it to the running program; whether there is one and it took it."""
        if self._address is None:
            return False
        socket = QLocalSocket()
        socket.connectToServer(self._address)
        if not socket.waitForConnected(_PATIENCE_MS):
            return False
        data = json.dumps(asdict(handover)).encode()
        socket.write(QByteArray(len(data).to_bytes(_LENGTH_BYTES, "big") + data))
        while socket.bytesToWrite() and socket.waitForBytesWritten(_PATIENCE_MS):
            pass
        taken = socket.waitForReadyRead(_PATIENCE_MS) and bytes(socket.readAll().data()) == _TAKEN
        socket.disconnectFromServer()
        return taken

    def listen(self) -> None:
        """Becomes the first program. A socket left over by a crash is replaced."""
        if self._address is None:
            _logger.warning("no single instance: no folder for its socket belongs to this user alone")
            return
        if not self._server.listen(self._address):
            QLocalServer.removeServer(self._address)
            if not self._server.listen(self._address):
                _logger.warning("no single instance: %s", self._server.errorString())

    def close(self) -> None:
        """Lets another program be the first."""
        self._server.close()

    def _on_connection(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            _Caller(socket, self)


class _Caller(QObject):
    """The connection of a second start, until all of its message has arrived."""

    def __init__(self, socket: QLocalSocket, instance: SingleInstance) -> None:
        super().__init__(socket)
        self._socket = socket
        self._instance = instance
        self._data = bytearray()
        socket.setParent(instance)
        socket.readyRead.connect(self._on_ready)
        socket.disconnected.connect(socket.deleteLater)
        self._on_ready()

    def _on_ready(self) -> None:
        self._data += bytes(self._socket.readAll().data())
        if len(self._data) < _LENGTH_BYTES:
            return
        length = int.from_bytes(self._data[:_LENGTH_BYTES], "big")
        if length > _MOST_BYTES:
            self._socket.abort()
        elif len(self._data) >= _LENGTH_BYTES + length:
            self._take(bytes(self._data[_LENGTH_BYTES : _LENGTH_BYTES + length]))

    def _take(self, data: bytes) -> None:
        try:
            values = json.loads(data)
            handover = Handover(
                str(values["text"]), bool(values["speak"]), tuple(map(str, values.get("files", ())))
            )
        except (ValueError, KeyError, TypeError) as exc:
            _logger.warning("a second start said something odd: %r", exc)
            self._socket.abort()
            return
        self._socket.write(QByteArray(_TAKEN))
        self._socket.flush()
        self._instance.received.emit(handover)


def _address() -> str | None:
    """Where the first program with this user and config directory listens; None if there is no place that is theirs alone."""
    place = hashlib.sha256(str(config_dir().absolute()).encode()).hexdigest()[:16]
    if os.name != "posix":
        return f"pocketvoice-{place}-{_secret()}"
    for folder in _folders():
        if _is_private(folder) and len(os.fsencode(folder)) <= _MOST_FOLDER_BYTES:
            return str(folder / f"pocketvoice-{place}")
    return None


def _folders() -> Iterator[Path]:
    """Where a socket may lie, the best first; each is made when it is asked for."""
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        yield Path(runtime)
    for folder in (config_dir() / "run", Path(tempfile.gettempdir()) / f"pocketvoice-{os.getuid()}"):
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        yield folder


def _is_private(folder: Path) -> bool:
    """Whether it is a folder of this user that nobody else can enter: others could wait in it for what is handed over."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def _secret() -> str:
    """A part of the name that other users can't guess, kept in the config directory. Pipes have no folders."""
    path = config_dir() / "instance"
    with suppress(FileExistsError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="ascii") as file:
            file.write(secrets.token_hex(16))
    return path.read_text(encoding="ascii")
