"""Which weights are taken, and what is said about it."""

import threading

import pytest

from pocketvoice import errors
from pocketvoice.hub.download import fetch, is_cached
from pocketvoice.hub.weights import fetch_weights
from tests.hub.conftest import GATED, PUBLIC


def test_full_weights_come_first(hub, signed_in, content):
    weights = fetch_weights(GATED, PUBLIC)
    assert weights.has_voice_cloning
    assert weights.path.read_bytes() == content
    assert weights.reason
    assert not is_cached(PUBLIC)


def test_cached_full_weights_need_no_network(hub, signed_in, monkeypatch):
    path = fetch(GATED)
    hub.stop()
    monkeypatch.delenv("HF_TOKEN")
    weights = fetch_weights(GATED, PUBLIC)
    assert weights.path == path
    assert weights.has_voice_cloning


def test_stranger_gets_the_public_ones_and_the_reason(hub, content):
    weights = fetch_weights(GATED, PUBLIC)
    assert not weights.has_voice_cloning
    assert weights.path.read_bytes() == content[::-1]
    assert "without voice cloning" in weights.reason
    assert f"{hub.endpoint}/acme/voice " in weights.reason
    assert "hf auth login" in weights.reason


def test_terms_not_accepted_gives_the_public_ones(hub, signed_in):
    hub.repos["acme/voice"].gate = "terms"
    weights = fetch_weights(GATED, PUBLIC)
    assert not weights.has_voice_cloning
    assert "terms of the full ones are not accepted" in weights.reason


def test_missing_full_weights_give_the_public_ones(hub, signed_in):
    del hub.repos["acme/voice"].files["languages/x/model.safetensors"]
    weights = fetch_weights(GATED, PUBLIC)
    assert not weights.has_voice_cloning
    assert "not where the config says" in weights.reason


def test_stranger_with_cached_public_asks_nothing(hub):
    fetch(PUBLIC)
    asked = len(hub.seen)
    weights = fetch_weights(GATED, PUBLIC)
    assert "no access token is set" in weights.reason
    assert len(hub.seen) == asked


def test_offline_with_cached_public_speaks(hub, signed_in):
    path = fetch(PUBLIC)
    hub.stop()
    weights = fetch_weights(GATED, PUBLIC)
    assert weights.path == path
    assert not weights.has_voice_cloning
    assert "network can't be reached" in weights.reason


def test_forbidden_network_with_cached_public_speaks(hub, signed_in, monkeypatch):
    fetch(PUBLIC)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert "HF_HUB_OFFLINE is set" in fetch_weights(GATED, PUBLIC).reason


def test_offline_with_nothing_names_the_remedy(hub, signed_in, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(errors.OfflineError, match=r"not on this computer yet.*unset HF_HUB_OFFLINE"):
        fetch_weights(GATED, PUBLIC)
    monkeypatch.delenv("HF_HUB_OFFLINE")
    hub.stop()
    with pytest.raises(errors.OfflineError, match="check the network"):
        fetch_weights(GATED, PUBLIC)


def test_broken_transfer_uses_only_what_is_cached(hub, signed_in):
    hub.faults.break_after = [100_000]
    with pytest.raises(errors.TransferError):
        fetch_weights(GATED, PUBLIC, pauses_s=())
    assert not is_cached(PUBLIC)
    hub.faults.break_after = []
    fetch(PUBLIC)
    hub.faults.break_after = [0]
    assert "download of the full ones broke" in fetch_weights(GATED, PUBLIC, pauses_s=()).reason


def test_damage_is_never_papered_over(hub, signed_in):
    fetch(PUBLIC)
    hub.faults.corrupt = True
    with pytest.raises(errors.ChecksumError):
        fetch_weights(GATED, PUBLIC)


def test_full_disk_is_never_papered_over(hub, signed_in):
    fetch(PUBLIC)
    hub.faults.claimed_size = 10**17
    with pytest.raises(errors.DiskFullError):
        fetch_weights(GATED, PUBLIC)


def test_cancel_is_never_papered_over(hub, signed_in):
    fetch(PUBLIC)
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(errors.Cancelled):
        fetch_weights(GATED, PUBLIC, cancel=cancel)


def test_model_without_public_weights_raises(hub):
    with pytest.raises(errors.UnauthorizedError):
        fetch_weights(GATED, None)


def test_own_file_is_taken_as_full(tmp_path):
    file = tmp_path / "model.safetensors"
    file.write_bytes(b"weights")
    weights = fetch_weights(str(file), None)
    assert weights.path == file
    assert weights.has_voice_cloning


def test_missing_own_file_is_never_replaced(hub, tmp_path):
    fetch(PUBLIC)
    with pytest.raises(errors.MissingFileError):
        fetch_weights(str(tmp_path / "gone.safetensors"), PUBLIC)
