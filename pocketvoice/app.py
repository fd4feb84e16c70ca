"""The desktop program: makes and connects all parts, starts them in order, and ends them in order. Only this module knows all.

Start: settings, Qt, the window's first paint, then the worker and its model. End: the window disappears, the speech and the worker
end, the settings are written. Everything here is on the main thread, on one loop that is both Qt's and asyncio's.
"""

import asyncio
import logging
import os
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication

from pocketvoice import log, paths, settings
from pocketvoice.errors import InputError
from pocketvoice.gui.controllers.better_voice import BetterVoice
from pocketvoice.gui.controllers.messages import Messages, Topic
from pocketvoice.gui.controllers.reading_time import ReadingTime
from pocketvoice.gui.controllers.services import Services
from pocketvoice.gui.controllers.serving import Serving
from pocketvoice.gui.controllers.single_instance import Handover, SingleInstance
from pocketvoice.gui.controllers.sleep_timer import SleepTimer
from pocketvoice.gui.event_loop import ended_by_signals, make_loop, run_to_end, shown_errors
from pocketvoice.gui.main import menus, start_options
from pocketvoice.gui.main.actions import connect_actions
from pocketvoice.gui.main.book_commands import BookCommands
from pocketvoice.gui.main.chapter_commands import ChapterCommands
from pocketvoice.gui.main.export_commands import ExportCommands
from pocketvoice.gui.main.message_commands import MessageCommands
from pocketvoice.gui.main.other_language import OtherLanguage
from pocketvoice.gui.main.reader import LOCKED
from pocketvoice.gui.main.reading_commands import ReadingCommands
from pocketvoice.gui.main.sleep_menu import SleepMenu
from pocketvoice.gui.main.speech_commands import SpeechCommands
from pocketvoice.gui.main.start_page import StartPage
from pocketvoice.gui.main.step_commands import StepCommands
from pocketvoice.gui.main.text_commands import TextCommands
from pocketvoice.gui.main.tray import bring_forward, make_tray
from pocketvoice.gui.main.view_commands import ViewCommands
from pocketvoice.gui.main.voice_choice import VoiceChoice
from pocketvoice.gui.main.window import Window
from pocketvoice.gui.main.window_state import WindowState
from pocketvoice.gui.pyside_refcount_workaround import keep_singletons_alive
from pocketvoice.gui.voices.coordinator import VoicesCoordinator
from pocketvoice.gui.voices.library_model import LibraryModel
from pocketvoice.gui.widgets import theme
from pocketvoice.gui.widgets.icons import application_icon
from pocketvoice.worker.messages import DeviceName, OutputKind, WorkerOptions
from pocketvoice.worker.parent.client import WorkerClient

_LOG_BYTES = 1_000_000

_logger = logging.getLogger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the window until it is closed; the exit code. `arguments` are files to show, and options."""
    started = time.monotonic()
    keep_singletons_alive()
    options = start_options.parse(arguments)
    _log_to_file()
    remembered, sentence = settings.load()
    if remembered.scale_percent != 100:
        os.environ.setdefault("QT_SCALE_FACTOR", str(remembered.scale_percent / 100))
    qt = _application()
    single = SingleInstance()
    messages = Messages()
    handover = start_options.handover(options.files, options.speak)
    if single.hand_over(handover):
        return 0
    single.listen()
    if sentence:
        messages.warn(sentence)
    loop = make_loop(qt)
    only_now = {"voice": options.voice} if options.voice else {}
    program = Program(messages, remembered, single, started, only_now=only_now, seed=options.seed)
    with loop, ended_by_signals(program.quit), shown_errors(loop, messages.show_error):
        ended = run_to_end(loop, program.run(handover, options.config))
        program.dispose()
    single.close()
    return 0 if ended else 1


class Desktop:
    """The window and everything behind it, connected."""

    def __init__(self, services: Services) -> None:
        settings, messages, tasks = services.settings, services.messages, services.tasks
        speech, models = services.speech, services.models
        self.services = services
        self.library = LibraryModel(tasks)
        window = self.window = Window()
        reader = window.reader
        self.window_state = WindowState(window, reader, settings, services.texts, speech)
        self.voices = VoicesCoordinator(
            window, self.library, services.client, models, settings, messages, tasks
        )
        may_speak = self.voices.fit.may_speak
        self.voice_choice = VoiceChoice(
            window, window.voice_row, self.library, models, speech, settings, tasks, may_speak
        )
        voice = self.voice_choice.voice
        self.text_commands = TextCommands(
            window, reader, speech, settings, services.texts, messages, services.opener, self.voices.take_in
        )
        self.speech_commands = SpeechCommands(
            reader, speech, models, settings, services.texts, messages, voice, self.text_commands.show_text
        )
        self.export_commands = ExportCommands(
            window, reader, services.exporter, speech, settings, messages, voice
        )
        self.book_commands = BookCommands(
            window, reader, services.book, models, settings, messages, voice, self._voice_name
        )
        self.reading_commands = ReadingCommands(
            window,
            reader,
            speech,
            models,
            services.pronunciations,
            settings,
            messages,
            tasks,
            voice,
            self._voice_name,
            window.command_actions,
        )
        reader.context_actions += [window.command_actions[name] for name in ("how_read", "pronounce")]
        self.view_commands = ViewCommands(
            window,
            reader,
            settings,
            window.command_actions["follow"],
            window.voice_row.look,
            window.model_details,
        )
        self.chapter_commands = ChapterCommands(
            window, window.outline, reader, speech, settings, window.command_actions
        )
        self.reading_time = ReadingTime(
            speech, reader.text, self.window_state.place, lambda: self.chapter_commands.outline
        )
        self.step_commands = StepCommands(
            reader, speech, self.reading_time, self.window_state.place, window.status.show_left
        )
        self.better_voice = BetterVoice(models, settings, messages)
        self.other_language = OtherLanguage(
            reader,
            speech,
            models,
            settings,
            messages,
            tasks,
            window.command_actions["other_language"],
            self.voice_choice.choose_model,
            self.voice_choice.voice_with,
            self.speech_commands.speak,
        )
        self.message_commands = MessageCommands(
            window,
            messages,
            models,
            self.voice_choice.show_models,
            self._download_better,
            self.other_language.switch,
            self.other_language.not_now,
        )
        self._add_submenus()
        self._connect_actions()
        self._connect_speech()
        self._connect_rows()
        self._connect_texts()
        self._connect_voices()
        self.window_state.restore()

    def _voice_name(self, voice: str) -> str:
        """What people call a voice of an id, a name or a path."""
        own = self.library.find(voice)
        return own.name if own is not None else voice

    def _add_submenus(self) -> None:
        services, window = self.services, self.window
        self.recent = menus.RecentTexts(
            window.menus["&File"],
            window.command_actions["save"],
            services.texts,
            self.text_commands.show_text,
        )
        self.output = menus.SoundOutput(window.menus["&Speech"], services.settings, services.models)
        self.sleep_timer = SleepTimer(services.speech, self.reading_time)
        self.sleep_menu = SleepMenu(window.menus["&Speech"], window.transport.sleep, self.sleep_timer)
        self.size = menus.WindowSize(window.menus["&View"], services.settings, services.messages)

    def _connect_actions(self) -> None:
        speech, spoken, text, view = (
            self.services.speech, self.speech_commands, self.text_commands, self.view_commands
        )  # fmt: skip
        steps = self.step_commands
        slots = {
            "open": text.open, "new": text.new, "save": self.export_commands.save,
            "book": self.book_commands.show, "quit": self.window.close,
            "speak": spoken.speak, "speak_all": spoken.speak_all, "speak_clipboard": spoken.speak_clipboard,
            "pause": speech.toggle_pause, "stop": speech.stop, "previous": speech.previous, "next": speech.next,
            "faster": spoken.faster, "slower": spoken.slower, "normal_speed": spoken.normal_speed,
            "how_read": self.reading_commands.how_read, "pronounce": self.reading_commands.pronounce,
            "pronunciations": self.reading_commands.pronunciations, "emoji": self.reading_commands.toggle_emoji,
            "other_language": self.other_language.toggle,
            "voices": self.voices.show_page, "new_voice": self.voices.new_voice,
            "chapter_back": self.chapter_commands.back, "chapter_forward": self.chapter_commands.forward,
            "skip_back": steps.skip_back, "skip_forward": steps.skip_forward,
            "paragraph_back": steps.paragraph_back, "paragraph_forward": steps.paragraph_forward,
            "outline": self.chapter_commands.toggle, "follow": view.follow, "look": view.look,
            "larger": view.larger, "smaller": view.smaller,
            "help": view.help, "about": view.about,
        }  # fmt: skip
        connect_actions(self.window.command_actions, slots)

    def _connect_speech(self) -> None:
        """The reader and the transport bar steer the speech, and show it."""
        services, window, speech_commands = self.services, self.window, self.speech_commands
        window.reader.seek_wanted.connect(services.speech.seek)
        window.reader.pause_wanted.connect(services.speech.toggle_pause)
        window.reader.edit_refused.connect(partial(services.messages.say, LOCKED, topic=Topic.READING))
        window.transport.play_wanted.connect(speech_commands.play)
        window.transport.seek_wanted.connect(speech_commands.seek_share)
        for source in (window.transport, self.voice_choice):
            source.speed_wanted.connect(speech_commands.set_speed)
            source.volume_wanted.connect(speech_commands.set_volume)
        services.speech.changed.connect(window.show_speech)
        services.speech.rested.connect(partial(services.messages.over, Topic.READING))
        services.speech.level_changed.connect(window.transport.level.set_level)
        services.speech.ended.connect(speech_commands.show_end)

    def _connect_rows(self) -> None:
        """What takes a while has a row with a button that cancels it; a message has its bar."""
        services, window = self.services, self.window
        services.models.changed.connect(window.show_model)
        window.download.cancelled.connect(services.models.cancel)
        for task, row in (
            (services.exporter, window.saving),
            (services.preparation, window.preparing),
            (services.opener, window.opening),
        ):
            task.progressed.connect(row.show_progress)
            task.ended.connect(row.hide)
            row.cancelled.connect(task.cancel)
        services.messages.changed.connect(self._show_message)
        window.message_bar.dismissed.connect(services.messages.dismiss)
        window.message_bar.remedy_wanted.connect(self.message_commands.carry_out)
        window.message_bar.details_wanted.connect(self.message_commands.show_details)
        self._show_message()

    def _connect_texts(self) -> None:
        window = self.window
        for widget in (window, window.reader):
            widget.files_dropped.connect(self.text_commands.open_files)
        window.text_dropped.connect(self.text_commands.show_text)
        start = self.start_page = StartPage(window.reader, lambda: self.services.texts.recent)
        start.open_wanted.connect(self.text_commands.open)
        start.paste_wanted.connect(window.reader.paste)
        start.sample_wanted.connect(self._read_sample)
        start.recent_wanted.connect(self.recent.open)
        window.reader.textChanged.connect(self._show_start)
        self._show_start()
        window.closed.connect(self.window_state.remember)

    def _connect_voices(self) -> None:
        row, voices, choice = self.window.voice_row, self.voices, self.voice_choice
        row.my_voices_wanted.connect(voices.show_page)
        row.new_voice_wanted.connect(voices.new_voice)
        voices.chosen.connect(choice.choose_voice)
        voices.keep_sound_wanted.connect(choice.keep_sound)
        voices.other_model_wanted.connect(choice.show_models)

    def _download_better(self) -> None:
        self.voice_choice.choose_model(self.better_voice.language)

    def _show_start(self) -> None:
        self.start_page.show_for(self.window.reader.document().isEmpty())

    def _read_sample(self) -> None:
        self.text_commands.show_text(self.voice_choice.sample())
        self.speech_commands.speak_all()

    def _show_message(self) -> None:
        self.window.show_message(self.services.messages.message)


class Program(QObject):
    """The parts over a real worker, and the order in which they start and end."""

    def __init__(
        self,
        messages: Messages,
        remembered: settings.Settings,
        single: SingleInstance,
        started: float,
        options: WorkerOptions | None = None,
        only_now: Mapping[str, Any] | None = None,
        seed: int | None = None,
    ) -> None:
        """`started` is the monotonic time at which the process began; the others are those of `Services`."""
        super().__init__()
        self._started = started
        self._over = asyncio.Event()
        self.client = WorkerClient(options or _worker_options())
        self.services = Services(self.client, messages, remembered, only_now, seed)
        self.desktop = Desktop(self.services)
        window = self.window = self.desktop.window
        self.serving = Serving(
            self._open_server, self.services.settings, self.services.messages, self.services.tasks
        )
        self.serving_menu = menus.ServingMenu(window.menus["&Speech"], window, self.serving)
        self.tray = make_tray(window, window.command_actions)
        single.received.connect(self._on_handover)
        window.closed.connect(self.quit)
        instance = QApplication.instance()
        if instance is not None:
            instance.aboutToQuit.connect(self.quit)

    def quit(self) -> None:
        """Lets `run` end everything in order, and return."""
        self._over.set()

    def dispose(self) -> None:
        """Destroys the window while Qt still stands: not in the order in which Python forgets names."""
        self.services.settings.save_now()
        self.window.deleteLater()
        QApplication.sendPostedEvents(self.window, QEvent.Type.DeferredDelete.value)

    async def run(self, handover: Handover, config: str | None = None) -> None:
        """Shows the window, starts the worker, and returns when everything has ended."""
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
            self.services.settings.save_now()

    def _begin(self, handover: Handover, config: str | None) -> None:
        services, now = self.services, self.services.settings.now
        services.speech.set_speed(now.speed)
        services.speech.set_volume(now.volume)
        if now.device_name:
            services.models.set_device(DeviceName(now.device_name, now.device_host_api))
        self.desktop.voice_choice.load_first(config)
        self.serving.begin()
        self.desktop.voices.start()
        if handover.text or handover.files:
            self._on_handover(handover)

    async def _end(self) -> None:
        services = self.services
        if self.tray is not None:
            self.tray.icon.hide()
        self.desktop.window_state.remember()
        self.window.hide()
        services.exporter.cancel()
        services.opener.cancel()
        services.book.close()
        services.preparation.close()
        await self.desktop.voices.close()
        await self.serving.close()
        services.models.close()
        await self.client.close()
        await services.tasks.close()
        services.speech.close()

    def _open_server(self, port: int) -> AbstractAsyncContextManager[Any]:
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
        speak = self.desktop.speech_commands.speak_all if handover.speak else None
        if handover.files:
            self.desktop.text_commands.open_files(handover.files, speak)
        if handover.text:
            self.desktop.text_commands.show_text(handover.text)
            if speak is not None:
                speak()


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
    """The loudspeaker; `POCKETVOICE_OUTPUT=null` is a computer without services."""
    return WorkerOptions(output=OutputKind(os.environ.get("POCKETVOICE_OUTPUT", OutputKind.DEVICE.value)))


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
