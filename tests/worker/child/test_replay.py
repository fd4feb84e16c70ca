"""What is kept of the last speech, and for whom."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from pocketvoice.playback.store import SpeechStore
from pocketvoice.worker.child import replay
from pocketvoice.worker.child.replay import KEPT_S, Replay
from pocketvoice.worker.child.speech_queue import QueuedSpeech
from pocketvoice.worker.messages import Speak

REQUEST = Speak("A text.", voice="somebody", request_id="r1")


def kept(request: Speak = REQUEST) -> Replay:
    keeper = Replay()
    keeper.keep(QueuedSpeech(request, store=SpeechStore(24_000, [(0, 7)])))
    return keeper


def test_same_text_gets_it_once() -> None:
    keeper = kept()
    assert keeper.take(replace(REQUEST, request_id="r2", start=3)) is not None
    assert keeper.take(REQUEST) is None  # the other speech has it now


@pytest.mark.parametrize(
    "other", [{"text": "Another."}, {"voice": None}, {"seed": 3}, {"stop": 4}, {"max_tokens": 9}]
)
def test_anything_else_does_not(other: dict[str, object]) -> None:
    assert kept().take(replace(REQUEST, **other)) is None  # type: ignore[arg-type]


def test_changed_voice_file_is_another_voice(tmp_path: Path) -> None:
    voice = tmp_path / "voice.safetensors"
    voice.write_bytes(b"old")
    request = replace(REQUEST, voice=str(voice))
    keeper = kept(request)
    os.utime(voice, (1, 1))
    assert keeper.take(request) is None


def test_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(replay.time, "monotonic", lambda: now[0])
    keeper = kept()
    now[0] += KEPT_S - 1
    keeper.tick()
    assert keeper._speech is not None
    now[0] += 2
    keeper.tick()
    assert keeper.take(REQUEST) is None


def test_sounds_of_files_are_not_kept() -> None:
    keeper = Replay()
    keeper.keep(QueuedSpeech(REQUEST, store=SpeechStore(24_000, [(0, 7)]), is_file=True))
    assert keeper.take(REQUEST) is None
