"""The desktop program: makes all parts, starts them in order, and ends them in order. The only module that knows them all.

Start: settings, Qt, the window's first paint, then the worker and its model. End: the window disappears, the speech and the worker
end, the settings are written. Everything here is on the main thread, on one loop that is both Qt's and asyncio's.
"""

import argparse
import asyncio
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSocketNotifier
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

from pocketvoice import log, paths, settings
from pocketvoice.errors import InputError, PocketVoiceError
from pocketvoice.gui.controllers.export import Exporter
from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.gui.controllers.models import ModelController
from pocketvoice.gui.controllers.serving import Serving, ServingMenu
from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.controllers.single_instance import Handover, SingleInstance
from pocketvoice.gui.controllers.speech import SpeechController
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.controllers.text_files import read_text
from pocketvoice.gui.pyside_refcount_workaround import keep_singletons_alive
from pocketvoice.gui.main.tray import bring_forward, make_tray
from pocketvoice.gui.main.window import Services, Window
from pocketvoice.gui.voices.coordinator import is_for_voices
from pocketvoice.gui.widgets import theme
from pocketvoice.gui.widgets.icons import application_icon
from pocketvoice.worker.messages import DeviceName, OutputKind, WorkerOptions
from pocketvoice.worker.parent.client import WorkerClient

_THREADS = 3
_LOG_BYTES = 1_000_000

_logger = logging.getLogger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the window until it is closed; the exit code. `arguments` are files to show, and options."""
    started = time.monotonic()
    keep_singletons_alive()
    options = _parse(arguments)
    _log_to_file()
    remembered, sentence = settings.load()
    if remembered.scale_percent != 100:
        os.environ.setdefault("QT_SCALE_FACTOR", str(remembered.scale_percent / 100))
    qt = _application()
    single = SingleInstance()
    board = Messages()
    handover = _handover(options, board)
    if single.hand_over(handover):
        return 0
    single.listen()
    if sentence:
        board.warn(sentence)
    loop = QEventLoop(qt)
    asyncio.set_event_loop(loop)
    loop.set_default_executor(
        ThreadPoolExecutor(_THREADS)
    )  # files that are read or written beside the window
    only_now = {"voice": options.voice} if options.voice else {}
    program = Program(board, remembered, single, started, only_now=only_now, seed=options.seed)
    with loop, _signals(program.quit), _last_resort(loop, board):
        ended = _run_to_end(loop, program.run(handover, options.config))
        program.dispose()
    single.close()
    return 0 if ended else 1


class Program(QObject):
    """The parts, and their order."""

    def __init__(
        self,
        board: Messages,
        remembered: settings.Settings,
        single: SingleInstance,
        started: float,
        options: WorkerOptions | None = None,
        only_now: Mapping[str, Any] | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__()
        self._started = started
        self._over = asyncio.Event()
        self.board = board
        self.tasks = Tasks(board.show_error)
        self.client = WorkerClient(options or _worker_options())
        self.keeper = SettingsController(remembered, board, self.tasks, only_now)
        asked = asyncio.Event()
        self.speech = SpeechController(self.client, board, self.tasks, asked, seed)
        self.models = ModelController(self.client, board, self.tasks)
        self.models.asked.connect(asked.set)
        self.exporter = Exporter(self.client, board, self.tasks, seed)
        self.window = Window(
            Services(self.client, board, self.tasks, self.keeper, self.speech, self.models, self.exporter)
        )
        self.serving = Serving(self._server, self.keeper, board, self.tasks)
        self.serving_menu = ServingMenu(self.window, self.serving)
        self.tray = make_tray(self.window)
        single.received.connect(self._on_handover)
        self.window.closed.connect(self.quit)
        instance = QApplication.instance()
        if instance is not None:
            instance.aboutToQuit.connect(self.quit)

    def quit(self) -> None:
        """Begins the end."""
        self._over.set()

    def dispose(self) -> None:
        """Destroys the window while Qt still stands: not in the order in which Python forgets names."""
        self.keeper.save_now()
        self.window.deleteLater()
        QApplication.sendPostedEvents(self.window, QEvent.Type.DeferredDelete.value)

    async def run(self, handover: Handover, config: str | None = None) -> None:
        """From the first paint to the last moment."""
        painted = asyncio.Event()
        self.window.first_painted.connect(painted.set)
        self.window.show()
        # A window that opens minimised or on another desktop may not be painted at all.
        with suppress(TimeoutError):
            await asyncio.wait_for(painted.wait(), timeout=1.0)
        _logger.info("first paint after %.0f ms", (time.monotonic() - self._started) * 1000)
        try:
            async with self.client:
                self._begin(handover, config)
                await self._over.wait()
                await self._end()
        finally:
            self.keeper.save_now()

    def _begin(self, handover: Handover, config: str | None) -> None:
        now = self.keeper.now
        self.speech.set_speed(now.speed)
        self.speech.set_volume(now.volume)
        if now.device_name:
            self.models.set_device(DeviceName(now.device_name, now.device_host_api))
        self.window.commands.choices.load_first(config)
        self.serving.begin()
        self.window.commands.desk.start()
        if handover.text or handover.files:
            self._on_handover(handover)

    async def _end(self) -> None:
        if self.tray is not None:
            self.tray.icon.hide()
        self.window.commands.remember()
        self.window.hide()
        self.exporter.cancel()
        await self.window.commands.desk.close()
        await self.serving.close()
        await self.client.close()
        await self.tasks.close()
        self.speech.close()
        self.models.close()

    def _server(self, port: int) -> AbstractAsyncContextManager[Any]:
        """The HTTP server over our worker; raises InputError if it can't be had."""
        from pocketvoice.hub import catalogue
        from pocketvoice.voices.library import open_library

        try:
            from pocketvoice.server.options import ServerOptions
            from pocketvoice.server.service import http_server
        except ImportError as exc:
            raise InputError(
                f"Serving needs {exc.name}, which is not installed: `pip install 'pocketvoice[server]'`."
            ) from exc
        return http_server([self.client], ServerOptions(port=port), open_library(catalogue.voice_names()))

    def _on_handover(self, handover: Handover) -> None:
        bring_forward(self.window)
        if handover.files:
            self.window.commands.desk.take_in(handover.files)
        if handover.text:
            self.window.commands.show_text(handover.text)
        if handover.text and handover.speak:
            self.window.commands.speak_all()


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="pocketvoice", description="Opens the window.")
    parser.add_argument("files", nargs="*", metavar="FILE", help="text files to show; voices and sounds")
    parser.add_argument("--speak", action="store_true", help="speak them at once")
    parser.add_argument(
        "--config", metavar="CONFIG", help="a model of your own: path or address of its config"
    )
    parser.add_argument(
        "--voice", metavar="VOICE", help="voice to speak with: a name, a recording, a voice file"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="speak and save a text the same way each time")
    return parser.parse_args(arguments)


def _handover(options: argparse.Namespace, board: Messages) -> Handover:
    texts = []
    files = [str(Path(name).absolute()) for name in options.files if is_for_voices(name)]
    for name in (name for name in options.files if not is_for_voices(name)):
        try:
            texts.append(read_text(name))
        except PocketVoiceError as error:
            board.show_error(error)
    return Handover("\n\n".join(texts), options.speak, tuple(files))


def _application() -> QApplication:
    existing = QApplication.instance()
    qt = existing if isinstance(existing, QApplication) else QApplication([sys.argv[0]])
    qt.setApplicationName("pocketvoice")
    qt.setApplicationDisplayName("Pocket Voice")
    qt.setDesktopFileName("pocketvoice")
    qt.setWindowIcon(application_icon())
    theme.follow_system(qt)
    qt.setQuitOnLastWindowClosed(False)  # the worker ends first
    return qt


def _worker_options() -> WorkerOptions:
    """The loudspeaker; `POCKETVOICE_OUTPUT=null` is a computer without one."""
    return WorkerOptions(output=OutputKind(os.environ.get("POCKETVOICE_OUTPUT", OutputKind.DEVICE.value)))


def _run_to_end(loop: QEventLoop, work: Any) -> bool:
    """Runs `work` to its end, also when Qt ends its loop by itself (the session ends, Quit in the dock).

    False if Qt can't run any more: the display is gone. The worker notices that we are, too.
    """
    task = loop.create_task(work)
    for _ in range(3):
        try:
            loop.run_until_complete(task)
        except RuntimeError:
            if task.done():
                raise
        if task.done():
            return True
    _logger.error("the display is gone")
    task.cancel()
    return False


def _log_to_file() -> None:
    """The log of this start and the one before; to standard error where the folder can't be written."""
    folder = paths.user_log_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "pocketvoice.log"
        if path.exists() and path.stat().st_size > _LOG_BYTES:
            path.replace(path.with_suffix(".old.log"))
        # Line by line, and open until the process ends.
        log.configure(logging.INFO, path.open("a", encoding="utf-8", buffering=1))
    except OSError:
        log.configure(logging.INFO)


@contextmanager
def _last_resort(loop: QEventLoop, board: Messages) -> Iterator[None]:
    """What nobody caught reaches the message board: from slots, tasks and threads."""
    hooks = sys.excepthook, threading.excepthook

    def on_exception(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        board.show_error(error)

    def on_thread(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            loop.call_soon_threadsafe(board.show_error, args.exc_value)

    def on_loop(loop: Any, context: dict[str, Any]) -> None:
        error = context.get("exception")
        board.show_error(error if isinstance(error, BaseException) else RuntimeError(context.get("message")))

    sys.excepthook, threading.excepthook = on_exception, on_thread
    loop.set_exception_handler(on_loop)
    try:
        yield
    finally:
        sys.excepthook, threading.excepthook = hooks


@contextmanager
def _signals(quit_: Any) -> Iterator[None]:
    """Ctrl-C and SIGTERM end the program in order. Python runs its handlers only when Qt wakes it: hence the socket."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reader, writer = socket.socketpair()
    for end in (reader, writer):
        end.setblocking(False)
    notifier = QSocketNotifier(reader.fileno(), QSocketNotifier.Type.Read)

    def on_signal() -> None:
        with suppress(BlockingIOError):
            reader.recv(64)

    notifier.activated.connect(on_signal)
    before = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    numbers = (signal.SIGINT, signal.SIGTERM)
    handlers = [signal.signal(number, lambda *_: quit_()) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, handlers, strict=True):
            signal.signal(number, handler)
        signal.set_wakeup_fd(before)
        notifier.setEnabled(False)
        reader.close()
        writer.close()
