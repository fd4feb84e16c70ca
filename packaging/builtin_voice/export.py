"""Writes the model in the official format: `python export.py --work WORK --out resources/models/builtin_en`.

OUT gets builtin_en.yaml (paths relative to the folder), model.safetensors (bf16), tokenizer.model, NOTICE and, per voice,
voices/NAME.safetensors (the key/value state after the voice prompt) and voices/NAME.flac (the clip it was made from).
`--absolute` writes absolute paths into the yaml instead, for the reference package, which does not resolve relative ones.
`--unfinished` writes only what a training goes on from elsewhere (`--start OUT`): the weights, the adversaries' too, and the basis.
"""

import argparse
import shutil
from pathlib import Path

import safetensors.torch
import soundfile
import torch
from evaluate import Speaker, load_codec, load_flow_lm
from features import FRAME, as_float, load_basis, read_shard, shards
from torch import Tensor
from training import write_config

NOTICE = Path(__file__).with_name("NOTICE")
PROMPT_FRAMES = 25


def voice_clip(work: Path, voice: str, number: int) -> tuple[Tensor, object]:
    """Latents of the prompt and the clip's samples: whole frames at the end of a sentence of the held-back first shard."""
    pcm, _ = read_shard(shards(work, f"{voice}_*")[0])[number]
    samples = as_float(pcm)
    latents = torch.from_numpy(load_basis(work).latents(samples))
    frames = len(samples) // FRAME
    begin = max(0, frames - PROMPT_FRAMES)
    return latents[begin:frames], samples[begin * FRAME : frames * FRAME]


def voice_state(speaker: Speaker) -> dict[str, Tensor]:
    """The state after the prompt, in the layout of the reference's exported voices."""
    state = {}
    for number, (k, v) in enumerate(speaker.voice):
        name = f"transformer.layers.{number}.self_attn"
        state[f"{name}/cache"] = torch.stack([k, v])[:, None].contiguous()
        state[f"{name}/offset"] = torch.tensor([len(k)])
    return state


@torch.no_grad()
def main() -> None:
    """Exports the checkpoints of WORK."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--voices",
        default="heart=kokoro_af_heart:3,michael=kokoro_am_michael:3",
        help="NAME=VOICE:SENTENCE of the first shard, comma-separated",
    )
    parser.add_argument("--name", default="flow_lm", help="FlowLM checkpoint(s), comma-separated")
    parser.add_argument(
        "--start", type=Path, help="exported model that gives what has no checkpoint (see the trainings)"
    )
    parser.add_argument("--absolute", action="store_true")
    parser.add_argument("--unfinished", action="store_true")
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    lm, mimi = load_flow_lm(arguments.work, arguments.name), load_codec(arguments.work, arguments.start)
    tensors = {f"flow_lm.{k}": v for k, v in lm.state_dict().items()} | {
        f"mimi.{k}": v for k, v in mimi.state_dict().items()
    }
    stored = {
        k: (v.to(torch.bfloat16) if v.is_floating_point() else v).contiguous() for k, v in tensors.items()
    }
    if arguments.unfinished:
        judges = torch.load(arguments.work / "discriminators.pt", map_location="cpu", weights_only=True)[
            "judges"
        ]
        stored |= {f"adversaries.{k}": v.to(torch.bfloat16).contiguous() for k, v in judges.items()}
        shutil.copy(arguments.work / "basis.npz", out / "basis.npz")
        if not (arguments.work / "encoder.pt").exists():
            stored = {
                k: v for k, v in stored.items() if not k.startswith(("mimi.encoder", "mimi.downsample"))
            }
    safetensors.torch.save_file(stored, out / "model.safetensors")
    if arguments.unfinished:
        return
    (out / "voices").mkdir(exist_ok=True)
    lm.load_state_dict(
        {k.removeprefix("flow_lm."): v.float() for k, v in stored.items() if k.startswith("flow_lm.")}
    )
    shutil.copy(arguments.work / "tokenizer.model", out / "tokenizer.model")
    if NOTICE.exists():
        shutil.copy(NOTICE, out / "NOTICE")
    write_config(out, out / f"{out.name}.yaml", arguments.absolute)
    for part in arguments.voices.split(","):
        name, _, source = part.partition("=")
        voice, _, number = source.partition(":")
        prompt, samples = voice_clip(arguments.work, voice, int(number))
        safetensors.torch.save_file(voice_state(Speaker(lm, prompt)), out / "voices" / f"{name}.safetensors")
        soundfile.write(out / "voices" / f"{name}.flac", samples, 24000)
    for file in out.rglob("*.safetensors"):
        file.chmod(0o644)
    size = sum(f.stat().st_size for f in out.rglob("*") if f.is_file())
    print(f"{out}: {size / 1e6:.1f} MB, {sum(v.numel() for v in tensors.values()) / 1e6:.2f}M numbers")


if __name__ == "__main__":
    main()
