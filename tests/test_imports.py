"""The import table of the house, checked against every import statement; and what a fresh interpreter does not load."""

import ast
import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Walk = Callable[[ast.Module], Iterator[ast.AST]]

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "pocketvoice"

# Who may import whom: a row is a room, or a wing of one ("gui.main"); a module keeps to the longest row that its name begins
# with, may import its own row, and what stands in it. A wing's row names what it may have of its own room, too. Rooms that do
# not exist yet are simply absent.
OF_THE_PROGRAM = {"voices", "documents", "book", "hub", "text", "audio", "settings", "paths", "log", "errors"}
OF_THE_CLIENT = OF_THE_PROGRAM | {"worker.parent", "worker.messages"}
TABLE: dict[str, set[str]] = {
    "engine": {"model", "text", "audio", "hub", "errors", "paths"},  # paths: voice files are written atomically
    "model": {"errors"},
    "playback": {"audio", "errors", "log"},
    "voices": {"audio", "paths", "errors"},
    "hub": {"paths", "log", "errors"},  # log: foreign names are escaped in one place
    "text": {"errors", "paths"},
    "audio": {"errors", "paths"},
    "documents": {"errors", "paths"},
    "book": {"documents", "text", "audio", "playback", "paths", "errors"},  # playback: where sentences stand in a sound
    "book.speaking": {"book", "engine", "text", "errors"},
    "worker": {"audio", "log", "errors", "worker"},  # what both sides know: messages, pipes, a process's surroundings
    "worker.parent": {"worker.messages", "worker.pipes", "audio", "log", "errors"},
    "worker.child": {
        "worker.messages", "worker.pipes", "worker.memory", "worker.heavy_imports",
        "engine", "playback", "voices", "hub", "text", "audio", "paths", "log", "errors",
    },
    "gui": OF_THE_CLIENT,
    "gui.widgets": OF_THE_CLIENT | {"gui.controllers"},
    "gui.controllers": OF_THE_CLIENT,
    "gui.voices": OF_THE_CLIENT | {"gui.controllers", "gui.widgets"},
    "gui.main": OF_THE_CLIENT | {"gui.voices", "gui.controllers", "gui.widgets"},
    "server": OF_THE_CLIENT,
    "errors": set(),
    "log": {"errors", "paths"},
    "paths": {"errors"},
    "settings": {"paths", "errors"},
}  # fmt: skip
EVERYTHING_BELOW = {"cli", "app", "", "__main__"}  # the roots: checked for how they import, not for what

ALLOWED_IN: dict[str, tuple[str, ...]] = {
    "torch": ("model/", "engine/"),
    "PySide6": ("gui/", "app.py"),
    "qasync": ("gui/", "app.py"),
    "sounddevice": ("playback/output.py", "audio/recorder.py"),
    "multiprocessing": ("worker/", "__main__.py"),
}
"""Libraries, and the only places that may import them."""


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def module_name(file: Path) -> str:
    """ "engine.voices" for pocketvoice/engine/voices.py; "" for the package itself."""
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(file: Path, walk: Walk = ast.walk) -> Iterator[tuple[str, ast.stmt]]:
    """Absolute names of what a file imports: modules, and modules taken out of packages with `from`."""
    package = ["pocketvoice", *file.relative_to(PACKAGE).parent.parts]
    for node in walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                yield (inner if _is_module(inner) else source), node


def _is_module(name: str) -> bool:
    if not name.startswith("pocketvoice."):
        return False
    path = PACKAGE.joinpath(*name.split(".")[1:])
    return path.is_dir() or path.with_suffix(".py").is_file()


def at_import(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes that run when the module is imported: not what stands inside functions."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            todo += ast.iter_child_nodes(node)


def ours(file: Path, walk: Walk = ast.walk) -> Iterator[tuple[str, int]]:
    """Modules of ours that a file imports, without the package's name, and the lines."""
    for name, node in imports(file, walk):
        if name.split(".")[0] == "pocketvoice":
            yield name.removeprefix("pocketvoice").lstrip("."), node.lineno


def room(name: str) -> str:
    """The row of the table that a module of ours keeps to."""
    parts = name.split(".")
    rows = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
    return next((row for row in rows if row in TABLE), parts[0])


def complaint(importer: str, imported: str) -> str | None:
    """Why a module of ours may not import another one of ours, if it may not."""
    here, there = room(importer), imported.split(".")[0]
    if importer.split(".")[0] in EVERYTHING_BELOW or there == "":
        return None  # "" is pocketvoice/__init__, which is light
    if here not in TABLE:
        return f"{here} is a room that the table does not know"
    granted = {here, *TABLE[here]}
    allowed = room(imported) == here or any(is_within(imported, one) for one in granted - {here})
    return None if allowed else f"{here} may not import {imported}"


def is_within(name: str, outer: str) -> bool:
    """Whether a module is that one, or inside that package, as far as no row of its own stands between."""
    return (name == outer or name.startswith(f"{outer}.")) and (room(name) == room(outer))


def circles() -> list[list[str]]:
    """Modules that import each other in a ring, imports inside functions included (type-checking ones too)."""
    graph = {module_name(file): {there for there, _ in ours(file) if there} for file in modules()}
    order: list[str] = []
    low: dict[str, int] = {}
    number: dict[str, int] = {}
    found: list[list[str]] = []

    def visit(name: str) -> None:
        number[name] = low[name] = len(number)
        order.append(name)
        for there in graph.get(name, ()):
            if there not in number:
                visit(there)
            if there in order:
                low[name] = min(low[name], low[there])
        if low[name] == number[name]:
            ring = order[order.index(name) :]
            del order[order.index(name) :]
            if len(ring) > 1:
                found.append(sorted(ring))

    for name in graph:
        if name not in number:
            visit(name)
    return found


def wrong_imports() -> dict[tuple[str, str], str]:
    """(place, what it imports) -> the complaint."""
    return {
        (file.relative_to(PACKAGE).as_posix(), name): f"{file.relative_to(ROOT)}:{line}: {reason}"
        for file in modules()
        for name, line in ours(file)
        if (reason := complaint(module_name(file), name))
    }


def misplaced_libraries() -> dict[tuple[str, str], str]:
    """(place, library) -> the complaint."""
    found = {}
    for file in modules():
        place = file.relative_to(PACKAGE).as_posix()
        for name, node in imports(file):
            library = name.split(".")[0]
            if library in ALLOWED_IN and not place.startswith(ALLOWED_IN[library]):
                found[place, library] = f"{place}:{node.lineno}: {library}"
    return found


def test_every_import_is_in_the_table() -> None:
    wrong = list(wrong_imports().values())
    assert not wrong, "\n".join(["", *wrong])


def test_no_modules_import_each_other_in_a_ring() -> None:
    assert circles() == []


def test_heavy_libraries_stay_in_their_rooms() -> None:
    wrong = list(misplaced_libraries().values())
    assert not wrong, "\n".join(["", *wrong])


def test_the_reference_is_never_imported() -> None:
    assert [
        str(file) for file in modules() for name, _ in imports(file) if name.split(".")[0] == "pocket_tts"
    ] == []


def test_gui_and_server_do_not_know_each_other() -> None:
    pairs = {
        (module_name(file).split(".")[0], name.split(".")[0]) for file in modules() for name, _ in ours(file)
    }
    assert not pairs & {("gui", "server"), ("server", "gui")}


@pytest.mark.parametrize(
    ("importer", "imported", "allowed"),
    [
        ("engine.voices", "model.mimi", True),
        ("engine.voices", "playback.player", False),
        ("model.mimi", "engine.voices", False),
        ("model.mimi", "audio.chunk", False),
        ("gui.main.window", "worker.parent.client", True),
        ("gui.main.window", "worker.child.process", False),
        ("gui.main.window", "engine.tts_model", False),
        ("gui.main.window", "gui.voices.coordinator", True),
        ("gui.main.window", "gui.voices.new.dialog", True),
        ("gui.voices.coordinator", "gui.main.window", False),
        ("gui.voices.list.window", "gui.controllers.tasks", True),
        ("gui.controllers.speech", "gui.widgets.icons", False),
        ("gui.widgets.bars", "gui.controllers.messages", True),
        ("worker.parent.client", "engine.tts_model", False),
        ("worker.parent.client", "worker.child.process", False),
        ("worker.parent.client", "worker.messages", True),
        ("worker.child.process", "worker.parent.client", False),
        ("worker.messages", "worker.child.process", False),
        ("server.service", "worker.parent.client", True),
        ("server.service", "worker.child.process", False),
        ("playback.player", "settings", False),
        ("book.assembly", "book.pieces", True),
        ("book.assembly", "engine.tts_model", False),
        ("book.speaking.speaker", "engine.tts_model", True),
        ("gui.controllers.book", "book.formats", True),
        ("gui.controllers.book", "book.speaking.crew", False),
        ("cli", "engine.tts_model", True),
        ("newroom.thing", "errors", False),
    ],
)
def test_the_table_says_what_it_should(importer: str, imported: str, allowed: bool) -> None:
    assert (complaint(importer, imported) is None) == allowed


def fresh(code: str) -> dict[str, object]:
    """Runs `code`, which sets `result`, in a fresh interpreter; adds the top-level modules it has loaded."""
    script = f"{code}\nimport json, sys\nprint(json.dumps([result, sorted(set(n.split('.')[0] for n in sys.modules))]))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )
    result, loaded = json.loads(done.stdout.splitlines()[-1])
    return {"result": result, "loaded": set(loaded)}


def loaded_by(module: str) -> set[str]:
    loaded = fresh(f"import {module}; result = None")["loaded"]
    assert isinstance(loaded, set)
    return loaded


def exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


HEAVY = {"torch", "PySide6", "qasync", "sounddevice"}


def test_the_package_itself_is_light() -> None:
    assert not loaded_by("pocketvoice") & (HEAVY | {"numpy", "yaml", "huggingface_hub"})


def test_importing_the_package_takes_no_time() -> None:
    code = (
        "import time; start = time.process_time(); import pocketvoice; result = time.process_time() - start"
    )
    assert min(float(str(fresh(code)["result"])) for _ in range(5)) < 0.1


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("pocketvoice.engine.tts_model", HEAVY - {"torch"}),
        ("pocketvoice.cli", HEAVY),
        ("pocketvoice.gui", {"torch"}),
        ("pocketvoice.app", {"torch"}),
        ("pocketvoice.worker.parent.client", HEAVY),
        ("pocketvoice.worker.messages", HEAVY),
        ("pocketvoice.server", HEAVY),
        ("pocketvoice.hub.catalogue", HEAVY),
        ("pocketvoice.hub.download", HEAVY),
        ("pocketvoice.text.splitter", HEAVY),
        ("pocketvoice.audio.clip", HEAVY),
        ("pocketvoice.voices", HEAVY),
        ("pocketvoice.playback.player", HEAVY),
        ("pocketvoice.model.config", HEAVY),
        ("pocketvoice.settings", HEAVY),
        ("pocketvoice.book.assembly", HEAVY),
        ("pocketvoice.book.speaking.crew", HEAVY),
    ],
)
def test_importing_leaves_out(module: str, absent: set[str]) -> None:
    if not exists(module):
        pytest.skip(f"{module} does not exist yet")
    assert not loaded_by(module) & absent


def test_every_module_of_the_window_leaves_torch_out() -> None:
    names = [module_name(file) for file in modules() if module_name(file).startswith("gui")]
    if not names:
        pytest.skip("there is no window yet")
    code = "; ".join(f"import pocketvoice.{name}" for name in names)
    assert "torch" not in fresh(f"{code}; result = None")["loaded"]  # type: ignore[operator]
