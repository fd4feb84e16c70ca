"""Speaks a text through the loudspeaker while it is made: `python stream_to_loudspeaker.py "Hello there."`."""

import argparse
from contextlib import closing

from pocketvoice import TTSModel
from pocketvoice.errors import PocketVoiceError
from pocketvoice.playback.null_output import NullOutput
from pocketvoice.playback.output import AudioOutput, SoundDeviceOutput
from pocketvoice.playback.player import Player


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text")
    parser.add_argument("--language", default="builtin_en", help="a model of `pocketvoice models list`")
    parser.add_argument("--voice", default="slt", help="a name, a recording, or a voice file")
    parser.add_argument("--output", choices=("device", "null"), default="device", help="null plays to nobody")
    options = parser.parse_args()

    model = TTSModel.load_model(options.language, precision="auto")
    voice = model.get_state_for_audio_prompt(options.voice)
    output: AudioOutput = NullOutput(real_time=True) if options.output == "null" else SoundDeviceOutput()
    with Player(output, model.sample_rate) as player:
        player.start()
        # Closing the stream ends the engine's threads within one step, whatever happens in the loop.
        with closing(model.generate_audio_stream(voice, options.text)) as chunks:
            for chunk in chunks:
                player.feed(chunk.numpy())  # waits while enough sound is in hand
        player.drain()  # until the last sample was heard
        print(f"{player.heard_s:.1f} s were heard")


if __name__ == "__main__":
    try:
        main()
    except PocketVoiceError as error:  # its sentence says what to do
        raise SystemExit(error.message) from error
