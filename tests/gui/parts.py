"""The window with a fake worker, wired as `app` wires it."""

from dataclasses import dataclass
from typing import Any, cast

from pocketvoice import settings
from pocketvoice.gui.controllers.export import Exporter
from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.gui.controllers.models import ModelController
from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.controllers.speech import SpeechController
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.main.window import Services, Window
from tests.gui.fake_client import FakeClient


@dataclass
class Parts:
    client: FakeClient
    board: Messages
    tasks: Tasks
    keeper: SettingsController
    speech: SpeechController
    models: ModelController
    exporter: Exporter
    window: Window


def make_window(remembered: settings.Settings | None = None) -> Parts:
    client = FakeClient()
    theirs = cast(Any, client)
    board = Messages()
    tasks = Tasks(board.show_error)
    keeper = SettingsController(remembered or settings.Settings(), board, tasks)
    speech = SpeechController(theirs, board, tasks)
    models = ModelController(theirs, board, tasks)
    exporter = Exporter(theirs, board, tasks)
    window = Window(Services(theirs, board, tasks, keeper, speech, models, exporter))
    return Parts(client, board, tasks, keeper, speech, models, exporter, window)
