"""How much a clone sounds like its clip: cosine of speaker embeddings, reported and not judged.

    pip download --no-deps resemblyzer && python similarity.py resemblyzer-*.whl CLIP... [--language builtin_en]

The embedding is Resemblyzer's (Apache 2.0; an LSTM over 40 mel bands, from the package's own `pretrained.pt`), computed here, so
that nothing has to be compiled. For scale: halves of one recording, and recordings of different speakers.
"""

import argparse
import io
import itertools
import zipfile
from pathlib import Path

import numpy as np
import torch

from pocketvoice.audio.reading import read_audio
from pocketvoice.engine.tts_model import TTSModel, use_threads

RATE, WINDOW, STEP, BANDS = 16_000, 400, 160, 40
FRAMES = 160  # 1.6 s at a time, half of it overlapping
TEXT = (
    "I should explain why I was late. The train was already standing at the platform, "
    "so I jumped on without looking at the sign."
)


class SpeakerEncoder(torch.nn.Module):
    """(B, FRAMES, BANDS) mel power -> (B, 256) on the unit sphere."""

    def __init__(self, wheel: Path) -> None:
        super().__init__()
        self.lstm = torch.nn.LSTM(BANDS, 256, 3, batch_first=True)
        self.linear = torch.nn.Linear(256, 256)
        with zipfile.ZipFile(wheel) as package:
            data = io.BytesIO(package.read("resemblyzer/pretrained.pt"))
        self.load_state_dict(
            torch.load(data, map_location="cpu", weights_only=True)["model_state"], strict=False
        )

    def forward(self, mel: torch.Tensor) -> torch.Tensor:
        _, (hidden, _) = self.lstm(mel)
        return torch.nn.functional.normalize(torch.relu(self.linear(hidden[-1])), dim=1)

    @torch.no_grad()
    def speaker(self, samples: np.ndarray) -> np.ndarray:
        """The speaker of a sound (T,) at 16 kHz."""
        gain = max(1.0, 10 ** (-30 / 20) / float(np.sqrt(np.mean(np.square(samples)))))
        mel = mel_power(samples * gain)
        pieces = [mel[at : at + FRAMES] for at in range(0, len(mel) - FRAMES + 1, FRAMES // 2)]
        mean = self(torch.from_numpy(np.stack(pieces))).mean(dim=0)
        return torch.nn.functional.normalize(mean, dim=0).numpy()


def mel_power(samples: np.ndarray) -> np.ndarray:
    """(frames, BANDS), bands of equal area on Slaney's scale."""
    padded = np.pad(samples, WINDOW // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::STEP] * np.hanning(WINDOW + 1)[:-1]
    return (np.square(np.abs(np.fft.rfft(frames))) @ mel_bands().T).astype(np.float32)


def mel_bands() -> np.ndarray:
    """(BANDS, WINDOW / 2 + 1) triangles."""
    log_step = np.log(6.4) / 27
    top = 15 + np.log(RATE / 2 / 1000) / log_step
    mels = np.linspace(0, top, BANDS + 2)
    points = np.where(mels < 15, mels * 200 / 3, 1000 * np.exp((mels - 15) * log_step))
    ramps = points[:, None] - np.linspace(0, RATE / 2, WINDOW // 2 + 1)
    widths = np.diff(points)[:, None]
    triangles = np.maximum(0, np.minimum(-ramps[:-2] / widths[:-1], ramps[2:] / widths[1:]))
    return triangles * (2 / (points[2:] - points[:-2]))[:, None]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheel", type=Path, help="the package resemblyzer")
    parser.add_argument("clips", type=Path, nargs="+", help="recordings, one speaker each")
    parser.add_argument("--language", default="builtin_en")
    options = parser.parse_args()
    use_threads(1)
    encoder = SpeakerEncoder(options.wheel)
    sounds = {clip.stem: read_audio(clip, rate=RATE).samples for clip in options.clips}
    speakers = {name: encoder.speaker(sound) for name, sound in sounds.items()}
    for name, sound in sounds.items():
        first, second = (encoder.speaker(half) for half in np.array_split(sound, 2))
        print(f"{name}: halves of the clip {first @ second:.2f}")
    for one, other in itertools.combinations(speakers, 2):
        print(f"{one} and {other}: {speakers[one] @ speakers[other]:.2f}")
    model = TTSModel.load_model(options.language)
    for clip in options.clips:
        state = model.get_state_for_audio_prompt(clip)
        speech = model.generate_audio(state, TEXT, seed=1).numpy()
        clone = encoder.speaker(at_16k(speech, model.sample_rate))
        others = ", ".join(f"{name} {clone @ speaker:.2f}" for name, speaker in speakers.items())
        print(f"clone of {clip.stem}: {others}")


def at_16k(samples: np.ndarray, rate: int) -> np.ndarray:
    """At the encoder's rate."""
    from pocketvoice.audio.resample import resample

    return resample(samples, rate, RATE)


if __name__ == "__main__":
    main()
