"""Offers the better model once, quietly: at the first start, while the one that comes with the program speaks.

Knows no widgets. Main thread only.
"""

from PySide6.QtCore import QObject

from pocketvoice.gui.controllers import model_list
from pocketvoice.gui.controllers.messages import Messages, Remedy, Topic
from pocketvoice.gui.controllers.models import ModelController, ModelPhase, ModelView
from pocketvoice.gui.controllers.settings import SettingsController


class BetterVoice(QObject):
    """Says once that there is a better model than the built-in one."""

    def __init__(self, models: ModelController, settings: SettingsController, messages: Messages) -> None:
        super().__init__()
        self._models = models
        self._settings = settings
        self._messages = messages
        self.language = ""
        """The model that is offered; "" as long as none is."""
        models.changed.connect(self._on_model)

    def _on_model(self, view: ModelView) -> None:
        if view.phase is not ModelPhase.READY or view.ready is None or view.is_changing:
            return
        # What else there is to tell comes first: then it is offered at the next start.
        if self._settings.now.better_voice_offered or self._messages.message is not None:
            return
        better = model_list.better_than(view.ready.language)
        if better is not None:
            self._settings.change(better_voice_offered=True)
            self.language = better.name
            self._messages.say(
                f"A more natural voice for {better.language} can be downloaded once: {model_list.size_title(better.size_bytes)}.",
                (Remedy.DOWNLOAD,),
                Topic.BETTER_VOICE,
            )
