"""The fixed latents of the built-in voice: 96 numbers per 80 ms frame, computed from the sound, nothing learnt.

A frame is eight slots of 10 ms. Each slot gives 64 log-mel energies, reduced to spectral components (PCA), a pitch and a voicing.
Every such track is expanded over the eight slots in cosines, and the 57 strongest (component, cosine) pairs, three cosines of
the pitch and three of the voicing are scaled to unit variance. Sixteen numbers are phases: that of the fundamental at the end of
each slot, as cosine and sine. With them the decoder knows where the pulses of the voice lie, and learns the wave itself; without
them it has to make up its own, and buzzes. They follow from the last phase of the frame before and from the pitch; so that FlowLM
has heard both, a frame tells the pitch of the frame after it. Sixteen numbers are plain noise, new in every frame: without them a
decoder can only repeat one hiss every 80 ms; FlowLM learns to pass its own noise through. The last number is the constant 1: the
decoder has no bias before its upsampling, and the constant gives it a clock inside the frame.

Because the expansion is separable, the decoder's depthwise upsampling (one temporal kernel a channel) can undo it exactly: the
vocoder starts from a readable input and trains in parallel with the language model. Frame t covers the samples
[1920 t, 1920 (t + 1)); the analysis window reaches 280 samples beyond.
"""

import dataclasses
import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import numpy as np

SAMPLE_RATE, FRAME, SLOT, SLOTS = 24000, 1920, 240, 8
MELS, FFT, WINDOW = 64, 1024, 800
SPECTRAL, PITCH_COSINES, VOICING_COSINES, PHASES, NOISES = 57, 3, 3, 2 * SLOTS, 16
PHASED = SPECTRAL + PITCH_COSINES + VOICING_COSINES  # where the phases begin: a cosine and a sine a slot
MEASURED = PHASED + PHASES
LATENTS = MEASURED + NOISES + 1


def mel_filters() -> np.ndarray:
    """(MELS, FFT / 2 + 1) triangles between 40 Hz and 11 kHz."""
    low, high = (2595 * np.log10(1 + f / 700) for f in (40.0, 11000.0))
    points = 700 * (10 ** (np.linspace(low, high, MELS + 2) / 2595) - 1)
    bins = np.arange(FFT // 2 + 1) * SAMPLE_RATE / FFT
    rising = (bins - points[:-2, None]) / (points[1:-1] - points[:-2])[:, None]
    falling = (points[2:, None] - bins) / (points[2:] - points[1:-1])[:, None]
    filters = np.clip(np.minimum(rising, falling), 0, None)
    return (filters / np.maximum(filters.sum(1, keepdims=True), 1e-6)).astype(np.float32)


def cosines(count: int) -> np.ndarray:
    """(count, SLOTS) orthonormal cosines over the slots of a frame."""
    k, n = np.arange(count)[:, None], np.arange(SLOTS)[None]
    table = np.cos(np.pi * k * (n + 0.5) / SLOTS) * np.sqrt(2 / SLOTS)
    table[0] /= np.sqrt(2)
    return table.astype(np.float32)


def _windows(samples: np.ndarray, size: int, slots: int, decimation: int = 1) -> np.ndarray:
    """(slots, size) windows centred on the slots."""
    hop = SLOT // decimation
    padded = np.pad(samples, (size // 2 - hop // 2, size + hop))
    return np.lib.stride_tricks.sliding_window_view(padded, size)[: slots * hop : hop]


def log_mel(samples: np.ndarray, slots: int) -> np.ndarray:
    """(slots, MELS) natural logarithms of mel energies."""
    spectrum = np.fft.rfft(_windows(samples, WINDOW, slots) * np.hanning(WINDOW).astype(np.float32), FFT)
    return np.log(np.abs(spectrum).astype(np.float32) @ mel_filters().T + 3e-3)


def pitch_track(samples: np.ndarray, slots: int) -> tuple[np.ndarray, np.ndarray]:
    """Log pitch (unvoiced stretches interpolated) and voicing 0..1 per slot, by autocorrelation at 8 kHz."""
    kernel = np.hanning(9)
    low = np.convolve(samples, kernel / kernel.sum(), "same")[1::3]
    size, shortest, longest = 400, 20, 115
    windows = _windows(low, size, slots, 3)
    windows = (windows - windows.mean(1, keepdims=True)) * np.hanning(size)
    power = np.abs(np.fft.rfft(windows, 1024)) ** 2
    correlation = np.fft.irfft(power)[:, : longest + 2]
    taper = np.fft.irfft(np.abs(np.fft.rfft(np.hanning(size), 1024)) ** 2)[: longest + 2]
    correlation = correlation / (correlation[:, :1] + 1e-2) / (taper / taper[0])
    lags = np.arange(shortest, longest + 1)
    best = (correlation[:, shortest : longest + 1] - 0.0006 * lags).argmax(1) + shortest
    rows = np.arange(slots)
    left, middle, right = (correlation[rows, best + d] for d in (-1, 0, 1))
    shift = 0.5 * (left - right) / np.minimum(left - 2 * middle + right, -1e-6)
    voicing = np.clip(middle, 0, 1)
    logs = np.log(8000 / (best + np.clip(shift, -1, 1)))
    padded = np.pad(logs, 2, mode="edge")
    logs = np.median(np.lib.stride_tricks.sliding_window_view(padded, 5), axis=1)
    voiced = np.flatnonzero(voicing > 0.55)
    if len(voiced) == 0:
        return np.full(slots, 5.2, np.float32), voicing.astype(np.float32)
    return np.interp(rows, voiced, logs[voiced]).astype(np.float32), voicing.astype(np.float32)


def phases(samples: np.ndarray, pitch: np.ndarray, voicing: np.ndarray) -> np.ndarray:
    """(slots, 2): cosine and sine of the fundamental's phase at the end of each slot, nought where unvoiced.

    `pitch` (logarithms) and `voicing` are those of the slots. The sound is demodulated at the pitch over three periods.
    """
    rates = np.exp(0.5 * (pitch + np.append(pitch[1:], pitch[-1])))
    reach = 450  # samples: a period and a half of the lowest pitch
    padded = np.pad(samples, (reach, reach + SLOT))
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1)[SLOT::SLOT][: len(pitch)]
    offsets = np.arange(-reach, reach + 1)
    halves = np.minimum(reach, 1.5 * SAMPLE_RATE / rates)[:, None]
    shape = np.where(np.abs(offsets) < halves, 1 + np.cos(np.pi * offsets / halves), 0)
    tone = (windows * shape * np.exp(-2j * np.pi * rates[:, None] * offsets / SAMPLE_RATE)).sum(1)
    heard = np.clip((0.5 * (voicing + np.append(voicing[1:], 0)) - 0.4) / 0.3, 0, 1)
    phase = heard * tone / np.maximum(np.abs(tone), 1e-9)
    return np.stack([phase.real, phase.imag], axis=1).astype(np.float32)


@dataclasses.dataclass(frozen=True)
class Basis:
    """What is fitted once on some speech; kept beside the checkpoints."""

    mel_mean: np.ndarray  # (MELS,)
    components: np.ndarray  # (spectral components, MELS), orthonormal rows
    pairs: np.ndarray  # (SPECTRAL, 2): component, cosine
    mean: np.ndarray  # (MEASURED,)
    std: np.ndarray  # (MEASURED,): also how much each number matters, in log-mel units

    @classmethod
    def load(cls, path: Path) -> "Basis":
        """The basis written by `save`."""
        with np.load(path) as stored:
            return cls(**{field.name: stored[field.name] for field in dataclasses.fields(cls)})

    def save(self, path: Path) -> None:
        """One npz file."""
        np.savez(path, **dataclasses.asdict(self))

    def raw(self, samples: np.ndarray) -> np.ndarray:
        """(samples,) -> (frames, MEASURED), not yet scaled."""
        return expand(samples, self.mel_mean, self.components, self.pairs)

    def latents(self, samples: np.ndarray) -> np.ndarray:
        """(samples,) floats -> (frames, LATENTS), the noises nought; the last frame is filled up with silence."""
        scaled = (self.raw(samples) - self.mean) / self.std
        rest = np.zeros((len(scaled), NOISES)), np.ones((len(scaled), 1))
        return np.concatenate([scaled, *rest], axis=1).astype(np.float32)

    def importance(self) -> np.ndarray:
        """(LATENTS,) weight of each number in a loss: the root of its share of the log-mel variance; pitch in the middle."""
        weight = np.concatenate([np.sqrt(self.std / self.std[:SPECTRAL].max()), np.full(NOISES, 0.2), [0.0]])
        weight[SPECTRAL:PHASED] = 0.6, 0.4, 0.2, 0.6, 0.4, 0.2
        weight[PHASED:MEASURED] = 0  # they have a loss of their own
        return weight.astype(np.float32)


def expand(
    samples: np.ndarray, mel_mean: np.ndarray, components: np.ndarray, pairs: np.ndarray
) -> np.ndarray:
    """Tracks of the sound expanded in cosines over the slots of each frame."""
    frames = -(-len(samples) // FRAME)
    samples = np.pad(samples, (0, frames * FRAME - len(samples)))
    slots = frames * SLOTS
    tracks = (log_mel(samples, slots) - mel_mean) @ components.T
    expanded = np.einsum("fsm,ks->fmk", tracks.reshape(frames, SLOTS, -1), cosines(SLOTS))
    logs, heard = pitch_track(samples, slots)
    pitch, voicing = logs.reshape(frames, SLOTS), heard.reshape(frames, SLOTS)
    ahead = np.concatenate([pitch[1:], pitch[-1:]])
    return np.concatenate(
        [
            expanded[:, pairs[:, 0], pairs[:, 1]],
            ahead @ cosines(PITCH_COSINES).T,
            voicing @ cosines(VOICING_COSINES).T,
            phases(samples, logs, heard).reshape(frames, PHASES),
        ],
        axis=1,
    )


def fit_basis(utterances: list[np.ndarray]) -> Basis:
    """PCA of the log-mel slots, then the strongest (component, cosine) pairs."""
    mels = np.concatenate([log_mel(x, len(x) // FRAME * SLOTS) for x in utterances])
    mel_mean = mels.mean(0)
    values, vectors = np.linalg.eigh(np.cov((mels - mel_mean).T))
    components = vectors[:, ::-1].T[:32].astype(np.float32)
    tracks = ((mels - mel_mean) @ components.T).reshape(-1, SLOTS, len(components))
    variance = np.einsum("fsm,ks->fmk", tracks, cosines(SLOTS)).var(0)
    order = np.argsort(variance.ravel())[::-1][:SPECTRAL]
    pairs = np.stack(np.unravel_index(order, variance.shape), axis=1)
    total = values.sum() * SLOTS
    print(f"{SPECTRAL} numbers keep {variance.ravel()[order].sum() / total:.1%} of the log-mel variance")
    raw = np.concatenate([expand(x, mel_mean, components, pairs) for x in utterances])
    mean, std = raw.mean(0).astype(np.float32), raw.std(0).astype(np.float32)
    mean[PHASED:], std[PHASED:] = 0.0, 1.0
    return Basis(mel_mean, components, pairs, mean, std)


def with_noise(latents: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A copy with new noise in every frame."""
    made = latents.copy()
    made[..., MEASURED:-1] = rng.standard_normal((*latents.shape[:-1], NOISES), np.float32)
    return made


def read_shard(path: Path) -> list[tuple[np.ndarray, dict]]:
    """A speech shard -> (samples as int16, meta) per sentence."""
    with np.load(path) as stored:
        pcm, lengths, meta = stored["pcm"], stored["lengths"], json.loads(str(stored["meta"]))
    stops = np.cumsum(lengths)
    return [(pcm[stop - n : stop], m) for stop, n, m in zip(stops, lengths, meta, strict=True)]


def as_float(pcm: np.ndarray) -> np.ndarray:
    """int16 -> float32 in -1..1."""
    return pcm.astype(np.float32) / 32768


def shards(work: Path, pattern: str) -> list[Path]:
    """Finished speech shards, in order; `pattern` is a comma-separated list such as "kokoro_*,flite_slt_*"."""
    found = [path for part in pattern.split(",") for path in (work / "speech").glob(f"{part}.npz")]
    return [path for path in sorted(found) if ".part." not in path.name]


def voice_shares(work: Path, named: dict[str, float]) -> dict[str, float]:
    """`named`, with the share of "others" divided among all the voices in WORK/speech that it does not name."""
    present = {path.stem.rpartition("_")[0] for path in shards(work, "*")}
    others = sorted(present - named.keys()) if "others" in named else []
    shares = {voice: share for voice, share in named.items() if voice != "others"}
    return shares | {voice: named["others"] / len(others) for voice in others}


def load_basis(work: Path, voices: Iterable[str] = (), start: Path | None = None) -> Basis:
    """WORK/basis.npz; when missing that of `start`, or one fitted on the first shards of the first two of `voices`."""
    path = work / "basis.npz"
    if not path.exists() and start is not None and (start / "basis.npz").exists():
        shutil.copy(start / "basis.npz", path)
    if not path.exists():
        assert voices, f"no {path} yet: begin with a training"
        chosen = [shard for voice in list(voices)[:2] for shard in shards(work, f"{voice}_*")[:3]]
        fit_basis([as_float(pcm) for shard in chosen for pcm, _ in read_shard(shard)]).save(path)
    return Basis.load(path)


def cached_latents(work: Path, shard: Path, basis: Basis) -> list[np.ndarray]:
    """Latents of a shard's sentences, computed once (WORK/latents)."""
    path = work / "latents" / shard.name
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        all_latents = [basis.latents(as_float(pcm)).astype(np.float16) for pcm, _ in read_shard(shard)]
        part = path.with_suffix(f".{os.getpid()}.part.npz")  # two trainings may come here at once
        np.savez(part, latents=np.concatenate(all_latents), lengths=np.array([len(z) for z in all_latents]))
        part.rename(path)
    return stored_latents(path)


def stored_latents(path: Path) -> list[np.ndarray]:
    """The latents in a file of WORK/latents or WORK/predicted, per sentence."""
    with np.load(path) as stored:
        stops, latents, lengths = np.cumsum(stored["lengths"]), stored["latents"], stored["lengths"]
    return [latents[stop - n : stop].astype(np.float32) for stop, n in zip(stops, lengths, strict=True)]
