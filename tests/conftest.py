"""Fixtures shared by the suites."""

import logging
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.model_factory import ModelFactory

OF_NOISE = ("a voice needs at least 3 s", "There is noise behind", "It is .* long: a voice becomes better")
"""What is said of noise as a clip, which is as good a voice as any to random weights."""
ALONE = ("tests/live/", "test_real_sound.py", "test_real_device.py")


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Trials of precisions and the like are kept here, for all tests and the programs they start, not in the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        if "POCKETVOICE_CACHE_DIR" not in os.environ:
            patch.setenv("POCKETVOICE_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield Path(os.environ["POCKETVOICE_CACHE_DIR"])


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> "ModelFactory":
    """Writes models with random weights; see `tests/model_factory.py`. torch is imported only by tests that use it."""
    import torch

    from tests.model_factory import ModelFactory

    torch.set_num_threads(1)  # the machines are small, and other work runs beside
    return ModelFactory(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout's root."""
    return Path(__file__).parents[1]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests with a loudspeaker or a screen measure when something is heard or seen: they run alone."""
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if "sound_server" in fixtures or any(place in item.nodeid for place in ALONE):
            item.add_marker("alone")


class _Kept(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture(autouse=True)
def no_unexpected_warnings_in_the_log(request: pytest.FixtureRequest) -> Iterator[None]:
    """A warning or an error in the log fails the test, unless it is marked `expects_log(REGEX, ...)` or reads `caplog` itself."""
    kept, ours = _Kept(), logging.getLogger("pocketvoice")
    ours.addHandler(kept)
    yield
    ours.removeHandler(kept)
    if "caplog" in request.fixturenames:
        return
    # Random weights seldom say where a speech ends.
    of_random_weights = ["No end of speech", *OF_NOISE] if "models" in request.fixturenames else []
    patterns = of_random_weights + [
        pattern for mark in request.node.iter_markers("expects_log") for pattern in mark.args
    ]
    lines = [f"{one.levelname} {one.name}: {one.getMessage()}" for one in kept.records]
    unexpected = [line for line in lines if not any(re.search(pattern, line) for pattern in patterns)]
    assert not unexpected, "\n".join(["unexpected in the log:", *unexpected])
