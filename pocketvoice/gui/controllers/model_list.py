"""Models and voices of the catalogue that can be chosen, with names for people.

`model_choices` reads many small files: call it on a thread. No widgets, no network.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QLocale

from pocketvoice.hub import catalogue, faults
from pocketvoice.text import alphabet
from pocketvoice.text.alphabet import UnknownLetters


@dataclass(frozen=True)
class ModelChoice:
    """A model as a list shows it."""

    name: str
    """As the catalogue calls it."""
    title: str
    """For people: "English (built in)"."""
    about: str
    """A line about the model, for a tool tip or a column."""
    installed: bool
    size_bytes: int
    """Of the download."""
    language: str = ""
    """For people: "English"."""
    tier: str = ""
    """"Small", "Good", "Best" or "Built in"; empty for those that only the list of all models has."""
    sentence: str = ""
    """What this tier is for."""
    speed: float = 0.0
    """How much faster than others it speaks, on any computer; 0 if that is not known."""


def model_choices() -> list[ModelChoice]:
    """All models, those that can be used at once first."""
    return _sorted([_choice(name) for name in catalogue.languages()])


def installed_by_language() -> dict[str, str]:
    """The model that speaks each language of which one is installed: the default one, or else the first."""
    found: dict[str, str] = {}
    for name in (catalogue.default_language(), *catalogue.languages()):
        if catalogue.is_installed(name):
            found.setdefault(catalogue.language_code(name), name)
    return found


def with_installed(choices: list[ModelChoice], name: str | None) -> list[ModelChoice]:
    """The same list after a model has been downloaded."""
    return _sorted([replace(one, installed=one.installed or one.name == name) for one in choices])


def seconds_a_minute(choice: ModelChoice, measured: ModelChoice | None, factor: float | None) -> float | None:
    """Seconds that a model takes here for a minute of speech, when another is known to speak `factor` times as fast as it is heard.

    None where that can't be told.
    """
    if measured is None or not factor or not measured.speed or not choice.speed:
        return None
    return 60 / (factor * choice.speed / measured.speed)


def _sorted(choices: list[ModelChoice]) -> list[ModelChoice]:
    return sorted(choices, key=lambda choice: not choice.installed)


def _choice(name: str) -> ModelChoice:
    entry = catalogue.entry(name)
    about = entry.about.partition(": ")[2] or (entry.about if entry.is_local else "")
    if not about.startswith(name.partition("_")[0]):  # else it begins with the name of another model
        about = about[:1].upper() + about[1:]
    tier, sentence = "", ""
    if entry.is_local:
        tier, sentence = "Built in", "Comes with the program: plain, quick, and there at once."
    elif entry.tier:
        known = catalogue.tiers()[entry.tier]
        tier, sentence = known.title, known.about
    return ModelChoice(
        name, model_title(name), about, catalogue.is_installed(name), entry.size_bytes,
        _language(entry.language_code) or name, tier, sentence, entry.speed,
    )  # fmt: skip


def model_title(name: str | None) -> str:
    """The name of a model for people; one that is not in the catalogue is the user's own."""
    if name is None:
        return "Your own model"
    try:
        entry = catalogue.entry(name)
    except ValueError:
        return name
    language = _language(entry.language_code)
    if entry.is_local:
        return f"{language or name} (built in)"
    if "_" not in name:
        return language or name
    if entry.tier:
        return f"{language} ({catalogue.tiers()[entry.tier].title.lower()})"
    return entry.about.partition(":")[0].rstrip(".")


def unknown_letters(text: str, language: str | None) -> UnknownLetters | None:
    """What is to be told of a text mostly in letters that a model does not know; None where there is nothing."""
    return alphabet.unknown_letters(text, catalogue.language_code(language))


def voices_of(language: str | None) -> list[str]:
    """The names of the voices a model can speak with."""
    if language is None:
        return catalogue.voice_names()
    entry = catalogue.entry(language)
    return list(catalogue.local_voices(language)) if entry.is_local else catalogue.voice_names()


def is_file(voice: str) -> bool:
    """Whether a voice is a file or an address, and no name of the catalogue."""
    return any(mark in voice for mark in "/\\.:")


def sample_text(language: str | None) -> str:
    """A few sentences in the language of a model."""
    return catalogue.default_text(language)


def voice_title(voice: str) -> str:
    """The name of a voice for people; of a file its name without folder and suffix."""
    if is_file(voice):
        return Path(voice).stem
    return catalogue.voice_title(voice)


def size_title(size_bytes: int) -> str:
    """A size in MB, for people; at least 1."""
    return f"{max(1, round(size_bytes / 1e6))} MB"


def _language(code: str) -> str:
    if not code:
        return ""
    language = QLocale.codeToLanguage(code)
    return QLocale.languageToString(language) if language != QLocale.Language.AnyLanguage else ""


def is_known(language: str) -> bool:
    """Whether there is a model of that name."""
    return language in catalogue.languages()


def default_model() -> str:
    """The model that is loaded when none was chosen."""
    return catalogue.default_language()


def stand_in(language: str | None) -> str | None:
    """An installed model that can speak instead of one that can't be had; None if there is no other."""
    others = (name for name in catalogue.languages() if name != language and catalogue.is_installed(name))
    return next(others, None)


def better_than(language: str | None) -> ModelChoice | None:
    """The model to be offered to those who speak with a built-in one; None if they have another, or no network may be used."""
    if language is None or not catalogue.entry(language).is_local or faults.is_offline():
        return None
    better = catalogue.released_model(language)
    return None if better is None or catalogue.is_installed(better) else _choice(better)


def default_voice(language: str | None) -> str:
    """The voice of a model when none was chosen."""
    return catalogue.default_voice(language)
