"""The texts that the window keeps between two starts: each in a file of its own, and an index that says where each was left off.

A file is named by what it holds and never changed; the index is replaced in one step when all files that it names are there. So
whatever ends the program, what was saved last is whole. Blocks; knows nothing of Qt.
"""

import hashlib
import json
import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pocketvoice import paths
from pocketvoice.errors import InputError, from_os_error
from pocketvoice.gui.controllers.outline import Outline, of_json, to_json
from pocketvoice.settings import MOST_RECENT_TEXTS

_SUFFIX = ".txt"
_OUTLINE_SUFFIX = ".outline.json"
_TITLE_LETTERS = 200

_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class KeptText:
    """A text on the disk."""

    name: str
    """Of its file, without the ending: a hash of the text."""
    title: str
    """Its first letters, in one line."""
    place: int = 0
    """Index of the character at which it was left off."""
    document: str = ""
    """Id of the document that it is the text of; "" of one that was typed."""
    length: int = 0
    """Characters of all of it; 0 if that is not known."""


@dataclass(frozen=True)
class KeptTexts:
    """All that is kept."""

    draft: KeptText | None = None
    """What stands in the reader."""
    recent: tuple[KeptText, ...] = ()
    """Texts that were spoken or replaced, the newest first."""


def kept(text: str, place: int = 0, outline: Outline | None = None) -> KeptText:
    """What stands for a text in the index, with the title and id of its `outline`."""
    name = hashlib.blake2b(_bytes(text), digest_size=16).hexdigest()
    title = outline.title if outline is not None and outline.title else text
    document = outline.document if outline is not None else ""
    return KeptText(name, " ".join(title[:_TITLE_LETTERS].split()), place, document, len(text))


def load() -> KeptTexts:
    """What was saved last. A damaged index is set aside, and the texts are found without it: none is lost."""
    index = _folder() / "index.json"
    try:
        return _of_json(json.loads(index.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return KeptTexts()
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as exc:
        _logger.warning("the index of texts %s: %r", index, exc)
    with suppress(OSError):
        index.replace(index.with_name("index.json.broken"))
    return _found()


def read(text: KeptText) -> str:
    """A text; raises InputError if its file is gone or was changed by someone else."""
    try:
        return _path(text.name).read_bytes().decode("utf-8", "surrogatepass")
    except (OSError, UnicodeDecodeError) as exc:
        raise InputError(
            "This text is no longer on the disk: open it from where it came from.", detail=repr(exc)
        ) from exc


def read_outline(text: KeptText, length: int) -> Outline:
    """What is known of a text of so many characters beside its letters; nothing if it was typed or can't be read."""
    try:
        return of_json(json.loads(_outline_path(text.name).read_text(encoding="utf-8")), length)
    except FileNotFoundError:
        return Outline()
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as exc:
        _logger.warning("the outline of a text %s: %r", text.name, exc)
        return Outline()


def save(state: KeptTexts, new: Mapping[str, str], outlines: Mapping[str, Outline] | None = None) -> None:
    """Writes those of the `new` texts (by name) that are not there yet, then the index; removes what nothing names any more.

    `outlines` of texts, by name, lie beside them.

    Raises OutputError or DiskFullError, and then what was saved before is still there.
    """
    folder = _folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise from_os_error(exc, folder) from exc
    named = {text.name for text in ((state.draft,) if state.draft else ()) + state.recent}
    for name in named & new.keys():
        if not _path(name).exists():
            with paths.atomic_write(_path(name)) as file:
                file.write(_bytes(new[name]))
    for name in named & (outlines or {}).keys():
        if not _outline_path(name).exists():
            with paths.atomic_write(_outline_path(name)) as file:
                file.write(json.dumps(to_json((outlines or {})[name])).encode())
    with paths.atomic_write(folder / "index.json") as file:
        file.write(json.dumps(asdict(state), indent=1).encode())
    for path in (*folder.glob(f"*{_SUFFIX}"), *folder.glob(f"*{_OUTLINE_SUFFIX}")):
        if path.name.partition(".")[0] not in named:
            with suppress(OSError):
                path.unlink()


def _folder() -> Path:
    return paths.user_data_dir() / "texts"


def _path(name: str) -> Path:
    return _folder() / f"{name}{_SUFFIX}"


def _outline_path(name: str) -> Path:
    return _folder() / f"{name}{_OUTLINE_SUFFIX}"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")  # half a pair, which UTF-8 refuses, is kept too


def _of_json(data: Any) -> KeptTexts:
    """Raises ValueError, KeyError or TypeError if it is no index."""
    draft = data["draft"]
    recent = tuple(_text_of_json(item) for item in data["recent"])
    return KeptTexts(None if draft is None else _text_of_json(draft), recent[:MOST_RECENT_TEXTS])


def _text_of_json(data: Any) -> KeptText:
    name, place = str(data["name"]), int(data["place"])
    if not name.isalnum():
        raise ValueError(f"{name!r} is no name of a text")
    return KeptText(
        name, str(data["title"]), max(place, 0), str(data.get("document", "")), int(data.get("length", 0))
    )


def _found() -> KeptTexts:
    """The newest files, without the places."""
    found = []
    for path in sorted(_folder().glob(f"*{_SUFFIX}"), key=lambda path: path.stat().st_mtime, reverse=True):
        with suppress(InputError):
            found.append(kept(read(KeptText(path.stem, ""))))
    return KeptTexts(next(iter(found), None), tuple(found[:MOST_RECENT_TEXTS]))
