"""The catalogue: which models and voices there are, where their files lie, and what is used when the user names none.

The facts are data (`resources/catalogue.toml`, `resources/models/*.yaml`), read on first use. A folder `models/NAME` with a
`NAME.yaml` inside is a local model: installed as it stands, with voices of its own in `NAME/voices/`. Knows no network.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pocketvoice import paths
from pocketvoice.errors import ConfigError, UnknownNameError
from pocketvoice.hub.cache import is_cached

if TYPE_CHECKING:
    VOICES: Mapping[str, str]

MAX_TOKENS = 50
"""Tokens of a segment, at most, for models that the catalogue gives no number of their own."""
_STATE_SUFFIX = ".safetensors"


@dataclass(frozen=True)
class Tier:
    """A size of model that people choose among."""

    title: str  # "Small"
    about: str  # one sentence


@dataclass(frozen=True)
class ModelEntry:
    """A model that can be named with `language=`."""

    name: str
    language_code: str  # ISO 639-1, "en"; empty if it can't be told
    layers: int  # of the FlowLM transformer; 0 if the catalogue does not know
    config_path: Path
    size_bytes: int  # of the weights; approximate for models on the hub
    about: str  # one line for a list
    is_local: bool = False  # lies complete in a folder of its own, nothing to download
    tier: str = ""  # of `tiers()`: which of the choices for people it is; empty if it is none
    speed: float = 0.0  # how much faster than the model `english` it speaks; 0 if that is not known

    @property
    def folder(self) -> Path:
        """Where the config lies, and for a local model everything else."""
        return self.config_path.parent


def __getattr__(name: str) -> Any:  # VOICES, read on first use: importing the catalogue reads no file
    if name == "VOICES":
        return _facts()["voices"]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def languages() -> list[str]:
    """The names of all models: the local ones first, then the catalogue in its order."""
    return [*_local_configs(), *_facts()["models"]]


def entry(language: str) -> ModelEntry:
    """What is known of the model `language`; UnknownNameError with suggestions if there is none."""
    facts = _facts()["models"].get(language)
    if facts is not None:
        return ModelEntry(
            name=language,
            language_code=facts["language"],
            layers=facts["layers"],
            config_path=paths.models_dir() / f"{language}.yaml",
            size_bytes=facts["size_bytes"],
            about=facts["about"],
            tier=_tier_of(language, facts["language"]),
            speed=_speed_of(language, facts["layers"]),
        )
    config = _local_configs().get(language)
    if config is None:
        raise _unknown("language", language, languages())
    return ModelEntry(
        name=language,
        language_code=language_code(language),
        layers=0,
        config_path=config,
        size_bytes=sum(file.stat().st_size for file in config.parent.rglob("*") if file.is_file()),
        about="Comes with the program, nothing to download.",
        is_local=True,
        speed=_speed_of(language, 0),
    )


def tiers() -> dict[str, Tier]:
    """The sizes of model that people choose among, the smallest first."""
    return {name: Tier(**facts) for name, facts in _facts()["tiers"].items()}


def is_installed(language: str) -> bool:
    """Whether the model can be loaded with no network: its tokenizer and one of its weights are on this disk."""
    model = entry(language)
    return model.is_local or _files_are_cached(model.config_path)


def language_to_load(language: str | None, config: str | None) -> str | None:
    """The language that a program loads: what was asked for, or the default where neither it nor a config was named."""
    return language or (None if config else default_language())


def default_language() -> str:
    """The best model that is installed; the catalogue's default, to be downloaded, if none is."""
    best: str = _facts()["default_model"]
    built_in: str = _facts()["built_in_model"]
    if not is_installed(best) and built_in in _local_configs():
        return built_in
    return best


def released_model(language: str) -> str | None:
    """The model of the catalogue that is the right one for most people, in the language of a local model; None if there is none."""
    found: str | None = _facts()["choices"].get(entry(language).language_code, {}).get("good")
    return found


def max_tokens(language: str | None) -> int:
    """The most tokens a segment should have: over 50 the released models skip words."""
    own: dict[str, int] = _facts()["max_tokens"]
    return own.get(language or "", MAX_TOKENS)


def clip_seconds(language: str | None) -> tuple[float, float] | None:
    """How much of a clip a model follows where it can't follow the usual 20 to 30 s: a longer one is cut between these seconds."""
    own: list[float] | None = _facts()["clip_seconds"].get(language or "")
    return None if own is None else (own[0], own[1])


def voice_names() -> list[str]:
    """The names of the catalogue's voices."""
    return list(_facts()["voices"])


def voice_title(voice: str) -> str:
    """The name of a voice for people."""
    return str(_facts()["voice_titles"].get(voice) or voice.replace("_", " ").title())


def local_voice(language: str, name: str) -> str | None:
    """The voice of a local model that is called so, by its name or by the one for people; None if there is none."""
    own = local_voices(language)
    if name in own:
        return name
    return next((voice for voice in own if voice_title(voice).casefold() == name.casefold()), None)


def default_voice(language: str | None, custom_weights: bool = False) -> str:
    """The voice that speaks when the user chose none: a name, or a clip if no prepared state fits the weights.

    Prepared states belong to exact weights. Custom ones (a config or checkpoint of the user's) clone a clip instead,
    and so does a local model that brings no voices.
    """
    fallback: str = _facts()["default_voice"]
    if custom_weights:
        return voice_clip_source(fallback)
    if language in _local_configs():
        own = local_voices(language)
        preferred = [name for name in (fallback, str(_facts()["built_in_voice"])) if name in own]
        return next(iter([*preferred, *own]), voice_clip_source(fallback))
    spoken = _facts()["languages"].get(language_code(language), {})
    return str(spoken.get("voice", fallback))


def default_text(language: str | None) -> str:
    """A few sentences in the language of the model, for when there is nothing else to say."""
    texts = _facts()["languages"]
    return str(texts.get(language_code(language), texts["en"])["text"])


def voice_state_source(language: str, voice: str) -> str:
    """Where the prepared state of `voice` for the model `language` lies."""
    if entry(language).is_local:
        own = local_voices(language)
        if voice not in own:
            raise _unknown("voice", voice, list(own))
        return str(own[voice])
    _check_voice(voice)
    return str(_facts()["voice_state"]).format(language=language, name=voice)


def voice_clip_source(voice: str) -> str:
    """Where the clip lies that `voice` was made from."""
    _check_voice(voice)
    return str(_facts()["voices"][voice])


def local_voices(language: str) -> dict[str, Path]:
    """The voices a local model brings along, by name."""
    folder = entry(language).folder / "voices"
    return {file.stem: file for file in sorted(folder.glob(f"*{_STATE_SUFFIX}"))}


def voices_in_place_of(language: str | None, voice: str) -> list[str]:
    """The voices of a local model that can stand in for one of the catalogue's that it does not have; none if it need not."""
    if language is None or voice not in voice_names() or not entry(language).is_local:
        return []
    own = list(local_voices(language))
    return [] if voice in own else own


@cache
def _facts() -> dict[str, Any]:
    import tomllib

    return tomllib.loads((paths.resources_dir() / "catalogue.toml").read_text(encoding="utf-8"))


def _local_configs() -> dict[str, Path]:
    """Name -> config of the models that lie in folders of their own."""
    folders = (folder for folder in sorted(paths.models_dir().iterdir()) if folder.is_dir())
    configs = {folder.name: folder / f"{folder.name}.yaml" for folder in folders}
    return {name: config for name, config in configs.items() if config.is_file()}


def _files_are_cached(config_path: Path) -> bool:
    import yaml

    try:
        config = yaml.safe_load(config_path.read_text(encoding="utf-8"))
        tokenizer = config["flow_lm"]["lookup_table"]["tokenizer_path"]
        weights = [config["weights_path"], config["weights_path_without_voice_cloning"]]
    except (OSError, yaml.YAMLError, KeyError, TypeError) as exc:
        raise ConfigError(
            f"The model config {config_path} is damaged: reinstall the program.", detail=repr(exc)
        ) from exc
    return is_cached(tokenizer) and any(is_cached(source) for source in weights)


def language_code(name: str | None) -> str:
    """The language a model name speaks of: "french_24l" -> "fr", "builtin_en" -> "en", "" if it says nothing or is None."""
    if name is None:
        return ""
    spoken = _facts()["languages"]
    for code, facts in spoken.items():
        if facts["name"].lower() in name:
            return str(code)
    last = name.rpartition("_")[2]
    return last if last in spoken else ""


def _tier_of(name: str, code: str) -> str:
    chosen = _facts()["choices"].get(code, {})
    return next((tier for tier, model in chosen.items() if model == name), "")


def _speed_of(name: str, layers: int) -> float:
    speeds = _facts()["speeds"]
    return float(speeds.get(name) or speeds.get(f"{layers}_layers", 0.0))


def _check_voice(voice: str) -> None:
    if voice not in _facts()["voices"]:
        raise _unknown("voice", voice, voice_names())


def _unknown(kind: str, name: str, known: list[str]) -> UnknownNameError:
    import difflib

    near = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"choose one of {', '.join(known)}."
    return UnknownNameError(f"There is no {kind} {name!r}: {hint}", suggestions=near)
