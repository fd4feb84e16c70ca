"""A recorder without a device: it does what the real one promises, and a test says what comes in."""

from collections.abc import Callable

import numpy as np

from pocketvoice.audio.recorder import Microphone, RecordedTake, RecorderState, Status
from pocketvoice.errors import AudioDeviceError

RATE = 24_000


class FakeRecorder:
    def __init__(self, microphone: Microphone | None, on_status: Callable[[Status], None]) -> None:
        self.microphone = microphone
        self.tell = on_status
        self.speech_s = 0.0
        self.state = RecorderState.IDLE

    def start(self) -> None:
        self.state = RecorderState.OPENING
        self.tell(Status(self.state))

    def hear(self, speech_s: float, hint: str = "") -> None:
        self.state, self.speech_s = RecorderState.RECORDING, speech_s
        self.tell(Status(self.state, speech_s + 1, speech_s, True, -25.0, -9.0, hint=hint))

    def end(self, state: RecorderState, error: AudioDeviceError | None = None) -> None:
        self.state = state
        self.tell(Status(state, self.speech_s + 1, self.speech_s, error=error))

    def stop(self) -> None:
        self.end(RecorderState.DONE)

    def abort(self) -> None:
        self.state = RecorderState.DONE

    def take(self, timeout_s: float = 5.0) -> RecordedTake:
        if not self.speech_s:
            raise AudioDeviceError("Nothing was recorded: check the microphone.")
        samples = np.full(int(self.speech_s * RATE), 0.5, np.float32)
        whole = self.state is RecorderState.DONE
        return RecordedTake(samples, RATE, 48_000, 1, "Fake microphone", self.speech_s, whole)


class Recorders:
    """Makes recorders for a `MicrophoneRecording`, and remembers them."""

    def __init__(self) -> None:
        self.made: list[FakeRecorder] = []

    def load(self) -> Callable[..., FakeRecorder]:
        """What stands for the loading of the recorder's libraries."""
        return self._make

    def _make(self, microphone: Microphone | None, on_status: Callable[[Status], None]) -> FakeRecorder:
        self.made.append(FakeRecorder(microphone, on_status))
        return self.made[-1]
