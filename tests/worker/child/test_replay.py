"""What is kept of the last speech, and for whom."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from pocketvoice.playback.store import SpeechStore
from pocketvoice.worker.child.replay import KEPT_S, Replay
from pocketvoice.worker.child.speech_queue import QueuedSpeech
from pocketvoice.worker.messages import Speak

REQUEST = Speak("A text.", voice="somebody", request_id="r1")


def kept(request: Speak = REQUEST) -> Replay:
    kept_speech = Replay()
    kept_speech.keep(QueuedSpeech(request, store=SpeechStore(24_000, [(0, 7)])))
    return kept_speech


def test_same_text_gets_it_once() -> None:
    kept_speech = kept()
    assert kept_speech.take(replace(REQUEST, request_id="r2", start=3)) is not None
    assert kept_speech.take(REQUEST) is None  # the other speech has it now


@pytest.mark.parametrize(
    "other", [{"text": "Another."}, {"voice": None}, {"seed": 3}, {"stop": 4}, {"max_tokens": 9}]
)
def test_anything_else_does_not(other: dict[str, object]) -> None:
    assert kept().take(replace(REQUEST, **other)) is None  # type: ignore[arg-type]


def test_changed_voice_file_is_another_voice(tmp_path: Path) -> None:
    voice = tmp_path / "voice.safetensors"
    voice.write_bytes(b"old")
    request = replace(REQUEST, voice=str(voice))
    kept_speech = kept(request)
    os.utime(voice, (1, 1))
    assert kept_speech.take(request) is None


@pytest.mark.parametrize(("after_s", "is_kept"), [(KEPT_S - 1, True), (KEPT_S + 1, False)])
def test_not_for_ever(after_s: float, is_kept: bool) -> None:
    now = [100.0]
    kept_speech = Replay(lambda: now[0])
    kept_speech.keep(QueuedSpeech(REQUEST, store=SpeechStore(24_000, [(0, 7)])))
    now[0] += after_s
    kept_speech.tick()
    assert (kept_speech.take(REQUEST) is not None) is is_kept


def test_sounds_of_files_are_not_kept() -> None:
    kept_speech = Replay()
    kept_speech.keep(QueuedSpeech(REQUEST, store=SpeechStore(24_000, [(0, 7)]), is_file=True))
    assert kept_speech.take(REQUEST) is None
