"""Clones a voice once and keeps it: `python clone_a_voice.py me.wav "This is my voice." cloned.wav`.

The recording holds 20 to 30 seconds of one person speaking. Clone only your own voice, or one whose owner has agreed.
"""

import argparse
from pathlib import Path

from pocketvoice import TTSModel, export_model_state
from pocketvoice.audio.wav import WavWriter
from pocketvoice.errors import PocketVoiceError


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recording", type=Path, help="any sound file")
    parser.add_argument("text")
    parser.add_argument("target", type=Path, help="the WAV file")
    parser.add_argument("--language", default="builtin_en", help="a model of `pocketvoice models list`")
    options = parser.parse_args()

    model = TTSModel.load_model(options.language, precision="auto")
    # A voice file belongs to exact weights, so the model's id is part of its name.
    kept = options.recording.with_suffix(f".{model.model_id}.safetensors")
    if kept.exists():
        voice = model.get_state_for_audio_prompt(kept)
        print(f"The voice of {kept} is used.")
    elif not model.has_voice_cloning:
        raise SystemExit(model.cloning_reason)
    else:
        voice = model.get_state_for_audio_prompt(options.recording)
        export_model_state(voice, kept)
        print(f"The voice is kept in {kept}.")
    with WavWriter(options.target, model.sample_rate) as wav:
        for chunk in model.generate_audio_stream(voice, options.text):
            wav.write(chunk.numpy())


if __name__ == "__main__":
    try:
        main()
    except PocketVoiceError as error:  # its sentence says what to do
        raise SystemExit(error.message) from error
