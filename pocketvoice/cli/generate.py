"""`generate`: a text to a WAV file or, while it is made, to standard output. Also what `say` does without a loudspeaker.

The file is opened before the model is loaded: a minute of work does not end at a path that can't be written.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import time
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pocketvoice.cli import checks, process
from pocketvoice.cli.progress import SpeechLine, tell
from pocketvoice.errors import InputError
from pocketvoice.hub import catalogue

if TYPE_CHECKING:
    from pocketvoice.audio.wav import WavWriter
    from pocketvoice.cli.model import Speaker
    from pocketvoice.engine.events import SegmentCallback, SegmentEvent
    from pocketvoice.engine.generation import NoEosPolicy


def generate(options: argparse.Namespace) -> int:
    """Writes the speech to a WAV file or to standard output."""
    checks.check_model(options)
    checks.check_voice(options)
    to_output = options.output_path == "-"
    if to_output:
        _check_output(options)
    else:
        checks.check_writable(Path(options.output_path))
    given = catalogue.default_text(options.language) if options.text is None else options.text
    text = checks.text_of(given, strict=options.strict)
    return _to_output(text, options) if to_output else _to_file(text, options)


def _check_output(options: argparse.Namespace) -> None:
    if options.json:
        raise InputError("--json and --output-path - both want standard output: choose one.")
    process.check_output_takes_sound()


def _to_output(text: str, options: argparse.Namespace) -> int:
    from pocketvoice.audio.wav import WavWriter
    from pocketvoice.cli.model import fetch_speaker, load_speaker

    with process.output_for_sound() as stream:
        fetch_speaker(options)
        speaker = load_speaker(options)
        stream_of(
            speaker, text, options
        ).close()  # a text that says nothing is refused before the header is out
        with WavWriter(stream, speaker.model.sample_rate) as wav:
            write(speaker, text, options, wav)
    return 0


def _to_file(text: str, options: argparse.Namespace) -> int:
    from pocketvoice.audio.wav import WavWriter
    from pocketvoice.cli.model import fetch_speaker, load_speaker

    config = fetch_speaker(options)
    with WavWriter(options.output_path, config.mimi.sample_rate) as wav:
        speaker = load_speaker(options)
        started = time.monotonic()
        write(speaker, text, options, wav)
        seconds = wav.samples_written / wav.sample_rate
    took = time.monotonic() - started
    if options.json:
        made = {"output_path": options.output_path, "seconds": round(seconds, 3), "took_s": round(took, 3)}
        print(json.dumps({**made, "model_id": speaker.model.model_id, "sample_rate": wav.sample_rate}))
    else:
        speed = f"{seconds / took:.1f}x real time"
        tell(options, f"{seconds:.1f} s of speech written to {options.output_path} ({speed}).")
    return 0


def write(speaker: Speaker, text: str, options: argparse.Namespace, wav: WavWriter) -> None:
    """Speaks the text into an open WAV."""
    line = SpeechLine(options.quiet)

    def on_segment(event: SegmentEvent) -> None:
        if event.discard_samples:
            wav.rewind_to(wav.samples_written - event.discard_samples)

    # What went into a pipe can't be taken back: a failed take stays, and no second one follows it.
    no_eos: NoEosPolicy = "retry" if wav.can_rewind else "keep"
    try:
        with contextlib.closing(stream_of(speaker, text, options, on_segment, no_eos)) as chunks:
            for chunk in chunks:
                wav.write(chunk.numpy())
                line.update(wav.samples_written / wav.sample_rate)
    finally:
        line.close()


def stream_of(
    speaker: Speaker,
    text: str,
    options: argparse.Namespace,
    on_segment: SegmentCallback | None = None,
    no_eos: NoEosPolicy = "retry",
) -> Generator[Any, None, None]:
    """The sound of the text as the options want it, in tensors; raises at once what is wrong with the text or the voice."""
    return speaker.model.generate_audio_stream(
        speaker.voice, text, max_tokens=options.max_tokens, frames_after_eos=options.frames_after_eos,
        seed=options.seed, strict=options.strict, on_segment=on_segment, no_eos=no_eos,
    )  # fmt: skip
