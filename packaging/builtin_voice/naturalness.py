"""How natural a sound is, as two public predictors hear it; neither needs a reference. Used by `evaluate.py`.

DistillMOS (arXiv 2502.05356; a small copy of a large listener, 1 to 5) and DNSMOS P.835 (arXiv 2110.01763; the overall score).
The weights are inside the packages: `pip install --no-deps distillmos xls-r-sqa speechmos`.
"""

import sys
import types
from dataclasses import dataclass

import numpy as np
import soxr

RATE, HEARD_RATE = 24000, 16000
SHORTEST_S = 1.0  # what is shorter is repeated: neither was trained on less


@dataclass(frozen=True)
class Naturalness:
    """1 to 5, more is better."""

    distillmos: float
    dnsmos: float


def _distillmos() -> types.ModuleType:
    """The package, which imports torchaudio for reading files only.

    WORKAROUND: torchaudio has no build for every torch, and nothing here reads files; empty modules do.
    """
    if "torchaudio" not in sys.modules:
        torchaudio = types.ModuleType("torchaudio")
        torchaudio.transforms = types.ModuleType("torchaudio.transforms")  # type: ignore[attr-defined]
        sys.modules |= {"torchaudio": torchaudio, "torchaudio.transforms": torchaudio.transforms}
    import distillmos

    return distillmos


class Listener:
    """Both predictors, loaded once."""

    def __init__(self) -> None:
        import torch
        from speechmos import dnsmos

        self._torch, self._dnsmos = torch, dnsmos
        self._model = _distillmos().ConvTransformerSQAModel().eval()

    def hear(self, samples: np.ndarray) -> Naturalness:
        """The naturalness of samples of 24 kHz."""
        heard = soxr.resample(samples.astype(np.float32), RATE, HEARD_RATE)
        heard = np.clip(np.tile(heard, int(np.ceil(SHORTEST_S * HEARD_RATE / len(heard)))), -1, 1)
        with self._torch.no_grad():
            distilled = float(self._model(self._torch.from_numpy(heard)[None]).ravel()[0])
        return Naturalness(distilled, float(self._dnsmos.run(heard, HEARD_RATE)["ovrl_mos"]))
