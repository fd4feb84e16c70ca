"""Damage on disk is told once, on the row and in a message; what can be made again is made again."""

import pytest
from PySide6.QtCore import Qt

from pocketvoice.gui.voices.list.item_model import DAMAGE_ROLE
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.voice import NewVoice
from tests.gui.conftest import Run, until
from tests.gui.voices.list.shown import LONG, Shown
from tests.gui.voices.parts import CLIP


@pytest.mark.expects_log("voice.json (of this voice )?is damaged")
def test_damaged_voice_is_told_of_once(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    (library.get("Agnes").folder / "voice.json").write_text("{broken")

    async def story() -> None:
        await shown.opened(2)
        await until(shown.message)
        shown.model.messages.dismiss()
        library.add(NewVoice("Berta"), CLIP)
        await until(lambda: "Berta" in shown.names())
        assert shown.message() == ""

    run(story())


@pytest.mark.expects_log("The clip of the voice Agnes is damaged")
def test_damaged_clip_is_reported(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    """It can't be made again: a message, and on the row for eye and screen reader."""
    clip = library.get("Agnes").clip_path
    data = clip.read_bytes()
    clip.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))

    async def story() -> None:
        await shown.opened()
        await until(lambda: shown.page.list.items.index(0).data(DAMAGE_ROLE))
        sentence = "The clip of the voice Agnes is damaged. It can't speak: record it again."
        assert shown.message() == sentence
        row = shown.page.list.items.index(0)
        assert row.data(DAMAGE_ROLE) == sentence
        assert sentence in row.data(Qt.ItemDataRole.ToolTipRole)
        assert "damaged" in row.data(Qt.ItemDataRole.AccessibleTextRole)
        await until(lambda: len(shown.page.check.damage) == 1)
        assert [voice.name for voice in library.voices()] == ["Agnes", "Élodie", LONG]

    run(story())


def test_damaged_sentence_is_spoken_anew(library: VoiceLibrary, shown: Shown, run: Run) -> None:
    agnes = library.set_preview(library.get("Agnes").id, CLIP)
    agnes.preview_path.write_bytes(b"fLaC")

    async def story() -> None:
        await shown.opened()
        shown.press(Qt.Key.Key_Home)
        shown.press(Qt.Key.Key_Space)
        await until(lambda: any(one[:2] == ("preview", agnes.id) for one in shown.parts.client.requests))

    run(story())
