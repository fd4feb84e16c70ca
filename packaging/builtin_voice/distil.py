"""What the language model makes of the training sentences: `python distil.py --work WORK --name flow_lm`.

The one-step head needs no distillation: it is trained with a proper score from the start. What is distilled here goes to the
vocoder. It learnt from true latents, but at run time it gets the language model's, which are a little smoothed and a little off.
This script runs the trained FlowLM over the sentences (true history, noised as in its training) and keeps the frames that it
would say, in WORK/predicted; they are in time with the true sound. `train_codec.py --predicted 0.6` then learns to make the true
sound of them.
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from evaluate import load_flow_lm
from features import LATENTS, Basis, cached_latents, load_basis, read_shard, shards
from train_codec import parse_weights
from train_flow_lm import Batch, run_transformer, timing
from training import coarse_numbers

from pocketvoice.model.flow_lm import FlowLM

ROWS = 10  # sentences a batch
PROMPT_FRAMES = 18


@torch.no_grad()
def predicted(lm: FlowLM, batch: Batch, temp: float) -> list[np.ndarray]:
    """For each row the frames the model would say, as Mimi takes them: (frames, LATENTS)."""
    with coarse_numbers(batch.inputs.device.type):
        hidden, _ = run_transformer(lm, batch)
        noise = torch.randn(*hidden.shape[:2], LATENTS, device=hidden.device) * temp**0.5
        made = lm.sample(hidden, noise, 1).float()
    made[..., -1] = 1.0  # the constant
    return [row[valid].cpu().numpy() for row, valid in zip(made, batch.valid, strict=True)]


def predict_shard(
    lm: FlowLM, work: Path, shard: Path, basis: Basis, rng: np.random.Generator, options: argparse.Namespace
) -> None:
    """Writes WORK/predicted/SHARD: in the layout of the cached latents; sentences it can't speak keep the true ones."""
    true = cached_latents(work, shard, basis)
    long = [z for z in true if len(z) > PROMPT_FRAMES]
    metas = [meta for _, meta in read_shard(shard)]
    order = sorted(
        (i for i in range(len(true)) if metas[i]["pieces"] and len(true[i]) > 3), key=lambda i: len(true[i])
    )
    made = [z.astype(np.float16) for z in true]
    for begin in range(0, len(order), ROWS):
        chosen, examples = order[begin : begin + ROWS], []
        for i in chosen:
            other = long[rng.integers(len(long))]
            at = int(rng.integers(len(other) - PROMPT_FRAMES))
            times = timing(metas[i]["ends"], len(true[i]))
            examples.append((other[at : at + PROMPT_FRAMES], true[i], metas[i]["pieces"], times))
        batch = Batch(lm, examples, options.noise, 0.0, options.device)
        for i, frames in zip(chosen, predicted(lm, batch, options.temp), strict=True):
            made[i] = frames.astype(np.float16)
    path = work / "predicted" / shard.name
    part = path.with_suffix(".part.npz")
    np.savez(part, latents=np.concatenate(made), lengths=np.array([len(z) for z in made]))
    part.rename(path)


def main() -> None:
    """Predicts the first shards of each voice; those that exist already are made anew."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument(
        "--voices", default="kokoro_af_heart=60,kokoro_am_michael=60", help="how many shards of each voice"
    )
    parser.add_argument("--name", default="flow_lm", help="FlowLM checkpoint(s), comma-separated")
    parser.add_argument("--noise", type=float, default=0.5, help="on the history, as in the training")
    parser.add_argument("--temp", type=float, default=0.3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    work, rng = arguments.work, np.random.default_rng(arguments.seed)
    basis, lm = load_basis(work), load_flow_lm(work, arguments.name).to(arguments.device)
    (work / "predicted").mkdir(exist_ok=True)
    for voice, count in parse_weights(arguments.voices).items():
        for shard in shards(work, f"{voice}_*")[1 : 1 + int(count)]:
            predict_shard(lm, work, shard, basis, rng, arguments)
            print(f"{shard.stem} predicted", flush=True)


if __name__ == "__main__":
    main()
