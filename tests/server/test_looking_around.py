"""What a server says of itself: health, voices, and paths that there are not."""

from tests.server.asking import refusal_of, speech
from tests.server.conftest import MODEL, Served


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


def test_docs_are_the_description_for_people(served: Served) -> None:
    answer = served.http.get("/docs")
    assert answer.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    for path in served.http.get("/openapi.json").json()["paths"]:
        assert f" {path}</code>" in answer.text
    assert "<code>response_format</code>" in answer.text
