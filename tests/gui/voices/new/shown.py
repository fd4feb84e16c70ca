"""The dialog that makes a voice, opened by the coordinator with a fake worker, as a test uses it; and a sound like speech."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile

from pocketvoice.gui.voices.coordinator import VoicesCoordinator
from pocketvoice.gui.voices.new.dialog import NewVoiceDialog
from pocketvoice.gui.voices.new.layout import NewVoiceServices, Page
from pocketvoice.worker.messages import Finished, VoiceCloned
from tests.gui.conftest import until
from tests.gui.fake_client import READY, FakeHandle
from tests.gui.parts import Parts
from tests.gui.voices.new.fake_recorder import Recorders

CAN = dataclasses.replace(READY, cloning=True, cloning_reason="The full weights are loaded.")
CAN_NOT = dataclasses.replace(
    READY, cloning=False, cloning_reason="The public weights are loaded, because of terms."
)
RATE = 24_000


def speech(length_s: float, level: float = 0.06) -> np.ndarray:
    """Something that rises and falls like speech: vowels of 0.25 s, pauses between words, longer ones between sentences."""
    at_s = np.arange(int(length_s * RATE)) / RATE
    dice = np.random.default_rng(3)
    pitch = 120 + 25 * np.sin(2 * np.pi * 0.4 * at_s)
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    voice = sum(np.sin(number * phase) / number for number in range(1, 25))
    syllables = np.clip(np.sin(2 * np.pi * 3.5 * at_s), 0, None) ** 0.5
    sentences = (at_s % 4.0) < 3.4
    return np.asarray(level * voice * syllables * sentences + dice.normal(0, 2e-4, len(at_s)), np.float32)


@dataclass
class Shown:
    parts: Parts
    coordinator: VoicesCoordinator

    @property
    def dialog(self) -> NewVoiceDialog:
        assert self.coordinator.dialog is not None
        return self.coordinator.dialog

    def message(self) -> str:
        return self.dialog.messages.message.text if self.dialog.messages.message is not None else ""

    async def opened(self, path: str = "", ready: object = CAN) -> None:
        await self.parts.client.__aenter__()
        self.parts.models.load("english")
        await until(lambda: self.parts.client.load is not None)
        self.parts.client.be_ready(ready)  # type: ignore[arg-type]
        self.coordinator.start()
        await until(lambda: self.coordinator.library.is_read)
        self.coordinator.new_voice(path)
        await until(lambda: self.coordinator.dialog is not None)

    async def at_part(self, path: Path) -> None:
        await self.opened(str(path))
        await until(lambda: self.dialog.session.view.report is not None)
        assert self.dialog.page is Page.PART

    async def at_hearing(self, path: Path, name: str = "Berta") -> FakeHandle:
        """Named and agreed to; the worker is making the voice."""
        await self.at_part(path)
        await self.next(Page.NAME)
        self.dialog.name.name.setText(name)
        assert not self.dialog.next_button.isEnabled()  # without consent
        self.dialog.name.consent.click()
        await self.next(Page.HEAR)
        await until(lambda: self.parts.client.clones)
        return self.parts.client.clones[-1][0]

    async def next(self, page: Page) -> None:
        await until(self.dialog.next_button.isEnabled)
        self.dialog.next_button.click()
        await until(lambda: self.dialog.page is page)

    def made(self, *notes: str) -> None:
        """The worker has made the voice, and has something to say of it."""
        handle, path = self.parts.client.clones[-1]
        Path(path).write_bytes(b"")
        handle.put(VoiceCloned(handle.request_id, path, notes))
        handle.put(Finished(handle.request_id))

    async def spoken(self, count: int) -> None:
        """The worker has spoken a take; it is played at once."""
        client = self.parts.client
        await until(lambda: len(client.exports) == count)
        request = next(r for r in reversed(client.requests) if r[0] == "export")
        soundfile.write(request[2], speech(1.0 + count), RATE)
        client.exports[-1].put(Finished(client.exports[-1].request_id))
        await until(lambda: len(self.dialog.session.view.takes) == count)

    def with_recorders(self, recorders: Recorders) -> NewVoiceDialog:
        """A dialog of its own, opened, which records with fake recorders."""
        parts = self.parts
        services = NewVoiceServices(
            parts.client,
            self.coordinator.library,
            parts.models,
            parts.tasks,
            load_recorder=recorders.load,  # type: ignore[arg-type]
        )
        dialog = NewVoiceDialog(services, parent=parts.window)
        dialog.begin()
        return dialog
