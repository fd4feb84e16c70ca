"""Contenders: what they answer, and how they fail."""

import sys
from pathlib import Path

import pytest

from pocketvoice.engine import bench
from pocketvoice.engine.bench import OURS, Contender, Contest, cold_start
from pocketvoice.errors import GenerationError, WeightsError
from tests.model_factory import ModelFiles, random_state


@pytest.fixture(scope="module")
def contest(tiny: ModelFiles, tmp_path_factory: pytest.TempPathFactory) -> Contest:
    from pocketvoice.engine.voice_state import export_model_state

    voice = tmp_path_factory.mktemp("voice") / "voice.safetensors"
    export_model_state(random_state(tiny.raw), voice)
    return Contest(OURS, str(tiny.config), str(voice))


def test_errors_come_as_what_they_are(contest: Contest) -> None:
    Path(contest.config).with_name("damaged.safetensors").write_bytes(b"nothing")
    text = Path(contest.config).read_text(encoding="utf-8")
    config = Path(contest.config).with_name("damaged.yaml")
    config.write_text(text.replace("model.safetensors", "damaged.safetensors"), encoding="utf-8")
    with pytest.raises(WeightsError, match="damaged or cut short") as caught:
        Contender(Contest(OURS, str(config), contest.voice))
    assert "Traceback" in caught.value.detail


def test_a_foreign_error_is_a_measurement_that_failed(contest: Contest) -> None:
    with pytest.raises(
        GenerationError, match=r"The measurement failed \(ModuleNotFoundError: .*no_such_package"
    ):
        Contender(Contest("no_such_package", contest.config, contest.voice))


def test_one_that_dies_says_nothing(contest: Contest, monkeypatch: pytest.MonkeyPatch) -> None:
    with Contender(contest) as contender:
        contender._process.kill()
        with pytest.raises(GenerationError, match=r"ended without a word \(exit status -9\)"):
            contender.speak()
    monkeypatch.setattr(bench.sys, "executable", "/bin/false" if sys.platform != "win32" else sys.executable)
    with pytest.raises(GenerationError, match="ended without a word"):
        Contender(contest)


def test_an_answer_that_fails_is_not_the_end(contest: Contest) -> None:
    with Contender(contest) as contender:
        with pytest.raises(GenerationError, match="The measurement failed"):
            contender._ask("speak", voice_s="long", threads=1)
        assert contender.speak().speed > 0


def test_cold_start_that_fails_tells_why(contest: Contest) -> None:
    with pytest.raises(GenerationError, match=r"Measuring pocketvoice failed: pocketvoice: .*does not exist"):
        cold_start(Contest(OURS, contest.config, "/nowhere/voice.safetensors"))
