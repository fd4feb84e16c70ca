"""`--language auto`: which model speaks a text."""

import pytest

from pocketvoice.cli.language import in_language_of_text
from pocketvoice.cli.options import ModelOptions, SayOptions, SpeakerOptions, SpeechOptions
from pocketvoice.hub import catalogue

FRENCH = "Le petit chat dort sur la chaise près de la fenêtre, et personne ne le réveille."
ENGLISH = "The little cat sleeps on the chair beside the window, and nobody wakes it up."


def chosen(text: str, language: str | None = "auto") -> str | None:
    speaker = SpeakerOptions(model=ModelOptions(language=language))
    options = SayOptions(text=text, speaker=speaker, speech=SpeechOptions(), output_path=None)
    found = in_language_of_text(options)
    assert found.text == text
    return found.speaker.model.language


def test_an_installed_model_of_the_language_speaks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(catalogue, "is_installed", lambda name: name in ("builtin_en", "french_24l"))
    assert chosen(FRENCH) == "french_24l"
    assert chosen(ENGLISH) == "builtin_en"
    assert chosen("5") == "builtin_en"
    assert capsys.readouterr().err == ""


def test_a_language_without_a_model_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(catalogue, "is_installed", lambda name: name == "builtin_en")
    assert chosen(FRENCH) == "builtin_en"
    assert "models download french" in capsys.readouterr().err
    assert chosen(FRENCH, None) is None
    assert chosen(FRENCH, "english") == "english"
