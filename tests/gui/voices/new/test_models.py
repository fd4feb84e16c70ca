"""What the loaded model means for a voice that is being made: it can't copy, it is small, or it changes."""

import dataclasses
from pathlib import Path

import pytest

from pocketvoice.gui.controllers.models import ModelPhase
from pocketvoice.gui.voices.new.layout import Page
from pocketvoice.gui.voices.new.model_notes import SMALL_MODEL
from pocketvoice.worker.messages import Loading
from tests.gui.conftest import Run, until
from tests.gui.voices.new.shown import CAN, CAN_NOT, Shown


@pytest.mark.expects_log("no access token")
def test_weights_that_can_not_clone_are_told_first(
    shown: Shown, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.delenv("HF_TOKEN", raising=False)

    async def story() -> None:
        await shown.opened(ready=CAN_NOT)
        dialog = shown.dialog
        assert dialog.page is Page.TERMS
        assert dialog.terms.reason.text() == CAN_NOT.cloning_reason
        assert "kyutai/pocket-tts" in dialog.terms.open_terms.toolTip()
        dialog.terms.token.setText("nonsense")
        dialog.terms.download.click()
        await until(lambda: "no access token" in shown.message())
        dialog.terms.token.setText("hf_abc123")
        dialog.terms.download.click()
        client = shown.parts.client
        await until(lambda: client.load is not None)
        token = tmp_path / "hub" / "token"
        assert token.read_text() == "hf_abc123"
        assert token.stat().st_mode & 0o077 == 0
        assert client.load is not None
        client.load.put(Loading(client.load.request_id, "model.safetensors", 40_000_000, 219_000_000, 1e6))
        assert dialog.terms.progress.isVisible()
        client.be_ready(CAN)
        assert dialog.page is Page.RECORD

    run(story())


def test_small_model_is_honest(shown: Shown, recording: Path, run: Run) -> None:
    async def story() -> None:
        await shown.opened(str(recording), ready=dataclasses.replace(CAN, language="builtin_en"))
        assert shown.dialog.record.note.text() == SMALL_MODEL  # before anything is recorded
        assert shown.dialog.hear.note.text() == SMALL_MODEL
        assert shown.parts.models.view.phase is ModelPhase.READY

    run(story())


def test_what_was_found_while_it_was_made_is_shown(shown: Shown, recording: Path, run: Run) -> None:
    async def story() -> None:
        await shown.at_hearing(recording)
        shown.made("The model does not follow this voice: words will be missing.")
        await shown.spoken(1)
        told = shown.dialog.hear.told
        assert told.isVisible()
        assert "words will be missing" in told.text()
        shown.parts.models.load("french")
        await until(lambda: shown.parts.client.load is not None)
        shown.parts.client.be_ready(dataclasses.replace(CAN, model_id="french-89abcdef"))
        await until(lambda: not told.isVisible())

    run(story())


def test_other_model_makes_it_anew(shown: Shown, recording: Path, run: Run) -> None:
    async def story() -> None:
        await shown.at_hearing(recording)
        shown.made()
        await shown.spoken(1)
        shown.parts.models.load("french")
        await until(lambda: shown.parts.client.load is not None)
        shown.parts.client.be_ready(dataclasses.replace(CAN, model_id="french-89abcdef"))
        await until(lambda: len(shown.parts.client.clones) == 2)
        assert shown.dialog.session.view.takes == ()

    run(story())
