"""How loud a mono sound is to a listener (ITU-R BS.1770, EBU R 128), and a limiter that keeps its peaks below a ceiling.

Numpy alone: the K-weighting is a short impulse response, applied in blocks. A meter belongs to one thread.
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from pocketvoice.audio.chunk import Samples

SILENCE = float("-inf")
"""The loudness of a sound without any block above the absolute gate."""

_HOP_S = 0.1  # blocks of 0.4 s overlap by three quarters
_HOPS = 4
_OFFSET = -0.691  # LU: so that a full-scale sine of 997 Hz has -3.01 LUFS
_ABSOLUTE_GATE = -70.0  # LUFS
_RELATIVE_GATE = -10.0  # LU
_RESPONSE_S = 0.25  # behind that the high-pass has faded by more than 200 dB
_FFT = 1 << 16

CEILING = 10 ** (-1.0 / 20)
"""Peaks stay below: -1 dB of full scale, room for what an encoder adds."""
_STEP = 24  # samples of which the limiter takes one peak
_REACH = 12  # steps: so long before and behind a peak it glides


class LoudnessMeter:
    """Measures a mono sound piece by piece."""

    def __init__(self, sample_rate: int) -> None:
        self._hop = round(_HOP_S * sample_rate)
        self._response = k_weighting(sample_rate)
        self._spectrum = np.fft.rfft(self._response, _FFT)
        self._input: list[NDArray[np.float64]] = [np.zeros(len(self._response) - 1)]
        self._waiting = 0
        self._rest = np.zeros(0)  # weighted samples that fill no hop yet
        self._energies: list[NDArray[np.float64]] = []

    def push(self, samples: Samples) -> None:
        """Takes the next samples (T,), full scale at -1 and 1."""
        self._input.append(samples.astype(np.float64))
        self._waiting += len(samples)
        if self._waiting >= _FFT:
            self._weigh()

    def energies(self) -> NDArray[np.float64]:
        """The mean square of each 0.1 s so far, K-weighted."""
        self._weigh()
        return np.concatenate(self._energies) if self._energies else np.zeros(0)

    def integrated(self) -> float:
        """The loudness of all that was pushed, LUFS."""
        return integrated(self.energies())

    def _weigh(self) -> None:
        history = len(self._response) - 1
        signal = np.concatenate(self._input)
        room = _FFT - history
        weighted = [self._rest]
        for start in range(0, len(signal) - history, room):
            part = signal[start : start + _FFT]
            whole = np.fft.irfft(np.fft.rfft(part, _FFT) * self._spectrum, _FFT)
            weighted.append(whole[history : len(part)])
        self._input, self._waiting = [signal[len(signal) - history :]], 0
        ready = np.concatenate(weighted)
        hops = len(ready) // self._hop
        self._energies.append(np.mean(np.square(ready[: hops * self._hop].reshape(hops, self._hop)), axis=1))
        self._rest = ready[hops * self._hop :]


def integrated(energies: NDArray[np.float64]) -> float:
    """The gated loudness of mean squares of 0.1 s each, LUFS; `SILENCE` if nothing is above the gate."""
    if len(energies) < _HOPS:
        blocks = energies.mean(keepdims=True) if len(energies) else energies
    else:
        blocks = sliding_window_view(energies, _HOPS).mean(axis=1)
    heard = blocks[_lufs(blocks) > _ABSOLUTE_GATE]
    if not len(heard):
        return SILENCE
    gate = float(_lufs(heard.mean(keepdims=True))[0]) + _RELATIVE_GATE
    return float(_lufs(heard[_lufs(heard) > gate].mean(keepdims=True))[0])


def _lufs(energies: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(_OFFSET + 10 * np.log10(np.maximum(energies, 1e-20)))


def k_weighting(sample_rate: int) -> NDArray[np.float64]:
    """The impulse response of the filter of BS.1770 (a high shelf, then a high-pass) at any rate.

    The two filters are those of the standard's table for 48 kHz, by their analogue parameters.
    """
    shelf_k = np.tan(np.pi * 1681.974450955533 / sample_rate)
    shelf_q, high = 0.7071752369554196, 10 ** (3.999843853973347 / 20)
    band = high**0.4996667741545416
    norm = 1 + shelf_k / shelf_q + shelf_k**2
    shelf = (
        np.array([high + band * shelf_k / shelf_q + shelf_k**2, 2 * (shelf_k**2 - high), 0]) / norm,
        np.array([2 * (shelf_k**2 - 1), 1 - shelf_k / shelf_q + shelf_k**2]) / norm,
    )
    shelf[0][2] = (high - band * shelf_k / shelf_q + shelf_k**2) / norm
    pass_k, pass_q = np.tan(np.pi * 38.13547087602444 / sample_rate), 0.5003270373238773
    norm = 1 + pass_k / pass_q + pass_k**2
    high_pass = (
        np.array([1.0, -2.0, 1.0]),
        np.array([2 * (pass_k**2 - 1), 1 - pass_k / pass_q + pass_k**2]) / norm,
    )
    impulse = np.zeros(round(_RESPONSE_S * sample_rate))
    impulse[0] = 1.0
    return _filtered(_filtered(impulse, *shelf), *high_pass)


def _filtered(
    signal: NDArray[np.float64], forward: NDArray[np.float64], back: NDArray[np.float64]
) -> NDArray[np.float64]:
    """A second-order filter, sample by sample; only ever for the impulse."""
    out = np.convolve(signal, forward)[: len(signal)]
    before, earlier = 0.0, 0.0
    for at in range(len(out)):
        out[at] -= back[0] * before + back[1] * earlier
        before, earlier = out[at], before
    return out


def limited(samples: Samples, ceiling: float = CEILING) -> Samples:
    """The sound with what exceeds the ceiling turned down, gliding there and back within 12 ms; the rest as it is."""
    steps = -(-len(samples) // _STEP)
    padded = np.zeros(steps * _STEP, np.float32)
    padded[: len(samples)] = np.abs(samples)
    peaks = padded.reshape(steps, _STEP).max(axis=1)
    if not len(peaks) or peaks.max() <= ceiling:
        return samples
    wanted = np.minimum(1.0, ceiling / np.maximum(peaks, 1e-9))
    # The least of all steps near, then a mean of fewer: nowhere more than its own step may have.
    near = sliding_window_view(np.pad(wanted, _REACH + 1, constant_values=1.0), 2 * _REACH + 3).min(axis=1)
    smooth = sliding_window_view(np.pad(near, _REACH, mode="edge"), 2 * _REACH + 1).mean(axis=1)
    gains = np.interp(np.arange(len(samples)), (np.arange(steps) + 0.5) * _STEP, smooth)
    return np.asarray(samples * gains, np.float32)
