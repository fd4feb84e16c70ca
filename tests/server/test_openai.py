"""OpenAI's endpoint: its official client streams speech, and what the models can't do is refused in its shape."""

import base64
import json

import numpy as np
import pytest

from pocketvoice.server.encoding import FORMATS
from tests.server.asking import refusal_of, sound_of, speech
from tests.server.conftest import MODEL, SENTENCE, Served
from tests.server.test_encoding import decoded


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
        ({"temperature": 9}, 400, "temperature"),
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


def test_letters_that_the_model_does_not_know_are_told(served: Served) -> None:
    told = speech(served, input="Мальчик пошёл в лес за грибами. Hello.")
    assert told.status_code == 200
    assert told.headers["x-pocketvoice-note"].startswith("Most of the text is in Cyrillic letters")
    assert "x-pocketvoice-note" not in speech(served, input="Hello.").headers


def test_a_catalogue_voice_has_a_stand_in_and_the_answer_says_so(served: Served) -> None:
    """Programs written for the reference ask for alba; with the built-in model alone the nearest voice speaks."""
    own = speech(served, seed=1)
    asked = speech(served, voice="alba", seed=1)
    assert asked.content == own.content
    assert (own.headers.get("x-voice-stand-in"), asked.headers["x-voice-stand-in"]) == (None, "slt")
    form = served.http.post("/tts", data={"text": SENTENCE, "voice_url": "Marius"})
    assert (form.status_code, form.headers["x-voice-stand-in"]) == (200, "rms")


def test_requests_of_other_programs_are_served(served: Served) -> None:
    """What changes nothing about the sound is left alone: names of models, users, fields that only others know."""
    own = speech(served, voice=None, seed=1).content
    for more in (
        {"model": "pocket-tts"},
        {"model": "tts-1-1106"},
        {"model": None},
        {"user": "me", "stream": True, "lang": "en", "normalize": False},
    ):
        assert speech(served, **{"voice": None, "seed": 1, **more}).content == own, more
    assert served.http.post("/v1/audio/speech", json={"input": SENTENCE}).status_code == 200
    cold = speech(served, voice=None, seed=1, temperature=0)
    assert (cold.status_code, cold.content == own) == (200, False)
