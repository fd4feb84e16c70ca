"""The endpoints of the reference and of the Rust port: forms, uploads, whole WAVs, raw samples."""

import base64
import io
from pathlib import Path

import numpy as np
import pytest
import soundfile

from pocketvoice.server import sound_response
from pocketvoice.text.normalise import normalise
from tests.server.asking import VOICES, refusal_of, sound_of, speech
from tests.server.conftest import SENTENCE, Served
from tests.voices.sounds import babble

FULL = Path("/dev/full")


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
        ({"text": SENTENCE, "language": "xx"}, None, 400, "choose one of"),
        ({"text": SENTENCE, "normalise": "maybe"}, None, 400, "true or false"),
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


def as_wav(samples: np.ndarray) -> dict[str, tuple[str, bytes]]:
    file = io.BytesIO()
    soundfile.write(file, samples, 24_000, format="WAV")
    return {"voice_wav": ("me.wav", file.getvalue())}


@pytest.mark.expects_log("its first", "cut off")
def test_uploads_are_judged_as_any_clip(served: Served) -> None:
    noise = 0.03 * np.random.default_rng(1).standard_normal(22 * 24_000)
    refused = served.http.post("/tts", data={"text": SENTENCE}, files=as_wav(noise))
    assert (refused.status_code, refusal_of(refused)["code"]) == (400, "invalid_voice_file")
    assert "no speech" in refused.json()["detail"]
    over_driven = as_wav(np.clip(6 * babble(22), -1, 1))
    taken = served.http.post("/tts", data={"text": SENTENCE}, files=over_driven)
    assert (taken.status_code, "cut off" in taken.headers["x-voice-note"]) == (200, True)


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
    bare = served.http.post(
        "/generate", json={"text": SENTENCE, "voice": clip, "seed": 1, "model": "b6369a24"}
    )
    assert len(sound_of(bare)) > 24_000
    assert served.http.post("/generate", json={"text": SENTENCE, "voice": "data:,x"}).status_code == 400
    assert served.http.post("/generate", json={"text": SENTENCE, "voice": "alba" * 300}).status_code == 400


@pytest.mark.parametrize(
    "name",
    ["/etc/passwd", str(VOICES / "slt.safetensors"), (VOICES / "slt.flac").as_uri(), "voices/slt.flac"],
)
def test_files_of_the_server_are_no_voices(served: Served, name: str) -> None:
    assert speech(served, voice={"id": name}).status_code == 404
    assert served.http.post("/tts", data={"text": SENTENCE, "voice_url": name}).status_code == 404
    for path in ("/generate", "/stream"):
        assert served.http.post(path, json={"text": SENTENCE, "voice": name}).status_code == 404


@pytest.mark.expects_log("No space left")
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


def test_numbers_are_words_of_the_language_unless_told_otherwise(served: Served) -> None:
    def generated(text: str, **fields: object) -> np.ndarray:
        return sound_of(served.http.post("/generate", json={"text": text, "seed": 1, **fields}))

    for language in ("en", "de"):
        words = generated(normalise("1,500 km", language).text, normalise=False)
        np.testing.assert_array_equal(generated("1,500 km", language=language), words)
    np.testing.assert_array_equal(
        generated("1,500 km"), generated("one thousand five hundred kilometers", normalise=False)
    )
    asked = {"input": "1,500 km", "model": "tts-1", "voice": "slt", "seed": 1, "response_format": "wav"}
    spoken = sound_of(served.http.post("/v1/audio/speech", json={**asked, "language": "de"}))
    np.testing.assert_array_equal(spoken, generated("1,500 km", language="de", voice="slt"))
    form = {"text": "1,500 km", "voice_url": "slt"}
    on, off = (
        sound_of(served.http.post("/tts", data={**form, "normalise": word})) for word in ("true", "false")
    )
    assert len(on) > 1.15 * len(off)  # no seed: every take is a little different
