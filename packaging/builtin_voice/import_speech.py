"""Teacher's speech kept as Opus beside JSON -> shards: `python import_speech.py --work WORK FOLDER`.

FOLDER holds NAME.ogg (40 sentences in a row, 24 kHz mono) and NAME.json (`lengths` in samples of each sentence, `meta` as in
`make_speech.py`). The sound is a tenth of the size of a shard, so this is how speech that took hours travels. Shards that exist
are skipped.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import soundfile
from make_speech import SAMPLE_RATE


def imported(sound: Path) -> tuple[np.ndarray, np.ndarray, list[dict]]:
    """One pair of files -> pcm (int16), lengths (samples) and meta; ValueError if they do not belong together."""
    described = json.loads(sound.with_suffix(".json").read_text(encoding="utf-8"))
    lengths, meta = np.array(described["lengths"]), described["meta"]
    pcm, rate = soundfile.read(sound, dtype="int16")
    missing = int(lengths.sum()) - len(pcm)
    if rate != SAMPLE_RATE or len(lengths) != len(meta) or abs(missing) > SAMPLE_RATE // 10:
        raise ValueError(f"{sound} does not fit its JSON.")
    return np.pad(pcm, (0, max(0, missing)))[: lengths.sum()], lengths, meta


def main() -> None:
    """Writes WORK/speech/kokoro_VOICE_00NNN.npz for every VOICE_NNNN; five digits come before the four of make_speech.py."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    (arguments.work / "speech").mkdir(parents=True, exist_ok=True)
    for sound in sorted(arguments.folder.glob("*.ogg")):
        voice, _, number = sound.stem.rpartition("_")
        path = arguments.work / "speech" / f"kokoro_{voice}_{int(number):05d}.npz"
        if not path.exists():
            pcm, lengths, meta = imported(sound)
            part = path.with_suffix(".part.npz")
            np.savez(part, pcm=pcm, lengths=lengths, meta=np.array(json.dumps(meta)))
            part.rename(path)
            print(f"{path.stem}: {lengths.sum() / SAMPLE_RATE / 60:.1f} min", flush=True)


if __name__ == "__main__":
    main()
