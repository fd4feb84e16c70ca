"""`auto`: the choice among precisions, its trial, and what is remembered of it."""

import json
from pathlib import Path

import pytest
import torch

from pocketvoice.engine import machine, precision, trials
from pocketvoice.engine.trials import Measured, Trial
from pocketvoice.errors import InputError
from pocketvoice.model import weights

EXACT = Measured("float32", 20.0, 8.0, 0.0)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("POCKETVOICE_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "trials.json"


@pytest.mark.parametrize(
    ("others", "chosen"),
    [
        ((Measured("bf16", 8.0, 3.0, 0.01), Measured("int8", 4.0, 3.0, 0.04)), "int8"),
        (
            (Measured("bf16", 8.0, 3.0, 0.01), Measured("int8", 7.8, 3.0, 0.04)),
            "bf16",
        ),  # alike: the more exact
        ((Measured("bf16", 8.0, 3.0, 0.01), Measured("int8", 9.0, 8.0, 0.04)), "bf16"),  # slower
        ((Measured("bf16", 90.0, 70.0, 0.01), Measured("int8", 40.0, 20.0, 0.04)), "float32"),
        ((Measured("bf16", 8.0, 3.0, 0.01), Measured("int8", 4.0, 3.0, 0.2)), "bf16"),  # worse
        ((Measured("int8", 4.0, 3.0, float("inf")),), "float32"),
    ],
)
def test_fastest_that_is_exact_enough(others: tuple[Measured, ...], chosen: str) -> None:
    assert trials.choose((EXACT, *others), cores=2) == chosen


def test_one_core_pays_for_both_stages() -> None:
    measured = (Measured("float32", 20.0, 2.0, 0.0), Measured("int8", 17.0, 14.0, 0.04))
    assert (trials.choose(measured, cores=2), trials.choose(measured, cores=1)) == ("float32", "float32")
    measured = (Measured("float32", 20.0, 2.0, 0.0), Measured("int8", 14.0, 6.5, 0.04))
    assert (trials.choose(measured, cores=2), trials.choose(measured, cores=1)) == ("int8", "float32")


def test_gain_too_small_to_matter_is_none() -> None:
    assert (
        trials.choose((Measured("float32", 0.4, 0.2, 0.0), Measured("int8", 0.3, 0.1, 0.01)), 2) == "float32"
    )


def test_trial_measures_every_precision(model) -> None:
    trial = precision.make_trial(model._loaded.network)
    assert [one.precision for one in trial.measured] == ["float32", "bf16", "int8"]
    exact, *others = trial.measured
    assert exact.error == 0
    assert all(0 <= one.error < 0.1 for one in others)
    assert all(one.flow_lm_ms > 0 and one.mimi_ms > 0 for one in trial.measured)
    assert trial.chosen in trial.sentence()


def test_trial_is_made_once(load, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load(precision="auto")
    kept = json.loads(cache.read_bytes())
    (key,) = kept
    assert key.startswith(first.model_id)
    assert machine.torch_version() in key
    kept[key]["chosen"] = "bf16"
    cache.write_text(json.dumps(kept), encoding="utf-8")
    monkeypatch.setattr(precision, "make_trial", lambda _: pytest.fail("a second trial"))
    assert load(precision="auto").precision == "bf16"


def test_other_machine_or_model_has_a_trial_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = Trial("int8", (EXACT,), 1.0)
    trials.remember("english-0123", trial)
    assert trials.recall("english-0123") == trial
    assert trials.of_this_machine() == {"english-0123": trial}
    assert trials.recall("french-0123") is None
    monkeypatch.setattr(machine, "cores", lambda: 64)
    assert trials.recall("english-0123") is None
    assert trials.of_this_machine() == {}


def test_other_kernels_are_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    trials.remember("english-0123", Trial("int8", (EXACT,), 0.5))
    monkeypatch.setattr(machine, "kernels", lambda: "kernels 01234567")
    assert trials.recall("english-0123") is None


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"x": 3}', b"\xff\xfe", b"null"])
def test_damaged_file_is_written_anew(cache: Path, content: bytes) -> None:
    cache.parent.mkdir()
    cache.write_bytes(content)
    assert trials.recall("english-0123") is None
    trials.remember("english-0123", Trial("int8", (EXACT,), 1.0))
    assert trials.recall("english-0123") is not None


def test_entry_of_another_form_is_no_trial(cache: Path) -> None:
    trials.remember("english-0123", Trial("int8", (EXACT,), 1.0))
    cache.write_text(cache.read_text(encoding="utf-8").replace('"chosen"', '"best"'), encoding="utf-8")
    assert trials.recall("english-0123") is None


def test_disk_that_takes_no_file_does_no_harm(load, cache: Path) -> None:
    cache.parent.parent.mkdir(exist_ok=True)
    cache.parent.write_text("a file where the folder should be", encoding="utf-8")
    assert load(precision="auto").precision in ("float32", "bf16", "int8")


def test_file_keeps_the_newest_only(cache: Path) -> None:
    for number in range(trials._KEPT + 5):
        trials.remember(f"english-{number}", Trial("int8", (EXACT,), 1.0))
    assert len(json.loads(cache.read_bytes())) == trials._KEPT
    assert trials.recall("english-0") is None
    assert trials.recall(f"english-{trials._KEPT + 4}") is not None


def test_what_is_named_needs_no_trial(load, cache: Path) -> None:
    assert load().precision == "float32"
    assert load(quantize=True).precision == "int8"
    assert not cache.exists()
    with pytest.raises(InputError, match="float32, bf16, int8 or auto"):
        load(precision="int4")


@torch.no_grad()
def test_model_with_fewer_layers_begins_like_the_whole(model) -> None:
    network = model._loaded.network
    short = weights.with_layers(network, 1)
    assert len(short.transformer.layers) == 1
    ours, whole = (lm.transformer.layers[0].linear1.weight for lm in (short, network.flow_lm))
    assert ours.data_ptr() == whole.data_ptr()
    assert weights.with_layers(network, 2) is network.flow_lm
