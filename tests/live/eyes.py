"""Starts the desktop program exactly as `python -m pocketvoice` does, and lets a test look at its window.

A thread reads lines from standard input; each is answered with one line of JSON about the window, put together on the main thread.
It looks and hardly touches (it turns the system dark): mouse and keys are the test's, through the X server. The worker process runs
without any of this.
"""

import gc
import json
import runpy
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.live.watchdog import PERIOD_S, Watchdog


def _window() -> Any:
    from PySide6.QtWidgets import QApplication

    from pocketvoice.gui.main.window import Window

    return next((widget for widget in QApplication.topLevelWidgets() if isinstance(widget, Window)), None)


def _program() -> Any:
    """The running program, found among all objects: it has no need to be known anywhere."""
    from pocketvoice.app import Program

    return next(found for found in gc.get_objects() if type(found) is Program)


def _is_dialog(widget: Any) -> bool:
    from PySide6.QtWidgets import QDialog

    return isinstance(widget, QDialog) and widget.isVisible()


def _dialog(dialog: Any) -> dict[str, Any]:
    """What can be seen and pressed in a dialog, by the name that a screen reader says."""
    from PySide6.QtWidgets import QWidget

    controls = {}
    for widget in dialog.findChildren(QWidget):
        if widget.isVisible() and widget.accessibleName():
            centre = widget.mapToGlobal(widget.rect().center())
            words = widget.text() if hasattr(widget, "text") and callable(widget.text) else ""
            place = [centre.x(), centre.y()]
            controls[widget.accessibleName()] = {"place": place, "on": widget.isEnabled(), "words": words}
    return {"title": dialog.windowTitle(), "window": int(dialog.winId()), "controls": controls}


def _in_front(window: Any) -> Any:
    from PySide6.QtWidgets import QApplication

    beside = next((one for one in QApplication.topLevelWidgets() if _is_dialog(one)), None)
    return QApplication.activePopupWidget() or QApplication.activeModalWidget() or beside or window


def _darken() -> None:
    """As a system does that turns dark in the evening."""
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QGuiApplication

    hints = QGuiApplication.styleHints()
    if hints.colorScheme() is not Qt.ColorScheme.Dark:
        hints.colorSchemeChanged.emit(Qt.ColorScheme.Dark)


class Eyes:
    """What is seen; all but `read` on the main thread."""

    def __init__(self) -> None:
        from PySide6.QtCore import QObject, Signal

        class Asked(QObject):
            line = Signal(str)

        self._asked = Asked()
        self._asked.line.connect(self._on_line)
        self._program: Any = None
        self._timer: Any = None
        self._watchdog: Watchdog | None = None
        self._pressed: dict[str, float] = {}
        self._ends: Counter[str] = Counter()  # of each request

    def read(self) -> None:
        """Until standard input ends."""
        for line in sys.stdin:
            self._asked.line.emit(line.strip())

    def _on_line(self, line: str) -> None:
        window = _window()
        if window is None or not window.isVisible():
            print(json.dumps({}), flush=True)
            return
        if self._program is None:
            self._program = _program()
            self._watch(window)
        if line == "forget" and self._watchdog is not None:
            self._watchdog.forget()
        if line.startswith("picture "):
            _in_front(window).grab().save(line.removeprefix("picture "))
        if line == "dark":
            _darken()
        print(json.dumps(self._seen(window)), flush=True)

    def _watch(self, window: Any) -> None:
        from PySide6.QtCore import Qt, QTimer

        self._timer = QTimer(window)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._watchdog = Watchdog()
        self._timer.timeout.connect(self._watchdog.tick)
        self._timer.start(round(PERIOD_S * 1000))
        self._program.client.listen(self._count)
        for name in ("play", "stop", "previous"):
            getattr(window.transport, name).released.connect(lambda name=name: self._note(name))
        for name in ("speak", "stop", "speak_clipboard"):
            action = window.command_actions[name]
            action.triggered.connect(lambda *_, name=name: self._note(f"{name} key"))

    def _count(self, event: Any) -> None:
        from pocketvoice.worker.messages import TERMINAL

        if isinstance(event, TERMINAL):
            self._ends[event.request_id] += 1

    def _note(self, name: str) -> None:
        self._pressed[name] = time.monotonic()

    def _seen(self, window: Any) -> dict[str, Any]:
        from PySide6.QtWidgets import QApplication

        transport = window.transport
        widgets = {
            "reader": window.reader.viewport(),
            "play": transport.play,
            "stop": transport.stop,
            "previous": transport.previous,
            "next": transport.next,
            "position": transport.position,
            "speed": transport.speed,
            "details": window.message_bar.details,
        }
        centres = {name: widget.mapToGlobal(widget.rect().center()) for name, widget in widgets.items()}
        dialog = QApplication.activeModalWidget()
        services = self._program.services
        message, view = services.messages.message, services.speech.view
        return {
            "window": int(window.winId()),
            "active": window.isActiveWindow() and window.reader.hasFocus(),
            "dialog": int(dialog.winId()) if dialog else 0,
            "text": window.reader.toPlainText(),
            "message": message.text if message else "",
            "status": window.status.state.text(),
            "phase": view.phase.value,
            "span": view.span,
            "model": services.models.view.phase.value,
            "play": transport.play.text(),
            "stall_s": self._watchdog.longest_s if self._watchdog else 0.0,
            "own_stall_s": self._watchdog.longest_own_s if self._watchdog else 0.0,
            "stalls": self._watchdog.stalls if self._watchdog else [],
            "pressed": self._pressed,
            "ended": len(self._ends),
            "ended_twice": [name for name, count in self._ends.items() if count > 1],
            "open": list(self._program.client._entries),
            "voice": window.voice_row.voices.currentText(),
            "dialogs": [_dialog(one) for one in QApplication.topLevelWidgets() if _is_dialog(one)],
            "widths": {name: widget.width() for name, widget in widgets.items()},
            "places": {name: (point.x(), point.y()) for name, point in centres.items()},
        }


if __name__ == "__main__":
    threading.Thread(target=Eyes().read, daemon=True).start()
    runpy.run_module("pocketvoice", run_name="__main__", alter_sys=True)
