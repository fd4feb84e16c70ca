"""One running program a user: a second start hands its text to the first and ends. Over a local socket; JSON, length first.

Main thread only; the first program reads without waiting, the second waits a second at most.
"""

import getpass
import hashlib
import json
import logging
from dataclasses import asdict, dataclass

from PySide6.QtCore import QByteArray, QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from pocketvoice.settings import config_dir

_PATIENCE_MS = 1000
_LENGTH_BYTES = 8
_MOST_BYTES = 100_000_000
_TAKEN = b"taken"

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
        self._name = _server_name()
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)

    def hand_over(self, handover: Handover) -> bool:
        """Sends it to the running program; whether there is one and it took it."""
        socket = QLocalSocket()
        socket.connectToServer(self._name)
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
        if not self._server.listen(self._name):
            QLocalServer.removeServer(self._name)
            if not self._server.listen(self._name):
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


def _server_name() -> str:
    """A name that belongs to this user and config directory: tests and other users have their own."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError, ImportError):  # a user without a name
        user = "somebody"
    place = hashlib.sha256(f"{user}\0{config_dir().absolute()}".encode()).hexdigest()
    return f"pocketvoice-{place[:16]}"
