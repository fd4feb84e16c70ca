"""How tests ask a server for speech, and what they make of its answers."""

from pathlib import Path

import httpx
import numpy as np

from tests.server.conftest import SENTENCE, Served
from tests.server.test_encoding import decoded

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
