"""Second round of FlowLM: it learns from its own history. `python distil.py --work WORK --minutes 20`.

The one-step head needs no distillation from a many-step one (it is trained with the energy score from the start). What is left
to close is the gap between training, where every frame follows true frames, and speaking, where it follows the model's own. Each
step runs the model over the true history without gradients, puts its own samples in the place of a share of the true frames,
and trains on the result; twice over for a quarter of the batches, so that mistakes can follow mistakes. Starts from flow_lm.pt,
writes flow_lm_own.pt.
"""

import argparse
import shutil
from pathlib import Path

import torch
from features import LATENTS, load_basis
from torch import Tensor
from train_codec import parse_weights
from train_flow_lm import Batch, Sentences, losses_of, run_transformer
from training import CONFIG, Loop, model_config

from pocketvoice.model.flow_lm import FlowLM


@torch.no_grad()
def own_samples(lm: FlowLM, batch: Batch, temp: float) -> Tensor:
    """(rows, frames, LATENTS): what the model would say for every frame of the batch."""
    with torch.autocast(batch.inputs.device.type, torch.bfloat16):
        hidden, _ = run_transformer(lm, batch)
        noise = torch.randn(*hidden.shape[:2], LATENTS, device=hidden.device) * temp**0.5
        return lm.sample(hidden, noise, 1).float()


def replace_history(lm: FlowLM, batch: Batch, samples: Tensor, share: float) -> None:
    """Puts the model's own frames into the batch's input; the input after frame j is frame j."""
    chosen = torch.rand(samples.shape[:2], device=samples.device) < share
    chosen = chosen & batch.valid
    chosen[:, :-1] &= batch.valid[:, 1:]
    chosen[:, -1] = False
    rows, frames = torch.nonzero(chosen, as_tuple=True)
    inputs = batch.inputs.clone()
    inputs[rows, batch.where[rows, frames] + 1] = lm.input_linear(samples[rows, frames])
    batch.inputs = inputs


def main() -> None:
    """Trains until the budget ends."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--voices", default="kokoro_jf_tebukuro=1,flite_slt=1")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--frames", type=int, default=500)
    parser.add_argument("--rate", type=float, default=8e-4)
    parser.add_argument(
        "--share", type=float, default=0.7, help="final share of the history that is the model's own"
    )
    parser.add_argument("--temp", type=float, default=0.3)
    parser.add_argument("--guide", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    work = arguments.work
    if not (work / "flow_lm_own.pt").exists():
        shutil.copy(work / "flow_lm.pt", work / "flow_lm_own.pt")
    lm = FlowLM(model_config().flow_lm, LATENTS, CONFIG["mimi"]["inner_dim"]).to(arguments.device)
    loop = Loop(
        work / "flow_lm_own.pt", lm, arguments.rate, arguments.minutes, 50, decay=0.8, betas=(0.9, 0.98)
    )
    first = loop.step
    basis = load_basis(work)
    data = Sentences(work, parse_weights(arguments.voices), basis, arguments.seed + loop.step)
    data.refresh()
    weight = torch.from_numpy(basis.importance()).to(arguments.device)

    def losses(step: int) -> dict[str, Tensor]:
        batch = Batch(lm, data.batch(arguments.frames, 150), 0.2, 0.03, arguments.device)
        for _ in range(2 if step % 4 == 0 else 1):
            samples = own_samples(lm, batch, arguments.temp * float(torch.rand(())))
            replace_history(lm, batch, samples, arguments.share * min(1.0, (step - first + 50) / 300))
        return losses_of(lm, batch, weight, arguments.guide)

    loop.run(losses)


if __name__ == "__main__":
    main()
