"""Sound for tests of voices: something with the levels, pauses and pitch of speech, made in a moment; and small state files."""

from pathlib import Path

import numpy as np

RATE = 24_000


def babble(seconds: float, rate: int = RATE, *, rms_dbfs: float = -26.0, seed: int = 0) -> np.ndarray:
    """Syllables of a gliding voice in phrases of some 2 s with pauses between: passes for speech with all that judges by level and
    pitch. float32, (T,)."""
    random = np.random.default_rng(seed)
    count = int(seconds * rate)
    time = np.arange(count) / rate
    pitch = 120 + 25 * np.sin(2 * np.pi * 0.4 * time) + 10 * np.sin(2 * np.pi * 1.7 * time)
    voice = _smooth(2 * (np.cumsum(pitch) / rate % 1) - 1, rate // 4000)
    syllables = np.clip(np.sin(2 * np.pi * 2.1 * time) + 0.6, 0, None)
    phrases = ((time + 0.2) % 2.5 > 0.45).astype(float)
    gate = _smooth(_smooth(syllables * phrases, rate // 60), rate // 60)
    sound = voice * gate + 1e-4 * random.standard_normal(count)
    return (sound * 10 ** (rms_dbfs / 20) / np.sqrt(np.mean(np.square(sound)))).astype(np.float32)


def _smooth(values: np.ndarray, width: int) -> np.ndarray:
    """The mean of `width` neighbours."""
    sums = np.cumsum(np.concatenate([np.zeros(width), values]))
    return (sums[width:] - sums[:-width]) / width if width > 1 else values


def write_state(
    path: Path, model_id: str = "tiny-0123456789abcdef", layers: int = 2, length: int = 6
) -> Path:
    """A voice state of a small model, as ours or (without a model id) the reference writes it."""
    from safetensors.numpy import save_file

    random = np.random.default_rng(len(model_id))
    tensors = {}
    for layer in range(layers):
        name = f"transformer.layers.{layer}.self_attn"
        tensors[f"{name}/cache"] = random.standard_normal((2, 1, length, 2, 8)).astype(np.float32)
        tensors[f"{name}/offset"] = np.array([length])
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(tensors, path, {"model_id": model_id} if model_id else None)
    return path
