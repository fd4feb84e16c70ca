"""What the desktop program remembers between two starts: one JSON file in the config directory, written atomically.

`load` never fails: a file that can't be read gives the defaults, is kept aside as `.broken`, and a sentence says so. Keys this
version does not know (of a newer one) are kept. Knows nothing of Qt; `POCKETVOICE_CONFIG_DIR` overrides the place.
"""

import dataclasses
import json
import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import platformdirs

from pocketvoice import paths
from pocketvoice.errors import PocketVoiceError, from_os_error

MOST_RECENT_TEXTS = 12

_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Settings:
    """Everything remembered. Each field's default is what a first start has."""

    language: str = ""
    """Model to load; "" is the best one that is installed."""
    voice: str = ""
    """Voice name or file; "" is the model's default voice."""
    speed: float = 1.0
    """Tempo of the speech, 0.5 to 3; its pitch stays."""
    volume: float = 1.0
    """Factor on the loudness, 0 to 2."""
    device_name: str = ""
    """Loudspeaker; "" is the system's default."""
    device_host_api: str = ""
    """The sound system that loudspeaker belongs to."""
    microphone: str = ""
    """Name of the microphone that voices are recorded with; "" is the system's default."""
    font_points: int = 14
    """Size of the text in the reader."""
    page_font: str = "sans"
    """Kind of its letters: sans or serif."""
    page_colours: str = "system"
    """Colours of its page: system, light, sepia or dark."""
    line_percent: int = 140
    """Height of its lines, in percent of that of the letters."""
    line_letters: int = 72
    """How wide its lines are at the most, in letters."""
    scale_percent: int = 100
    """Size of the whole window, 100 to 200; read at the start."""
    geometry: str = ""
    """Where the window was and how large, as Qt describes it, in base64."""
    folder: str = ""
    """Where the last file was opened or saved."""
    draft: str = ""
    """Of versions up to 2: the text that stood in the reader. Texts have files of their own now."""
    recent_texts: tuple[str, ...] = ()
    """Of versions up to 2: texts spoken before, the newest first."""
    outline: bool = True
    """Whether the chapters of a document stand beside its text."""
    better_voice_offered: bool = False
    """Whether the user was told that there is a better model than the built-in one."""
    asks_language: bool = False
    """Whether to ask when a paragraph is in another language than the voice."""
    names_emoji: bool = False
    """Whether emoji are called by their names; else they are skipped."""
    serve: bool = False
    """Whether other programs on this computer may use the voices (HTTP)."""
    serve_port: int = 8000
    """The port on which those programs find them."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Keys of other versions, kept as they are."""

    def changed(self, **values: Any) -> "Settings":
        """A copy with some fields replaced."""
        return dataclasses.replace(self, **values)


def config_dir() -> Path:
    """The folder of the settings file."""
    return Path(
        os.environ.get("POCKETVOICE_CONFIG_DIR")
        or platformdirs.user_config_dir("pocketvoice", appauthor=False)
    )


def settings_path() -> Path:
    """Where the settings file is, or will be."""
    return config_dir() / "settings.json"


def load() -> tuple[Settings, str]:
    """The settings, and a sentence for the user if they could not be read ("" if all is well)."""
    path = settings_path()
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(data, dict):
            raise ValueError(f"the file holds a {type(data).__name__}")
    except FileNotFoundError:
        return Settings(), ""
    except (OSError, ValueError, RecursionError) as exc:
        _logger.warning("settings %s: %r", path, exc)
        return Settings(), _set_aside(path)
    return _from_json(data), ""


def save(settings: Settings) -> None:
    """Writes the file; raises OutputError or DiskFullError, and then the old file stays."""
    path = settings_path()
    data = dataclasses.asdict(settings)
    data = {**data.pop("extra"), **data}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise from_os_error(exc, path.parent) from exc
    with paths.atomic_write(path) as file:
        # ASCII: half a surrogate pair in a text, which UTF-8 refuses, is kept too.
        file.write(json.dumps(data, ensure_ascii=True, indent=1).encode())


def save_quietly(settings: Settings) -> str:
    """Writes the file; a sentence for the user if that failed ("" if not)."""
    try:
        save(settings)
    except PocketVoiceError as error:
        _logger.warning("settings not saved: %s (%s)", error, error.detail)
        return f"The settings could not be saved. {error}"
    return ""


def _set_aside(path: Path) -> str:
    """Keeps a settings file that can't be used, so that nothing is lost; a sentence for the user that says so."""
    kept = path.with_name(path.name + ".broken")
    with suppress(OSError):
        path.replace(kept)
        return f"The settings file was damaged: the defaults are used, and the old file is kept as {kept}."
    return f"The settings file {path} can't be read: the defaults are used. Check who may read and write it."


def _from_json(data: dict[str, Any]) -> Settings:
    """Takes every value of the right kind and range; the default for the others."""
    defaults = Settings()
    known = {f.name for f in dataclasses.fields(Settings)} - {"extra"}
    values: dict[str, Any] = {}
    for name in known & data.keys():
        value = _fitting(name, data[name], getattr(defaults, name))
        if value is not None:
            values[name] = value
    return Settings(**values, extra={key: value for key, value in data.items() if key not in known})


_RANGES = {
    "speed": (0.5, 3.0),
    "volume": (0.0, 2.0),
    "font_points": (6, 72),
    "line_percent": (100, 220),
    "line_letters": (30, 200),
    "scale_percent": (100, 200),
    "serve_port": (1024, 65_535),
}
_CHOICES = {
    "page_font": ("sans", "serif"),
    "page_colours": ("system", "light", "sepia", "dark"),
}


def _fitting(name: str, value: Any, default: Any) -> Any:
    """`value` as the kind of `default`, within its range; None if it is of another kind."""
    if isinstance(default, bool):  # before numbers: a bool is an int, too
        return value if isinstance(value, bool) else None
    if isinstance(default, tuple):
        is_texts = isinstance(value, list) and all(isinstance(text, str) for text in value)
        return tuple(value[:MOST_RECENT_TEXTS]) if is_texts else None
    if name in _CHOICES:
        return value if value in _CHOICES[name] else None
    if isinstance(default, str):
        return value if isinstance(value, str) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:  # NaN is not itself
        return None
    low, high = _RANGES[name]
    return type(default)(min(max(value, low), high))
