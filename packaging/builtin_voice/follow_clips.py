"""How much clip the built-in model follows: `python follow_clips.py CLIP... --seconds 1.3 2 3 4 6 8 --count 20`.

Each clip is cut to each length at a pause, a voice is made of it by pocketvoice's engine, and whisper tiny.en listens to the first
COUNT held-out sentences. Prints the word error of each clip at each length, then of each length. What was found is a fact of the
model: `clip_seconds` of resources/catalogue.toml. `--loudest` takes the loudest part of a clip instead of its beginning. Clips of a
synthesiser: `espeak-ng -w one.wav TEXT`, `flite -voice awb -t TEXT -o two.wav`.
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from evaluate import HELD_OUT, MODEL
from hearing import RATE, Whisper, plain, word_errors

from pocketvoice.audio.clip import Clip, load_clip, prepare_clip
from pocketvoice.engine.tts_model import TTSModel


def clip_of(path: Path, seconds: float, loudest: bool) -> Clip:
    """The clip, cut at a pause: from its beginning, or from where most of its energy lies within so many seconds."""
    used_s = (0.5 * seconds, seconds)
    if not loudest:
        return load_clip(path, used_s=used_s)
    whole = load_clip(path).samples
    energy = np.concatenate([[0.0], np.cumsum(whole.astype(np.float64) ** 2)])
    length = min(len(whole), int(seconds * RATE))
    begin = int(np.argmax(energy[length:] - energy[:-length]))
    return prepare_clip(whole[begin : begin + length], RATE, used_s=used_s)


def main() -> None:
    """Measures every clip at every length."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("clips", nargs="+", type=Path)
    parser.add_argument("--seconds", nargs="+", type=float, default=[1.3, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0])
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--loudest", action="store_true")
    parser.add_argument("--model", type=Path, default=MODEL, help="exported folder")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    whisper, texts = Whisper(), HELD_OUT.read_text(encoding="utf-8").splitlines()[: arguments.count]
    model = TTSModel.load_model(config=arguments.model / f"{arguments.model.name}.yaml")
    words = sum(len(plain(text)) for text in texts)
    for seconds in arguments.seconds:
        total = 0
        for path in arguments.clips:
            clip = clip_of(path, seconds, arguments.loudest)
            state = model.get_state_for_audio_prompt(torch.from_numpy(clip.samples))
            wrong = 0
            for text in texts:
                heard = whisper.hear(model.generate_audio(state, text, seed=0).numpy())
                wrong += word_errors(plain(text), plain(heard))
            total += wrong
            used = len(clip.samples) / model.sample_rate
            print(f"{seconds:5.1f} s ({used:4.1f}) {path.name}: word error {wrong / words:.1%}", flush=True)
        print(f"{seconds:5.1f} s of all: {total / words / len(arguments.clips):.1%}", flush=True)


if __name__ == "__main__":
    main()
