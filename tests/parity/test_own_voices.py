"""A voice of the library is, in the reference's hands, what it is in ours: made of recordings of different rates and lengths."""

from pathlib import Path
from typing import Any

import pytest
import soundfile

from pocketvoice.audio.imported import best_part, read_source
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.voice import NewVoice
from pocketvoice.worker.child.own_voices import OwnVoices
from tests.model_factory import TINY, ModelFactory, ModelFiles, difference, random_tensors
from tests.parity.conftest import Pair
from tests.parity.test_states import assert_same_sound, both
from tests.voices.sounds import babble


def _tiny(models: ModelFactory) -> tuple[ModelFiles, dict[str, Any]]:
    raw = models.complete(TINY)
    tensors = random_tensors(raw, eos="chance")
    tensors["flow_lm.flow_net.final_layer.linear.weight"] *= 0.1
    return models.write("own-voices", raw, tensors=tensors), {}


PAIRS = {"lsd": _tiny}


@pytest.mark.parametrize(
    ("rate", "channels", "seconds", "suffix"), [(8_000, 1, 4, "wav"), (44_100, 2, 22, "flac"), (48_000, 1, 40, "ogg")]
)  # fmt: skip
def test_a_recording_becomes_the_same_voice(
    pair: Pair, tmp_path: Path, rate: int, channels: int, seconds: int, suffix: str
) -> None:
    sound = babble(seconds, rate)[:, None].repeat(channels, axis=1)
    soundfile.write(tmp_path / f"recording.{suffix}", sound, rate)
    source = read_source(tmp_path / f"recording.{suffix}")
    start, stop = best_part(source.samples, source.sample_rate)
    library = VoiceLibrary(tmp_path / "voices")
    voice = library.add(NewVoice("Anna"), source.samples[start:stop])

    pair.use(eos_threshold=-4.0)
    ours = OwnVoices(library=library).state(voice, pair.ours)
    theirs = pair.theirs.get_state_for_audio_prompt(voice.clip_path)
    for name, entry in theirs.items():
        assert difference(ours[name]["cache"], entry["cache"]) <= 1e-5
    kept = library.state_path(library.get("Anna"), pair.ours.model_id)
    assert kept is not None
    assert_same_sound(*both(pair, ours, pair.theirs.get_state_for_audio_prompt(kept)))
