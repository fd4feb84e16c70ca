"""The window with a fake worker, wired as `app` wires it."""

from dataclasses import dataclass
from typing import Any, cast

from pocketvoice import settings
from pocketvoice.gui.board import MessageBoard
from pocketvoice.gui.exporting import Exporter
from pocketvoice.gui.keeper import SettingsKeeper
from pocketvoice.gui.models import ModelController
from pocketvoice.gui.speech import SpeechController
from pocketvoice.gui.tasks import Tasks
from pocketvoice.gui.window import Services, Window
from tests.gui.fake_client import FakeClient


@dataclass
class Parts:
    client: FakeClient
    board: MessageBoard
    tasks: Tasks
    keeper: SettingsKeeper
    speech: SpeechController
    models: ModelController
    exporter: Exporter
    window: Window


def make_window(remembered: settings.Settings | None = None) -> Parts:
    client = FakeClient()
    theirs = cast(Any, client)
    board = MessageBoard()
    tasks = Tasks(board.show_error)
    keeper = SettingsKeeper(remembered or settings.Settings(), board, tasks)
    speech = SpeechController(theirs, board, tasks)
    models = ModelController(theirs, board, tasks)
    exporter = Exporter(theirs, board, tasks)
    window = Window(Services(theirs, board, tasks, keeper, speech, models, exporter))
    return Parts(client, board, tasks, keeper, speech, models, exporter, window)
