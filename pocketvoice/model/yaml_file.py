"""Reads a YAML file from anywhere: bounded in size, in depth and in what its aliases expand to. Plain data, no objects."""

import stat
from pathlib import Path
from typing import Any

import yaml

from pocketvoice.errors import ConfigError, MissingFileError

_MOST_BYTES = 1 << 20
_MOST_DEPTH = 20
_MOST_NODES = 10_000
"""Values of a config, each counted as often as aliases repeat it: one that holds itself never ends."""

# The one in C, where it was built, takes a fifth of the time.
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(path: Path) -> dict[str, object]:
    """The mapping that a file holds; its keys are text at every level. Raises MissingFileError or ConfigError."""
    try:
        raw = _parsed(_text(path))
    except FileNotFoundError as exc:
        raise MissingFileError(f"Model config {path} does not exist: check the path.") from exc
    # A number of thousands of digits is a ValueError; so is text that is no UTF-8.
    except (yaml.YAMLError, ValueError, OSError, RecursionError, OverflowError, TypeError) as exc:
        raise ConfigError(f"Model config {path} is not readable YAML.", detail=str(exc)) from exc
    if not isinstance(raw, dict):
        raise ConfigError(
            f"Model config {path} is not a model config: it holds no flow_lm and mimi sections."
        )
    return raw


def _text(path: Path) -> str:
    found = path.stat()
    if stat.S_ISFIFO(found.st_mode) or found.st_size > _MOST_BYTES:  # a pipe would be waited for without end
        raise ValueError("no file of at most a megabyte")
    with path.open("rb") as file:
        data = file.read(_MOST_BYTES + 1)  # devices have no size
    if len(data) > _MOST_BYTES:
        raise ValueError("no file of at most a megabyte")
    return data.decode()


def _parsed(text: str) -> Any:
    loader: Any = _Loader(text)
    try:
        node = loader.get_single_node()
        _check_nodes(node)
        return None if node is None else loader.construct_document(node)
    finally:
        loader.dispose()


def _check_nodes(root: yaml.Node | None) -> None:
    """Raises ValueError for too many values, and for a key that is no text; before any of them is built."""
    waiting, count = [(root, 0)] if root is not None else [], 0
    while waiting:
        (node, depth), count = waiting.pop(), count + 1
        if count > _MOST_NODES or depth > _MOST_DEPTH:
            raise ValueError("too many values, too deep, or one that holds itself")
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.tag != "tag:yaml.org,2002:str":
                    raise ValueError(f"a key that is no text{key.start_mark}")
                waiting.append((value, depth + 1))
        elif isinstance(node, yaml.SequenceNode):
            waiting += [(item, depth + 1) for item in node.value]
