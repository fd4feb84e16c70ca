"""The sentences of the status line and the numbers of the transport bar. Pure functions: a view in, words out."""

from pocketvoice.gui.controllers.model_list import model_title, size_title
from pocketvoice.gui.controllers.models import ModelPhase, ModelView
from pocketvoice.gui.controllers.reading_time import TimeLeft
from pocketvoice.gui.controllers.speech import Phase, SpeechView
from pocketvoice.worker.messages import Loading


def status(speech: SpeechView, model: ModelView) -> str:
    """What is going on, in one sentence."""
    match speech.phase:
        case Phase.WAITING:
            return _waiting(speech, model)
        case Phase.SPEAKING if speech.paused:
            return "Paused. Space goes on, Esc stops."
        case Phase.SPEAKING:
            return speech.buffering or "Speaking. Space pauses, Esc stops."
        case Phase.STOPPING:
            return "Stopping…"
    return _model(model)


def _model(model: ModelView) -> str:
    match model.phase:
        case ModelPhase.STARTING:
            return "Starting…"
        case _ if model.loading is not None:
            return _download(model.loading)
        case ModelPhase.LOADING:
            return "Loading the voice model…"
        case ModelPhase.MISSING:
            return "No voice model is loaded."
        case ModelPhase.READY if model.is_changing:
            return "Loading the voice model. Until it is ready, the one before speaks."
    return "Ready. Ctrl+Enter speaks."


def _waiting(speech: SpeechView, model: ModelView) -> str:
    if model.phase is ModelPhase.MISSING:
        return "Waiting for a voice model."
    if model.loading is not None and model.ready is None:
        return f"Speech begins after the download. {_download(model.loading)}"
    if speech.for_model or model.phase is not ModelPhase.READY:
        return "Waiting for the voice model: speech begins as soon as it is loaded."
    if speech.ahead:
        return f"Waiting for {speech.ahead} other text{'s' if speech.ahead > 1 else ''}."
    return "Preparing…"


def _download(loading: Loading) -> str:
    done = size_title(loading.done_bytes)
    if loading.total_bytes:
        done = f"{round(loading.done_bytes / 1e6)} of {size_title(loading.total_bytes)}"
    speed = f", {loading.bytes_per_second / 1e6:.1f} MB/s" if loading.bytes_per_second else ""
    return f"Downloading {loading.file}: {done}{speed}"


def model_line(model: ModelView) -> str:
    """The model, as people call it."""
    return "" if model.ready is None else model_title(model.ready.language)


def model_details(speech: SpeechView, model: ModelView) -> str:
    """The model, how precisely it computes and how fast it speaks, for those who ask."""
    if model.ready is None:
        return ""
    factor = speech.real_time_factor or model.ready.real_time_factor
    speed = f" · {factor:.1f}× real time" if factor else ""
    return f"{model_title(model.ready.language)} · {model.ready.precision}{speed}"


def clock(seconds: float) -> str:
    """A time as 1:05, or 1:02:03; 0:00 if negative."""
    whole = max(0, int(seconds))
    hours, minutes = divmod(whole // 60, 60)
    if hours:
        return f"{hours}:{minutes:02}:{whole % 60:02}"
    return f"{minutes}:{whole % 60:02}"


def duration(seconds: float) -> str:
    """A time that is about right: 3 h 20 min, 12 min, less than a minute."""
    minutes = round(seconds / 60)
    hours, rest = divmod(minutes, 60)
    if hours:
        return f"{hours} h {rest} min" if rest else f"{hours} h"
    return f"{minutes} min" if minutes else "less than a minute"


def time_left(left: TimeLeft) -> str:
    """How long the reading will take."""
    if left.chapter_s is None:
        return f"{duration(left.all_s)} left"
    return f"{duration(left.chapter_s)} left in the chapter, {duration(left.all_s)} in all"


def spoken_times(speech: SpeechView) -> str:
    """Time heard and time left, for a screen reader."""
    if not speech.total_s:
        return "nothing is spoken"
    return f"{clock(speech.elapsed_s)} heard, {clock(speech.left_s)} left"


def speed(value: float) -> str:
    """A speed as 1.25×, without zeros at the end."""
    return f"{value:.2f}".rstrip("0").rstrip(".") + "×"
