"""Contenders: what they answer, and how they fail."""

import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from pocketvoice.engine import bench
from pocketvoice.engine.bench import OURS, SENTENCES, Contender, Contest, Gaps, cold_start, leads
from pocketvoice.engine.bench_child import BenchTake, silence_at
from pocketvoice.engine.tts_model import TTSModel
from pocketvoice.errors import GenerationError, WeightsError
from tests.engine.conftest import State
from tests.model_factory import AT_ONCE, SENTENCE, ModelFiles, random_state


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


def test_a_listener_waits_for_what_comes_late() -> None:
    chunks = [(10.0, 1.0), (10.2, 0.5), (12.0, 1.0), (12.5, 1.0)]  # the third was due at 11.5
    assert leads(chunks) == pytest.approx([0, 0.8, -0.5, 0.5])
    assert Gaps(leads_s=[0.8, -0.5, -0.25], silences=[], least_lead_s=-0.5, waited_s=1.0).gap_s == 0.75
    assert leads([]) == []


def test_silence_around_a_segments_start() -> None:
    sound = np.ones(20, np.float32)
    sound[10] = 0  # a fade-in's first sample
    assert silence_at(sound, 10) == 0
    sound[7:10] = 0
    assert silence_at(sound, 10) == 3
    sound[11:13] = 0
    assert silence_at(sound, 10) == 5
    assert silence_at(np.zeros(20, np.float32), 10) == 19


def test_gaps_of_a_text_of_several_segments(contest: Contest) -> None:
    with Contender(contest) as contender:
        gaps = contender.gaps()
    assert len(gaps.leads_s) == len(SENTENCES) - 1
    assert gaps.silences == [0] * len(gaps.leads_s)
    assert gaps.least_lead_s <= min(gaps.leads_s)
    assert gaps.waited_s >= gaps.gap_s >= 0


def test_silence_that_the_text_asks_for_is_none_put_in(model: TTSModel, voice: State) -> None:
    model.eos_threshold = AT_ONCE
    take = BenchTake()
    for chunk in model.generate_audio_stream(
        voice, f"{SENTENCE}\n\n{SENTENCE}[pause:1.5s] {SENTENCE}", on_segment=take.on_segment
    ):
        take.add(chunk)
    assert take.gaps().silences == [0, 0]


def test_silence_between_segments_is_counted() -> None:
    take = BenchTake()
    for _ in range(3):
        take.begin_segment()
        take.add(torch.ones(480))
        take.add(torch.zeros(24))
    assert take.gaps().silences == [24, 24]
