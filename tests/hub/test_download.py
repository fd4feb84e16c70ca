"""Fetching from a real server: cached, counted, cancelled, resumed, checked, and every fault as its own error."""

import hashlib
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from huggingface_hub import hf_hub_download, try_to_load_from_cache

from pocketvoice import errors
from pocketvoice.hub import cache
from pocketvoice.hub.download import DownloadProgress, cached_path, fetch, is_cached
from pocketvoice.hub.source import parse
from tests.hub.conftest import COMMIT, GATED, PUBLIC, SMALL


def part_of(source: str, content: bytes) -> Path:
    """Where the partial file of a hub file lies."""
    blob = cache.blob_path(parse(source), hashlib.sha256(content).hexdigest())
    return blob.with_name(blob.name + ".pocketvoice.incomplete")


def cancelled_in(seconds: float) -> threading.Event:
    event = threading.Event()
    threading.Timer(seconds, event.set).start()
    return event


# What is there already


def test_local_path_is_itself(tmp_path):
    file = tmp_path / "voice.wav"
    file.write_bytes(b"RIFF")
    assert fetch(file) == file
    assert fetch(str(file)) == file
    assert is_cached(str(file))


def test_missing_path_is_named(tmp_path):
    with pytest.raises(errors.MissingFileError, match=r"nobody\.wav"):
        fetch(tmp_path / "nobody.wav")
    with pytest.raises(FileNotFoundError):
        fetch("x" * 5000)


def test_cached_file_needs_no_network(hub, content):
    first = fetch(PUBLIC)
    assert first.read_bytes() == content[::-1]
    hub.stop()
    asked = len(hub.seen)
    start = time.monotonic()
    assert fetch(PUBLIC) == first == cached_path(PUBLIC)
    assert time.monotonic() - start < 0.1
    assert len(hub.seen) == asked


def test_cached_branch_needs_no_network(hub):
    source = PUBLIC.replace(f"@{COMMIT}", "")
    first = fetch(source)
    hub.stop()
    assert fetch(source) == first
    assert is_cached(f"{source}@main")
    assert is_cached(PUBLIC)  # the same commit
    assert not is_cached(f"{source}@v2")


def test_library_finds_what_we_fetched(hub, content):
    ours = fetch(PUBLIC.replace(f"@{COMMIT}", ""))
    place = {"repo_id": "acme/voice-public", "filename": "languages/x/model.safetensors"}
    assert try_to_load_from_cache(**place, revision=COMMIT, cache_dir=cache.hub_cache_dir()) == str(ours)
    theirs = hf_hub_download(**place, cache_dir=cache.hub_cache_dir(), local_files_only=True)
    assert theirs == str(ours)


def test_we_find_what_the_library_fetched(hub):
    theirs = hf_hub_download(
        "acme/voice-public",
        "tokenizer.json",
        revision=COMMIT,
        cache_dir=cache.hub_cache_dir(),
        endpoint=hub.endpoint,
        token=False,
    )
    assert str(cached_path(SMALL)) == theirs


def test_cache_moves_with_the_environment(hub, monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "elsewhere"))
    assert fetch(SMALL).is_relative_to(tmp_path / "elsewhere")


# What comes over the network


def test_small_file_comes_without_redirect(hub):
    assert fetch(SMALL).read_bytes() == b'{"pieces": []}' * 9
    assert not hub.asked("GET", "/storage/")


def test_token_stays_with_the_hub(hub, signed_in, content):
    assert fetch(GATED).read_bytes() == content
    hosts = {(request.host.partition(":")[0], request.token) for request in hub.seen}
    assert ("127.0.0.1", "Bearer hf_good") in hosts
    assert ("localhost", None) in hosts
    assert not [host for host, token in hosts if host == "localhost" and token]


def test_expired_token_does_not_bar_public_files(hub, monkeypatch, content):
    monkeypatch.setenv("HF_TOKEN", "hf_expired")
    assert fetch(PUBLIC).read_bytes() == content[::-1]


def test_progress_counts_to_the_end(hub, content):
    events: list[DownloadProgress] = []
    fetch(PUBLIC, progress=events.append)
    assert events[0] == DownloadProgress("model.safetensors", 0, len(content), 0.0)
    assert events[-1].done_bytes == events[-1].total_bytes == len(content)
    assert events[-1].bytes_per_second > 0
    assert [event.done_bytes for event in events] == sorted(event.done_bytes for event in events)


def test_slow_download_reports_on_the_way(hub, content):
    hub.faults.stall_after = 300_000
    threading.Timer(0.3, hub.go_on.set).start()
    events: list[DownloadProgress] = []
    fetch(PUBLIC, progress=events.append)
    assert any(0 < event.done_bytes < len(content) for event in events)


def test_failing_progress_callback_is_not_a_disk_fault(hub):
    def fail(_: DownloadProgress) -> None:
        raise KeyError("a bug of the caller")

    with pytest.raises(KeyError):
        fetch(PUBLIC, progress=fail)


def test_one_of_two_threads_downloads(hub, content):
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: fetch(PUBLIC), range(4)))
    assert len(set(found)) == 1
    assert len(hub.asked("GET", "/storage/")) == 1
    assert found[0].read_bytes() == content[::-1]


def test_xet_files_come_over_plain_http(hub, content):
    hub.faults.offers_xet = True
    hub.faults.break_after = [200_000]
    assert fetch(PUBLIC).read_bytes() == content[::-1]
    assert hub.asked("GET", "/storage/")[-1].range == "bytes=200000-"
    assert not hub.asked("GET", "/xet")


# Breaking, cancelling, resuming


def test_broken_transfer_goes_on_by_itself(hub, content):
    hub.faults.break_after = [200_000, 200_000]
    assert fetch(PUBLIC).read_bytes() == content[::-1]
    ranges = [request.range for request in hub.asked("GET", "/storage/")]
    assert ranges == [None, "bytes=200000-", "bytes=400000-"]


def test_next_call_resumes(hub, content):
    hub.faults.break_after = [250_000, 0, 0, 0]
    with pytest.raises(errors.TransferError, match="try again") as info:
        fetch(PUBLIC, pauses_s=(0.01,))
    assert "0.2 MB" in str(info.value)
    assert part_of(PUBLIC, content[::-1]).stat().st_size == 250_000
    hub.faults.break_after = []
    events: list[DownloadProgress] = []
    assert fetch(PUBLIC, progress=events.append).read_bytes() == content[::-1]
    assert hub.asked("GET", "/storage/")[-1].range == "bytes=250000-"
    assert events[0].done_bytes == 250_000
    assert not part_of(PUBLIC, content[::-1]).exists()


def test_complete_partial_file_is_only_checked(hub, content):
    part = part_of(PUBLIC, content[::-1])
    part.parent.mkdir(parents=True)
    part.write_bytes(content[::-1])
    events: list[DownloadProgress] = []
    assert fetch(PUBLIC, progress=events.append).read_bytes() == content[::-1]
    assert events[-1].done_bytes == events[-1].total_bytes == len(content)
    assert not hub.asked("GET")


def test_whole_file_instead_of_range_starts_over(hub, content):
    hub.faults.break_after = [200_000]
    hub.faults.ignore_ranges = True
    assert fetch(PUBLIC).read_bytes() == content[::-1]


def test_wrong_range_is_never_glued_on(hub, content):
    hub.faults.break_after = [200_000]
    hub.faults.wrong_ranges = True
    assert fetch(PUBLIC).read_bytes() == content[::-1]


def test_cancel_stops_a_stalled_transfer(hub, content):
    hub.faults.stall_after = 200_000
    cancel = cancelled_in(0.3)
    start = time.monotonic()
    with pytest.raises(errors.Cancelled):
        fetch(PUBLIC, cancel=cancel)
    assert time.monotonic() - start < 1.5
    kept = part_of(PUBLIC, content[::-1]).stat().st_size
    assert kept > 100_000
    assert not is_cached(PUBLIC)
    hub.go_on.set()
    hub.faults.stall_after = None
    assert fetch(PUBLIC, cancel=threading.Event()).read_bytes() == content[::-1]
    assert hub.asked("GET", "/storage/")[-1].range == f"bytes={kept}-"


def test_cancel_stops_a_stalled_hub(hub):
    hub.faults.stall_answers = True
    start = time.monotonic()
    with pytest.raises(errors.Cancelled):
        fetch(PUBLIC, cancel=cancelled_in(0.2))
    assert time.monotonic() - start < 1.5


def test_cancel_stops_waiting_for_another(hub):
    hub.faults.stall_after = 100_000
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(fetch, PUBLIC)
        hub.wait_until_asked("GET", "/storage/")
        with pytest.raises(errors.Cancelled):
            fetch(PUBLIC, cancel=cancelled_in(0.2))
        hub.go_on.set()
        assert other.result(timeout=10).exists()


def test_cancelled_before_start_asks_nothing(hub):
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(errors.Cancelled):
        fetch(PUBLIC, cancel=cancel)
    assert not hub.seen


# Faults, each its own error


def test_offline_is_told_at_once(hub):
    hub.stop()
    start = time.monotonic()
    with pytest.raises(errors.OfflineError, match="check the network") as info:
        fetch(PUBLIC)
    assert time.monotonic() - start < 3
    assert info.value.__cause__ is not None
    assert info.value.detail


def test_offline_variable_forbids_the_network(hub, monkeypatch):
    cached = fetch(SMALL)
    asked = len(hub.seen)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(errors.OfflineError, match="unset HF_HUB_OFFLINE"):
        fetch(PUBLIC)
    with pytest.raises(errors.OfflineError):
        fetch(f"{hub.endpoint}/web/voice.wav")
    assert fetch(SMALL) == cached
    assert len(hub.seen) == asked


def test_login_page_counts_as_offline(hub):
    hub.faults.no_hub_headers = True
    with pytest.raises(errors.OfflineError, match="sign in to the network"):
        fetch(PUBLIC)


def test_no_token_is_unauthorized(hub):
    with pytest.raises(errors.UnauthorizedError, match="hf auth login") as info:
        fetch(GATED)
    assert f"{hub.endpoint}/acme/voice" in str(info.value)


def test_wrong_token_is_unauthorized(hub, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_expired")
    with pytest.raises(errors.UnauthorizedError, match="does not accept your access token"):
        fetch(GATED)


def test_terms_are_not_accepted(hub, signed_in):
    hub.repos["acme/voice"].gate = "terms"
    with pytest.raises(errors.TermsNotAcceptedError, match="hf auth login") as info:
        fetch(GATED)
    assert f"accept them at {hub.endpoint}/acme/voice," in str(info.value)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (f"hf://acme/nothing/a.wav@{COMMIT}", "no repository acme/nothing"),
        (f"hf://acme/voice-public/a.wav@{'f' * 40}", "no revision ffff"),
        (f"hf://acme/voice-public/a.wav@{COMMIT}", r"no file a\.wav"),
    ],
)
def test_missing_on_the_hub_is_told_apart(hub, signed_in, source, says):
    with pytest.raises(errors.NotOnHubError, match=says):
        fetch(source)


def test_stranger_is_told_that_the_repository_may_not_exist(hub):
    with pytest.raises(errors.UnauthorizedError, match="if it exists at all"):
        fetch(f"hf://acme/nothing/a.wav@{COMMIT}")


def test_busy_hub_is_a_transfer_fault(hub):
    hub.faults.status["/acme"] = 503
    with pytest.raises(errors.TransferError, match="try again later"):
        fetch(PUBLIC)


def test_refusing_storage_is_a_transfer_fault(hub):
    hub.faults.status["/storage"] = 403
    with pytest.raises(errors.TransferError, match="storage of the model hub"):
        fetch(PUBLIC)


def test_damaged_content_is_thrown_away(hub, content):
    hub.faults.corrupt = True
    with pytest.raises(errors.ChecksumError, match="thrown away"):
        fetch(PUBLIC)
    with pytest.raises(errors.ChecksumError):
        fetch(SMALL)
    assert not is_cached(PUBLIC)
    assert not part_of(PUBLIC, content[::-1]).exists()
    hub.faults.corrupt = False
    assert fetch(PUBLIC).read_bytes() == content[::-1]


def test_foreign_partial_file_is_thrown_away(hub, content):
    part = part_of(PUBLIC, content[::-1])
    part.parent.mkdir(parents=True)
    part.write_bytes(b"not the beginning of that file")
    with pytest.raises(errors.ChecksumError):
        fetch(PUBLIC)
    assert fetch(PUBLIC).read_bytes() == content[::-1]


def test_too_long_content_is_thrown_away(hub, content):
    hub.faults.claimed_size = len(content) - 1
    with pytest.raises(errors.ChecksumError, match="bytes instead of"):
        fetch(PUBLIC)
    assert not part_of(PUBLIC, content[::-1]).exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_full_disk_is_told(hub, content):
    part = part_of(PUBLIC, content[::-1])
    part.parent.mkdir(parents=True)
    part.symlink_to("/dev/full")
    with pytest.raises(errors.DiskFullError, match="free some space"):
        fetch(PUBLIC)


def test_too_small_disk_is_told_before_the_download(hub):
    hub.faults.claimed_size = 10**17
    with pytest.raises(errors.DiskFullError, match=r"needs \d+ MB and the disk has"):
        fetch(PUBLIC)


def test_unusable_cache_folder_is_told(hub, monkeypatch, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "file"))
    with pytest.raises(errors.OutputError):
        fetch(PUBLIC)


# Web addresses


def test_web_file_is_kept(hub, content):
    url = f"{hub.endpoint}/web/voice.wav"
    path = fetch(url)
    assert path.read_bytes() == content[:300_000]
    assert path.suffix == ".wav"
    hub.stop()
    assert fetch(url) == path == cached_path(url)


def test_web_address_may_hold_spaces_and_umlauts(hub):
    assert fetch(f"{hub.endpoint}/web/a folder/stimme ä.wav").read_bytes() == b"RIFF"


def test_web_file_resumes_while_it_is_the_same(hub, content):
    url = f"{hub.endpoint}/web/voice.wav"
    hub.faults.break_after = [100_000]
    with pytest.raises(errors.TransferError):
        fetch(url, pauses_s=())
    assert fetch(url).read_bytes() == content[:300_000]
    assert hub.asked("GET")[-1].range == "bytes=100000-"


def test_changed_web_file_starts_over(hub, content):
    url = f"{hub.endpoint}/web/voice.wav"
    hub.faults.break_after = [100_000]
    with pytest.raises(errors.TransferError):
        fetch(url, pauses_s=())
    hub.web["voice.wav"] = content[300_000:]
    assert fetch(url).read_bytes() == content[300_000:]


def test_web_file_without_etag_starts_over(hub, content):
    hub.web_has_etags = False
    hub.faults.break_after = [100_000]
    assert fetch(f"{hub.endpoint}/web/voice.wav").read_bytes() == content[:300_000]
    assert {request.range for request in hub.asked("GET")} == {None}


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, errors.UnauthorizedError),
        (403, errors.UnauthorizedError),
        (404, errors.NotOnHubError),
        (429, errors.TransferError),
        (500, errors.TransferError),
    ],
)
def test_web_refusals_are_told_apart(hub, status, error):
    hub.faults.status["/web"] = status
    with pytest.raises(error):
        fetch(f"{hub.endpoint}/web/voice.wav")


def test_unknown_host_is_offline(online):
    with pytest.raises(errors.OfflineError):
        fetch("http://nobody.invalid/voice.wav")


# The environment of a real start


def run_python(code: str, **environment: str) -> str:
    """What `code` prints in an interpreter of its own, where warnings are errors."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_fresh_process_asks_for_the_file_only(hub):
    printed = run_python(f"from pocketvoice.hub.download import fetch; print(fetch({PUBLIC!r}))")
    assert Path(printed.strip()) == cached_path(PUBLIC)
    assert [(request.method, request.path.split("/")[1]) for request in hub.seen] == [
        ("HEAD", "acme"),
        ("GET", "acme"),
        ("GET", "storage"),
    ]


def test_frozen_offline_constant_is_mapped(hub):
    """With HF_HUB_OFFLINE set when the library was imported and unset later, the library itself refuses."""
    code = (
        "import os, huggingface_hub.constants as c; assert c.HF_HUB_OFFLINE; del os.environ['HF_HUB_OFFLINE']\n"
        "from pocketvoice.hub.download import fetch\n"
        "from pocketvoice.errors import OfflineError\n"
        f"try: fetch({PUBLIC!r})\n"
        "except OfflineError as exc: print(exc)\n"
    )
    assert "HF_HUB_OFFLINE" in run_python(code, HF_HUB_OFFLINE="1")
