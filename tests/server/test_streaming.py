"""Sound while it is made: the first byte leaves at once, slow and vanished clients hold up no one, and curl works."""

import json
import os
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import httpx
import numpy as np
import pytest
import soundfile

from tests.server.asking import VOICES, speech
from tests.server.conftest import BOOK, SENTENCE, Served
from tests.server.test_encoding import decoded


def test_first_byte_leaves_with_the_first_frame(served: Served) -> None:
    with served.http.stream("POST", "/tts", data={"text": BOOK}) as response:
        pieces = response.iter_raw()  # kept: the connection ends with it
        first = next(pieces)
        assert response.num_bytes_downloaded < 44 + 2 * 24_000 * 10
        assert first[:4] == b"RIFF"
        assert served.health["queue"]["open"] == 1  # the rest is still being made


def test_client_that_goes_away_stops_its_speech(served: Served) -> None:
    for path, body in (("/stream", {"text": BOOK}), ("/generate", {"text": BOOK})):
        with (
            suppress(httpx.ReadTimeout),
            served.http.stream("POST", path, json=body, timeout=0.3) as response,
        ):
            next(response.iter_raw())
        served.until_idle(2)


def test_client_that_does_not_take_holds_up_no_one(served: Served) -> None:
    with served.http.stream("POST", "/stream", json={"text": BOOK * 4}) as slow:
        pieces = slow.iter_raw()
        next(pieces)
        time.sleep(1.0)
        pid = served.health["workers"][0]["pid"]
        before = served.health["workers"][0]["rss_bytes"]
        assert speech(served).status_code == 200
        assert served.health["workers"][0]["pid"] == pid
        assert served.health["workers"][0]["rss_bytes"] - before < 30 << 20
    served.until_idle()


def test_engine_that_dies_is_not_heard(served: Served) -> None:
    with served.http.stream("POST", "/stream", json={"text": BOOK[:300]}) as response:
        pieces = response.iter_raw()
        data = next(pieces)
        pid = served.clients[0].pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        data += b"".join(pieces)
    assert served.clients[0].pid != pid
    whole = decoded(data, "pcm")
    assert len(whole) > 10 * 24_000
    assert np.abs(np.diff(whole)).max() < 0.6  # no tear


def test_cut_short_is_a_file(served: Served) -> None:
    with served.http.stream("POST", "/tts", data={"text": BOOK}) as response:
        data = b""
        for piece in response.iter_raw():
            data += piece
            if len(data) > 200_000:
                break
    assert len(decoded(data, "wav")) == pytest.approx(len(data) / 2, abs=2000)
    served.until_idle()


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_as_people_use_it(served: Served, tmp_path: Path) -> None:
    clip, out = VOICES / "slt.flac", tmp_path / "hello.wav"
    command = ["curl", "-sS", "--fail", "-F", f"text={SENTENCE}", "-F", f"voice_wav=@{clip}"]
    subprocess.run([*command, f"{served.url}/tts", "-o", str(out)], check=True, timeout=60)
    assert len(decoded(out.read_bytes(), "wav")) > 24_000
    command = ["curl", "-sS", "-X", "POST", f"{served.url}/generate", "-H", "Content-Type: application/json"]
    body = json.dumps({"text": SENTENCE, "voice": "slt"})
    subprocess.run([*command, "-d", body, "--output", str(out)], check=True, timeout=60)
    assert soundfile.info(out).duration > 1
