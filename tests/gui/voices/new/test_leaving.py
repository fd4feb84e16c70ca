"""The dialog is left in the middle, or the program ends: the draft is on disk, and the next dialog goes on there."""

from pathlib import Path

import pytest

from pocketvoice.gui.voices.new import draft_store
from pocketvoice.gui.voices.new.dialog import GOES_ON, KEPT
from pocketvoice.gui.voices.new.layout import Page
from pocketvoice.gui.voices.new.recording import RecordPhase
from pocketvoice.voices.library import VoiceLibrary
from tests.gui.conftest import Run, until
from tests.gui.voices.new.fake_recorder import Recorders
from tests.gui.voices.new.shown import Shown


@pytest.mark.parametrize("page", [Page.PART, Page.NAME, Page.HEAR])
def test_left_in_the_middle_it_goes_on_there(shown: Shown, recording: Path, run: Run, page: Page) -> None:
    async def story() -> None:
        await (shown.at_part(recording) if page is Page.PART else shown.at_hearing(recording))
        if page is Page.NAME:
            shown.dialog.back_button.click()
        dialog = shown.dialog
        chosen = dialog.session.choices
        dialog.reject()
        await until(lambda: shown.coordinator.dialog is None)
        messages = shown.parts.messages
        await until(lambda: messages.message is not None and messages.message.text == KEPT)
        if shown.parts.client.clones:
            await until(lambda: shown.parts.client.clones[0][0].done)  # the worker was told
        await until(lambda: not list((VoiceLibrary().folder / ".staging").glob("draft*/clip.flac")))
        shown.coordinator.new_voice()
        await until(lambda: shown.coordinator.dialog is not None)
        await until(lambda: shown.dialog.session.view.report is not None)
        assert (shown.message(), shown.dialog.page) == (GOES_ON, Page.PART)
        assert shown.dialog.session.choices == chosen
        assert shown.dialog.part.waveform.start_s == pytest.approx(chosen.start_s, abs=0.011)

    run(story())


def test_each_piece_of_a_recording_is_kept_at_once(shown: Shown, run: Run) -> None:
    recorders = Recorders()

    async def story() -> None:
        dialog = shown.with_recorders(recorders)
        kept: list[bool] = []
        dialog.kept.connect(lambda: kept.append(True))
        page, recording = dialog.record, dialog.recording
        for count in (1, 2):
            page.record.click()
            await until(lambda count=count: len(recorders.made) == count)
            recorders.made[-1].hear(4.0)
            await until(lambda: recording.view.phase is RecordPhase.RECORDING)
            page.record.click()
            await until(lambda: recording.view.phase is RecordPhase.PAUSED)

            def is_kept(count: int = count) -> bool:
                found = draft_store.load()
                return found is not None and found[0].duration_s > 4.0 * count - 0.1

            await until(is_kept)
        page.again.click()
        await until(lambda: draft_store.load() is None)
        page.record.click()
        await until(lambda: len(recorders.made) == 3)
        recorders.made[-1].hear(5.0)
        await until(lambda: recording.view.phase is RecordPhase.RECORDING)
        dialog.reject()  # in the middle of a word
        await until(lambda: draft_store.load() is not None)
        await until(lambda: kept)
        assert dialog.is_put_away.is_set()

    run(story())


def test_program_that_ends_keeps_it(shown: Shown, recording: Path, run: Run) -> None:
    async def story() -> None:
        await shown.at_part(recording)
        shown.dialog.session.choose(name="Berta")
        await shown.coordinator.close()
        found = draft_store.load()
        assert found is not None
        assert found[0].duration_s == pytest.approx(40.0)
        assert (found[1].name, found[1].source_name) == ("Berta", "holiday.flac")

    run(story())
