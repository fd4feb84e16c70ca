"""What the dialog says about the loaded model, and the language and the sentence it proposes for it. No widgets."""

from pocketvoice.gui.controllers import model_list
from pocketvoice.gui.controllers.models import ModelPhase, ModelView
from pocketvoice.hub import catalogue

SMALL_MODEL = (
    "The small built-in model only approximates a voice, and follows only the first seconds of a recording: what you hear will be "
    "much like its own. With a released model the whole recording becomes a far better copy; made by itself when you load one."
)
NO_MODEL = "No voice model is loaded: you can record now, and hear the voice when one is."


def note_on(view: ModelView) -> str:
    """A sentence about what the model will make of a voice; "" if there is nothing to say."""
    if view.phase is ModelPhase.MISSING:
        return NO_MODEL
    ready = view.ready
    return SMALL_MODEL if ready is not None and _is_built_in(ready.language) else ""


def language_code_of(view: ModelView) -> str:
    """The code of the language that the model speaks; English for one that the catalogue does not know."""
    language = (view.ready.language if view.ready else None) or view.language
    if language is None or not model_list.is_known(language):
        return "en"
    return catalogue.entry(language).language_code or "en"


def sample_sentence(language: str) -> str:
    """A sentence or two in a language, for the takes: the sample text without its last sentence."""
    text = model_list.sample_text(language or None)
    return text.rpartition(". ")[0] + "." if ". " in text else text


def _is_built_in(language: str | None) -> bool:
    return language is not None and model_list.is_known(language) and catalogue.entry(language).is_local
