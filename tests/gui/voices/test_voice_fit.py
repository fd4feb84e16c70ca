"""Whether a voice can speak with a model."""

from pathlib import Path

import numpy as np

from pocketvoice.gui.voices.voice_fit import Fit, fits
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.voice import NewVoice, StateMark, Voice

CLIP = (0.1 * np.sin(np.arange(24_000 * 3) / 20)).astype(np.float32)


def test_fit_of_a_voice(own_folders: Path) -> None:
    recorded = VoiceLibrary().add(NewVoice("Agnes"), CLIP)
    assert fits(recorded, "english-0123", cloning=True) is Fit.READY
    assert fits(recorded, "english-0123", cloning=False) is Fit.NO_CLONING
    mark = recorded.clip
    assert mark is not None
    used = Voice("v" + "0" * 16, "Berta", states=(StateMark("english-0123", "state.safetensors", mark),))
    assert fits(used, "english-0123", cloning=False) is Fit.READY
    assert fits(used, "french-4567", cloning=True) is Fit.OTHER_MODEL
    unknown = Voice("v" + "1" * 16, "Carla", states=(StateMark("", "state.safetensors", mark),))
    assert fits(unknown, "english-0123", cloning=True) is Fit.UNKNOWN
