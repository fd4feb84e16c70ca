"""The window with a fake worker, made and connected as `app` does it."""

from dataclasses import dataclass

from pocketvoice.app import Desktop
from pocketvoice.gui.controllers.export import Exporter
from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.gui.controllers.models import ModelController
from pocketvoice.gui.controllers.services import Services
from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.controllers.speech import SpeechController
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.controllers.texts import Texts
from pocketvoice.gui.main.window import Window
from pocketvoice.settings import Settings
from tests.gui.fake_client import FakeClient

SENTENCES = (
    "The children walked to the harbour, where the old boats were lying in the sun, quite far from the water. ",
    "Nobody had told them that the ferry would leave so early in the morning, long before the shops opened. ",
    "The captain looked at his watch and at the sky, and then he told the men to pull the anchor up again. ",
)
"""Each lasts about 0.8 s with a model that ends at once."""


@dataclass
class Parts:
    client: FakeClient
    messages: Messages
    tasks: Tasks
    settings: SettingsController
    texts: Texts
    speech: SpeechController
    models: ModelController
    exporter: Exporter
    desktop: Desktop
    window: Window


def make_services(client: FakeClient, remembered: Settings | None = None) -> Services:
    return Services(client, Messages(), remembered or Settings())


def make_window(remembered: Settings | None = None) -> Parts:
    client = FakeClient()
    services = make_services(client, remembered)
    desktop = Desktop(services)
    return Parts(
        client,
        services.messages,
        services.tasks,
        services.settings,
        services.texts,
        services.speech,
        services.models,
        services.exporter,
        desktop,
        desktop.window,
    )
