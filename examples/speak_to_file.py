"""Speaks a text into a WAV file, chunk by chunk: `python speak_to_file.py "Hello there." hello.wav`."""

import argparse
from pathlib import Path

from pocketvoice import TTSModel
from pocketvoice.audio.wav import WavWriter
from pocketvoice.errors import PocketVoiceError


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text")
    parser.add_argument("target", type=Path, help="the WAV file")
    parser.add_argument("--language", default="builtin_en", help="a model of `pocketvoice models list`")
    parser.add_argument("--voice", default="slt", help="a name, a recording, or a voice file")
    options = parser.parse_args()

    model = TTSModel.load_model(options.language, precision="auto")
    voice = model.get_state_for_audio_prompt(options.voice)
    # A clean end of the block completes the file; an exception leaves none behind.
    with WavWriter(options.target, model.sample_rate) as wav:
        for chunk in model.generate_audio_stream(voice, options.text):
            wav.write(chunk.numpy())  # float32 samples (T,) in [-1, 1]
    print(f"{wav.samples_written / model.sample_rate:.1f} s of speech in {options.target}")


if __name__ == "__main__":
    try:
        main()
    except PocketVoiceError as error:  # its sentence says what to do
        raise SystemExit(error.message) from error
