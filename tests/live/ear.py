"""What a recording of the loudspeaker holds of a file: holes, likeness, and whether there is sound at all."""

import time

import numpy as np

from tests.live.desktop import App, wait_for
from tests.sound_server import RATE, Recorder, SoundServer

FRAME = RATE // 200
LOUD = 0.003
HOLE_S = 0.03


def peaks(sound: np.ndarray) -> np.ndarray:
    """The largest value of every 5 ms."""
    return np.abs(sound[: len(sound) // FRAME * FRAME]).reshape(-1, FRAME).max(axis=1, initial=0)


def aligned(heard: np.ndarray, written: np.ndarray) -> np.ndarray:
    """The part of `heard` in which `written` begins, as long as that."""
    size = 1 << (len(heard) + len(written)).bit_length()
    match = np.fft.irfft(np.fft.rfft(heard, size) * np.conj(np.fft.rfft(written, size)), size)
    at = int(match[: len(heard)].argmax())
    part = heard[at : at + len(written)]
    return np.pad(part, (0, len(written) - len(part)))


def longest_hole_s(heard: np.ndarray, written: np.ndarray) -> float:
    """The longest silence in `heard` where `written` is loud all around (5 ms of play on either side)."""
    loud = peaks(written) > LOUD
    near = loud & np.roll(loud, 1) & np.roll(loud, -1)
    longest = run = 0
    for hole in near & (peaks(heard) < LOUD):
        run = run + 1 if hole else 0
        longest = max(longest, run)
    return longest * FRAME / RATE


def likeness(heard: np.ndarray, written: np.ndarray) -> float:
    """Correlation below 1.5 kHz: above, half a sample between the two clocks turns the phase."""
    spectra = [np.fft.rfft(sound)[: len(written) * 1500 // RATE] for sound in (heard, written)]
    low = [np.fft.irfft(spectrum, len(written)) for spectrum in spectra]
    return float(np.corrcoef(*low)[0, 1])


def is_loud(recorder: Recorder, since: int = 0) -> bool:
    """Whether there was sound after that many samples."""
    return bool(np.abs(recorder.samples[since:]).max(initial=0) > LOUD)


def until_loud(recorder: Recorder, timeout_s: float = 20.0) -> None:
    """Until there is sound that was not there before."""
    since = len(recorder.samples)
    wait_for(lambda: is_loud(recorder, since), "sound", timeout_s)


def heard_whole(app: App, server: SoundServer, written: np.ndarray) -> np.ndarray:
    """Presses the button and returns what is heard of a file, which must be all of it, without a hole."""
    for _ in range(3):  # what else runs on the machine may hold the sound up once
        with server.recording() as recorder:
            app.click("play")
            until_loud(recorder)
            app.until_phase("quiet")
            time.sleep(0.4)
            heard = aligned(recorder.samples, written)
        hole_s, like = longest_hole_s(heard, written), likeness(heard, written)
        print(f"{len(written) / RATE:.2f} s, longest hole {hole_s} s, likeness {like:.4f}")
        if hole_s <= HOLE_S and like > 0.95:
            return heard
        app.hush()
    raise AssertionError(f"a hole of {hole_s} s, likeness {like}")
