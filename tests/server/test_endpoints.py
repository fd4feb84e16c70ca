"""Drop-in endpoints: what other programs send is answered as they expect, with sound."""

import base64
import io
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

from pocketvoice.server import sound_response
from pocketvoice.server.encoding import FORMATS
from tests.server.conftest import BOOK, MODEL, SENTENCE, Served
from tests.server.test_encoding import decoded

FULL = Path("/dev/full")
VOICES = Path(__file__).parents[2] / "resources/models/builtin_en/voices"


def speech(served: Served, **fields: object) -> httpx.Response:
    body = {"input": SENTENCE, "model": "tts-1", "voice": "slt", "response_format": "wav", **fields}
    return served.http.post("/v1/audio/speech", json=body)


def sound_of(response: httpx.Response, name: str = "wav") -> np.ndarray:
    assert response.status_code == 200, response.text
    return decoded(response.content, name)


def refusal_of(response: httpx.Response) -> dict[str, object]:
    assert response.headers["content-type"] == "application/json"
    return dict(response.json()["error"])


# -- OpenAI


def test_official_client_streams_speech(served: Served) -> None:
    import openai

    client = openai.OpenAI(base_url=f"{served.url}/v1", api_key="any")
    with client.audio.speech.with_streaming_response.create(
        model="tts-1", voice="alloy", input=SENTENCE, response_format="pcm"
    ) as response:
        pieces = list(response.iter_bytes(4096))
    assert len(pieces) > 3
    assert np.abs(decoded(b"".join(pieces), "pcm")).max() > 0.05
    with pytest.raises(openai.BadRequestError, match="instructions"):
        client.audio.speech.create(model="tts-1", voice="slt", input=SENTENCE, instructions="Whisper.")
    with pytest.raises(openai.NotFoundError) as refused:
        client.audio.speech.create(model="tts-9", voice="slt", input=SENTENCE)
    assert refused.value.code == "model_not_found"
    assert MODEL in [model.id for model in client.models.list()]
    assert client.models.retrieve(MODEL).owned_by == "pocketvoice"


@pytest.mark.parametrize("name", FORMATS)
def test_formats(served: Served, name: str) -> None:
    sound = sound_of(speech(served, response_format=name, seed=1), name)
    assert 2 < len(sound) / 24_000 < 8
    assert np.abs(sound).max() > 0.05


@pytest.mark.parametrize("speed", [0.25, 4])
def test_speed(served: Served, speed: float) -> None:
    as_it_is = len(sound_of(speech(served, seed=1, response_format="pcm"), "pcm"))
    changed = len(sound_of(speech(served, seed=1, response_format="pcm", speed=speed), "pcm"))
    assert changed * speed == pytest.approx(as_it_is, rel=0.05)


def test_seed_repeats_the_sound(served: Served) -> None:
    one, same, other = (speech(served, seed=seed).content for seed in (1, 1, 2))
    assert one == same != other


def test_voice_may_be_an_object(served: Served) -> None:
    assert speech(served, voice={"id": "slt"}, seed=3).content == speech(served, voice="slt", seed=3).content


def test_events(served: Served) -> None:
    body = {
        "input": SENTENCE,
        "model": "tts-1",
        "voice": "slt",
        "response_format": "pcm",
        "stream_format": "sse",
        "seed": 1,
    }
    response = served.http.post("/v1/audio/speech", json=body)
    assert response.headers["content-type"].startswith("text/event-stream")
    events = [json.loads(line[6:]) for line in response.text.split("\n\n") if line]
    audio = b"".join(base64.b64decode(event["audio"]) for event in events[:-1])
    assert {event["type"] for event in events[:-1]} == {"speech.audio.delta"}
    assert audio == speech(served, response_format="pcm", seed=1).content
    usage = events[-1]["usage"]
    assert events[-1]["type"] == "speech.audio.done"
    assert usage["output_tokens"] == pytest.approx(len(audio) / 2 / 1920, abs=1)
    assert (
        usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"] > usage["output_tokens"] > 0
    )


@pytest.mark.parametrize(
    ("fields", "status", "param"),
    [
        ({"input": ""}, 400, "input"),
        ({"input": "... !"}, 400, "input"),
        ({"input": "a" * 20_001}, 400, "input"),
        ({"speed": 0.2}, 400, "speed"),
        ({"speed": 4.1}, 400, "speed"),
        ({"speed": "fast"}, 400, "speed"),
        ({"response_format": "ogg"}, 400, "response_format"),
        ({"stream_format": "ws"}, 400, "stream_format"),
        ({"instructions": "Whisper."}, 400, "instructions"),
        ({"temperature": 1}, 400, "temperature"),
        ({"voice": {"name": "slt"}}, 400, "name"),
        ({"voice": "nobody"}, 404, "voice"),
        ({"voice": "https://example.org/me.wav"}, 403, "voice"),
        ({"voice": "/etc/passwd"}, 404, "voice"),
        ({"model": "whisper-1"}, 404, "model"),
    ],
)
def test_what_is_not_supported_is_refused(
    served: Served, fields: dict[str, object], status: int, param: str
) -> None:
    response = speech(served, **fields)
    assert response.status_code == status, response.text
    error = refusal_of(response)
    assert set(error) == {"message", "type", "param", "code"}
    assert param in str(error["param"]) or param in str(error["message"])
    assert "detail" not in response.json()


def test_body_that_is_no_json(served: Served) -> None:
    form = served.http.post("/v1/audio/speech", data={"input": SENTENCE})
    assert form.status_code == 415
    broken = served.http.post("/v1/audio/speech", content=b"{", headers={"content-type": "application/json"})
    assert (broken.status_code, refusal_of(broken)["code"]) == (400, "invalid_json")


# -- the reference


def test_form_of_the_reference(served: Served) -> None:
    response = served.http.post("/tts", data={"text": SENTENCE})
    assert response.headers["content-type"] == "audio/wav"
    assert response.headers["content-disposition"] == "attachment; filename=generated_speech.wav"
    assert len(sound_of(response)) > 24_000
    assert served.http.post("/tts", data={"text": SENTENCE, "voice_url": "slt"}).status_code == 200


def test_upload_becomes_the_voice(served: Served) -> None:
    clip = (VOICES / "slt.flac").read_bytes()
    misnamed = {"voice_wav": ("me.wav", clip, "audio/wav")}  # judged by its content
    assert len(sound_of(served.http.post("/tts", data={"text": SENTENCE}, files=misnamed))) > 24_000
    state = {"voice_wav": ("me.bin", (VOICES / "slt.safetensors").read_bytes(), "application/octet-stream")}
    assert len(sound_of(served.http.post("/tts", data={"text": SENTENCE}, files=state))) > 24_000


@pytest.mark.parametrize(
    ("data", "upload", "status", "word"),
    [
        ({}, None, 422, "text"),
        ({"text": "  "}, None, 400, "spoken"),
        ({"text": SENTENCE, "voice_url": "nobody"}, None, 404, "nobody"),
        ({"text": SENTENCE, "voice_url": "http://example.org/me.wav"}, None, 403, "address"),
        ({"text": SENTENCE, "voice_url": "slt"}, b"RIFF", 400, "both"),
        ({"text": SENTENCE}, b"This is no sound at all.", 400, "no sound"),
        ({"text": SENTENCE}, b"\x10\x00\x00\x00\x00\x00\x00\x00{", 400, "cut short"),
        ({"text": SENTENCE}, b"\x02\x00\x00\x00\x00\x00\x00\x00{}", 400, ""),
    ],
)
def test_mistakes_in_the_form(
    served: Served, data: dict[str, str], upload: bytes | None, status: int, word: str
) -> None:
    files = {"voice_wav": ("me.wav", upload)} if upload is not None else None
    response = served.http.post("/tts", data=data, files=files)
    assert response.status_code == status, response.text
    assert word in response.json()["detail"]


# -- the Rust port


def test_generate_gives_a_whole_wav(served: Served) -> None:
    response = served.http.post("/generate", json={"text": SENTENCE, "voice": "slt", "seed": 1})
    assert int(response.headers.get("content-length", len(response.content))) == len(response.content)
    assert soundfile.info(io.BytesIO(response.content)).duration == pytest.approx(
        len(sound_of(response)) / 24_000
    )


def test_stream_gives_raw_samples(served: Served) -> None:
    response = served.http.post("/stream", json={"text": SENTENCE, "seed": 1})
    assert response.headers["content-type"] == "application/octet-stream"
    assert response.content == speech(served, response_format="pcm", seed=1).content


def test_sampling_of_the_rust_port(served: Served) -> None:
    plain = served.http.post("/stream", json={"text": SENTENCE, "seed": 1}).content
    cold = served.http.post(
        "/stream",
        json={
            "text": SENTENCE,
            "seed": 1,
            "temperature": 0,
            "noise_clamp": 1,
            "eos_threshold": -4,
            "lsd_steps": 2,
        },
    )
    assert cold.status_code == 200
    assert cold.content != plain
    assert served.http.post("/stream", json={"text": SENTENCE, "seed": 1}).content == plain
    assert served.http.post("/stream", json={"text": SENTENCE, "lsd_steps": 0}).status_code == 400


def test_recording_in_json(served: Served) -> None:
    clip = base64.b64encode((VOICES / "slt.flac").read_bytes()).decode()
    response = served.http.post(
        "/generate", json={"text": SENTENCE, "voice": f"data:audio/flac;base64,{clip}"}
    )
    assert len(sound_of(response)) > 24_000
    assert served.http.post("/generate", json={"text": SENTENCE, "voice": "data:,x"}).status_code == 400


@pytest.mark.parametrize(
    "name",
    ["/etc/passwd", str(VOICES / "slt.safetensors"), (VOICES / "slt.flac").as_uri(), "voices/slt.flac"],
)
def test_files_of_the_server_are_no_voices(served: Served, name: str) -> None:
    assert speech(served, voice={"id": name}).status_code == 404
    assert served.http.post("/tts", data={"text": SENTENCE, "voice_url": name}).status_code == 404
    for path in ("/generate", "/stream"):
        assert served.http.post(path, json={"text": SENTENCE, "voice": name}).status_code == 404


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full")
def test_full_disk_is_told(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> int:
        with FULL.open("wb", buffering=0) as file:
            return int(file.write(data))

    with monkeypatch.context() as patch:
        patch.setattr(sound_response.tempfile, "TemporaryFile", lambda: FULL.open("w+b"))
        whole = served.http.post("/generate", json={"text": SENTENCE})
        patch.setattr(Path, "write_bytes", full)
        state = (VOICES / "slt.safetensors").read_bytes() + bytes(1)  # not one that was sent before
        upload = served.http.post("/tts", data={"text": SENTENCE}, files={"voice_wav": ("me", state)})
    for answer in (whole, upload):
        assert (answer.status_code, refusal_of(answer)["code"]) == (507, "disk_full"), answer.text
    served.until_idle()


# -- looking around


def test_health_tells_of_workers_and_memory(served: Served) -> None:
    health = served.health
    assert health["status"] == "healthy"
    assert health["model"]["id"].startswith(MODEL)
    (worker,) = health["workers"]
    assert worker["pid"] == served.clients[0].pid
    assert worker["rss_bytes"] > 100 << 20
    assert 0 < worker["unique_bytes"] <= worker["rss_bytes"]


def test_voices_are_those_that_can_be_asked_for(served: Served) -> None:
    told = served.http.get("/voices").json()
    assert told["default"] == "slt"
    for name in [voice["name"] for voice in told["voices"]] + ["alloy"]:
        assert speech(served, voice=name).status_code == 200


def test_unknown_paths_and_methods(served: Served) -> None:
    assert refusal_of(served.http.get("/v1/nothing"))["type"] == "not_found_error"
    wrong = served.http.get("/tts")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "POST")


# -- streaming


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
