"""The controllers over one worker that the whole window works with, made once in `app`. Main thread only."""

import asyncio
from collections.abc import Mapping
from typing import Any

from pocketvoice.gui.controllers.book import BookMaker
from pocketvoice.gui.controllers.documents import DocumentOpener
from pocketvoice.gui.controllers.export import Exporter
from pocketvoice.gui.controllers.messages import Messages
from pocketvoice.gui.controllers.models import ModelController
from pocketvoice.gui.controllers.preparation import VoicePreparation
from pocketvoice.gui.controllers.pronunciations import Pronunciations
from pocketvoice.gui.controllers.settings import SettingsController
from pocketvoice.gui.controllers.speech import SpeechController
from pocketvoice.gui.controllers.tasks import Tasks
from pocketvoice.gui.controllers.texts import Texts
from pocketvoice.gui.controllers.worker import Worker
from pocketvoice.settings import Settings


class Services:
    """Nobody but `app` holds all of them: a controller is given those that it needs. All fields are set once."""

    def __init__(
        self,
        client: Worker,
        messages: Messages,
        remembered: Settings,
        only_now: Mapping[str, Any] | None = None,
        seed: int | None = None,
    ) -> None:
        """`only_now` are settings of this start alone; with a `seed` the same text gives the same sound each time."""
        self.client = client
        self.messages = messages
        self.tasks = Tasks(messages.show_error)
        self.settings = SettingsController(remembered, messages, self.tasks, only_now)
        self.texts = Texts(messages, self.tasks, self.settings)
        self.opener = DocumentOpener(messages, self.tasks, self.texts)
        model_was_asked_for = asyncio.Event()
        self.speech = SpeechController(client, messages, self.tasks, self.settings, model_was_asked_for, seed)
        self.models = ModelController(client, messages, self.tasks)
        self.models.asked.connect(model_was_asked_for.set)
        self.exporter = Exporter(client, messages, self.tasks, self.settings, seed)
        self.book = BookMaker(messages, self.tasks, self.opener)
        self.pronunciations = Pronunciations(messages)
        self.preparation = VoicePreparation(client, self.models, self.tasks)
