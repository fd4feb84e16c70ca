"""`generate`: a text to a sound file or, while it is made, to standard output. Also what `say` does without a loudspeaker.

The file is opened before the model is loaded: a minute of work does not end at a path that can't be written.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pocketvoice.cli import checks, signals, streams
from pocketvoice.cli.language import in_language_of_text
from pocketvoice.cli.options import GenerateOptions, SpeechOptions
from pocketvoice.cli.progress import SpeechLine, tell
from pocketvoice.errors import InputError
from pocketvoice.hub import catalogue
from pocketvoice.text.pronunciations import UserPronunciations

if TYPE_CHECKING:
    from pocketvoice.audio.wav import WavWriter
    from pocketvoice.cli.loading import Speaker
    from pocketvoice.engine.events import SegmentCallback, SegmentEvent
    from pocketvoice.engine.generation import NoEosPolicy


def generate(options: GenerateOptions) -> int:
    """Writes the speech to a sound file or to standard output."""
    options = in_language_of_text(options)
    checks.check_model(options.speaker.model)
    speech = options.speech.with_default_seed(checks.check_voice(options.speaker))
    _check_target(options)
    given = options.text
    if given is None:
        given = catalogue.default_text(options.speaker.model.language)
    text = checks.text_of(given, strict=speech.strict)
    checks.tell_unknown_letters(text, options.speaker.model, quiet=options.quiet)
    if options.output_path is None:
        return _to_output(text, options, speech)
    return _to_file(text, options, speech, options.output_path)


def _check_target(options: GenerateOptions) -> None:
    if options.output_path is not None:
        checks.check_sound_kind(options.output_path)
        checks.check_writable(options.output_path)
    elif options.json:
        raise InputError("--json and --output-path - both want standard output: choose one.")
    else:
        streams.check_output_takes_sound()


def _to_output(text: str, options: GenerateOptions, speech: SpeechOptions) -> int:
    from pocketvoice.audio.wav import WavWriter
    from pocketvoice.cli.loading import fetch_speaker, load_speaker

    with streams.output_for_sound() as stream:
        fetch_speaker(options.speaker, quiet=options.quiet)
        speaker = load_speaker(options.speaker, quiet=options.quiet)
        # A text that says nothing is refused before the header is out.
        stream_of(speaker, text, speech).close()
        with WavWriter(stream, speaker.model.sample_rate) as wav:
            write(speaker, text, speech, wav, quiet=options.quiet)
    return 0


def _to_file(text: str, options: GenerateOptions, speech: SpeechOptions, target: Path) -> int:
    from pocketvoice.audio.saving import sound_file
    from pocketvoice.cli.loading import fetch_speaker, load_speaker

    config = fetch_speaker(options.speaker, quiet=options.quiet)
    with sound_file(target, config.mimi.sample_rate) as wav:
        speaker = load_speaker(options.speaker, quiet=options.quiet)
        started = time.monotonic()
        whole = write_until_stopped(speaker, text, speech, wav, quiet=options.quiet)
        seconds = wav.samples_written / wav.sample_rate
    took_s = time.monotonic() - started
    if not whole:
        return tell_part(seconds, target, quiet=options.quiet)
    if options.json:
        made = {"output_path": str(target), "seconds": round(seconds, 3), "took_s": round(took_s, 3)}
        print(json.dumps({**made, "model_id": speaker.model.model_id, "sample_rate": wav.sample_rate}))
    else:
        speed = f"{seconds / took_s:.1f}x real time"
        tell(f"{seconds:.1f} s of speech written to {target} ({speed}).", quiet=options.quiet)
    return 0


def write_until_stopped(
    speaker: Speaker, text: str, speech: SpeechOptions, wav: WavWriter, *, quiet: bool
) -> bool:
    """Speaks the text into an open WAV; False if Ctrl-C ended it, and then what was made stays in it."""
    try:
        write(speaker, text, speech, wav, quiet=quiet)
    except KeyboardInterrupt:
        if not (signals.was_interrupted() and wav.samples_written and wav.can_rewind):
            raise
        wav.rewind_to(wav.samples_written)  # it may have struck in the middle of a sample
        return False
    return True


def tell_part(seconds: float, target: Path, *, quiet: bool) -> int:
    """Says where the part lies that was made before Ctrl-C; the exit code."""
    tell(f"Stopped: the first {seconds:.1f} s of the speech are in {target}.", quiet=quiet)
    return signals.exit_code_of_stop()


def write(speaker: Speaker, text: str, speech: SpeechOptions, wav: WavWriter, *, quiet: bool) -> None:
    """Speaks the text into an open WAV."""
    line = SpeechLine(quiet)

    def on_segment(event: SegmentEvent) -> None:
        if event.discard_samples:
            wav.rewind_to(wav.samples_written - event.discard_samples)

    # What went into a pipe can't be taken back: a failed take stays, and no second one follows it.
    no_eos: NoEosPolicy = "retry" if wav.can_rewind else "keep"
    try:
        with contextlib.closing(stream_of(speaker, text, speech, on_segment, no_eos)) as chunks:
            for chunk in chunks:
                wav.write(chunk.numpy())
                line.update(wav.samples_written / wav.sample_rate)
    finally:
        line.close()


def stream_of(
    speaker: Speaker,
    text: str,
    speech: SpeechOptions,
    on_segment: SegmentCallback | None = None,
    no_eos: NoEosPolicy = "retry",
) -> Generator[Any, None, None]:
    """The sound of the text as tensors (T,) in [-1, 1]; raises at once what is wrong with the text or the voice."""
    rules = UserPronunciations().rules()
    return speaker.model.generate_audio_stream(
        speaker.voice, text, max_tokens=speech.max_tokens, frames_after_eos=speech.frames_after_eos,
        seed=speech.seed, strict=speech.strict, normalise=not speech.no_normalise,
        names_emoji=speech.emoji == "name",
        pronunciations=None if rules is None else rules.for_voice(speaker.voice_name), on_segment=on_segment, no_eos=no_eos,
    )  # fmt: skip
