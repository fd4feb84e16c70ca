"""The commands that speak: `say`, `generate` and `export-voice`. They wire model, voice, player and files together.

The engine, and torch with it, is imported only after the input has been checked: a mistake is told at once.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from pocketvoice.audio.wav import WavWriter
from pocketvoice.cli import restore_interrupt
from pocketvoice.cli.progress import DownloadBar, SpeechLine
from pocketvoice.errors import (
    AudioDeviceError,
    EmptyTextError,
    InputError,
    MissingFileError,
    OutputError,
    PocketVoiceError,
    from_os_error,
)
from pocketvoice.hub import catalogue
from pocketvoice.playback.output import SoundDeviceOutput
from pocketvoice.playback.player import Player

if TYPE_CHECKING:
    from torch import Tensor

    from pocketvoice.engine.events import SegmentCallback, SegmentEvent
    from pocketvoice.engine.generation import NoEosPolicy
    from pocketvoice.engine.tts_model import TTSModel
    from pocketvoice.engine.voice_state import VoiceState

AUDIO_SUFFIXES = (".wav", ".flac", ".ogg", ".opus", ".mp3", ".m4a", ".aac", ".webm", ".mp4")


def say(options: argparse.Namespace) -> int:
    """Speaks through the loudspeaker; without one it writes a WAV and says so."""
    restore_interrupt()
    _check_options(options)
    text = _text(options.text)
    player = _open_player(options)
    if player is None:
        return _write_instead(options, text)
    with player:
        try:
            model, voice = _load(options)
            spoken = _play(model, voice, text, options, player)
        except KeyboardInterrupt:
            player.abort()
            raise
    return 0 if spoken else 130


def _open_player(options: argparse.Namespace) -> Player | None:
    """A player with its device running (it wakes while the model loads), or None without a device."""
    named = options.output_device
    player = Player(SoundDeviceOutput(int(named) if named and named.isdigit() else named), 24000)
    try:
        player.start()
    except AudioDeviceError as error:
        if named:
            raise
        _tell(options, f"{error.message} The speech is written to {options.output_path} instead.")
        return None
    return player


def _write_instead(options: argparse.Namespace, text: str) -> int:
    model, voice = _load(options)
    with WavWriter(options.output_path, model.sample_rate) as wav:
        seconds = _write(model, voice, text, options, wav)
    _tell(options, f"{seconds:.1f} s of speech written to {options.output_path}.")
    return 0


def _play(model: TTSModel, voice: VoiceState, text: str, options: argparse.Namespace, player: Player) -> bool:
    def on_segment(event: SegmentEvent) -> None:
        if event.discard_samples:  # a failed take: what was not heard yet is dropped
            player.discard_after(player.position - event.discard_samples)

    with contextlib.closing(_stream(model, voice, text, options, on_segment)) as chunks:
        for chunk in chunks:
            if not player.feed(chunk.numpy()):
                return False
    return player.drain()


def generate(options: argparse.Namespace) -> int:
    """Writes the speech to a WAV file or, while it is made, to standard output."""
    restore_interrupt()
    _check_options(options)
    text = _text(catalogue.default_text(options.language) if options.text is None else options.text)
    to_stdout = options.output_path == "-"
    target: str | BinaryIO = sys.stdout.buffer if to_stdout else options.output_path
    if not to_stdout:
        _check_writable(Path(options.output_path))
    model, voice = _load(options)
    started = time.monotonic()
    with WavWriter(target, model.sample_rate) as wav:
        seconds = _write(model, voice, text, options, wav)
    if to_stdout:
        return 0
    took = time.monotonic() - started
    if options.json:
        made = {"output_path": options.output_path, "seconds": round(seconds, 3), "took_s": round(took, 3)}
        print(json.dumps({**made, "model_id": model.model_id, "sample_rate": model.sample_rate}))
    else:
        _tell(
            options,
            f"{seconds:.1f} s of speech written to {options.output_path} ({seconds / took:.1f}x real time).",
        )
    return 0


def _check_writable(path: Path) -> None:
    """Before the model is loaded: a minute of work should not end at a wrong path."""
    if path.is_dir():
        raise OutputError(f"Can't write {path}: it is a folder. Give a file name.")
    if not path.absolute().parent.is_dir():
        raise OutputError(f"Can't write {path}: its folder does not exist.")


def _write(
    model: TTSModel, voice: VoiceState, text: str, options: argparse.Namespace, wav: WavWriter
) -> float:
    """Seconds of sound written, without the silence at the end."""
    line = SpeechLine(options.quiet)

    def on_segment(event: SegmentEvent) -> None:
        if event.discard_samples:
            wav.rewind_to(wav.samples_written - event.discard_samples)

    # What went into a pipe can't be taken back: a failed take stays, and no second one follows it.
    no_eos: NoEosPolicy = "retry" if wav.can_rewind else "keep"
    try:
        with contextlib.closing(_stream(model, voice, text, options, on_segment, no_eos)) as chunks:
            for chunk in chunks:
                wav.write(chunk.numpy())
                line.update(wav.samples_written / model.sample_rate)
    finally:
        line.close()
    return wav.samples_written / model.sample_rate


def _stream(
    model: TTSModel,
    voice: VoiceState,
    text: str,
    options: argparse.Namespace,
    on_segment: SegmentCallback,
    no_eos: NoEosPolicy = "retry",
) -> Generator[Tensor, None, None]:
    return model.generate_audio_stream(
        voice, text, max_tokens=options.max_tokens, frames_after_eos=options.frames_after_eos,
        seed=options.seed, strict=options.strict, on_segment=on_segment, no_eos=no_eos,
    )  # fmt: skip


def export_voice(options: argparse.Namespace) -> int:
    """One recording to one voice file, or a folder of recordings to a folder of voice files."""
    restore_interrupt()
    _check_options(options)
    source, target = options.audio_path, Path(options.export_path)
    jobs = _folder_jobs(Path(source), target) if Path(source).is_dir() else [(source, target)]
    for _, path in jobs:
        _check_writable(path)
    model = _load_model(options)
    failures = 0
    for recording, path in jobs:
        try:
            _export_one(model, recording, path, options)
        except PocketVoiceError as error:
            if len(jobs) == 1:
                raise
            failures += 1
            print(f"pocketvoice: {recording}: {error.message}", file=sys.stderr)
    return 2 if failures else 0


def _export_one(model: TTSModel, recording: str, path: Path, options: argparse.Namespace) -> None:
    from pocketvoice.engine.voice_state import export_model_state

    state = model.get_state_for_audio_prompt(recording, truncate=options.truncate)
    export_model_state(state, path)
    _tell(options, f"Voice file {path} written.")


def _folder_jobs(folder: Path, target: Path) -> list[tuple[str, Path]]:
    recordings = sorted(path for path in folder.iterdir() if path.suffix.lower() in AUDIO_SUFFIXES)
    if not recordings:
        raise MissingFileError(f"The folder {folder} holds no recordings ({', '.join(AUDIO_SUFFIXES)}).")
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise from_os_error(exc, target) from exc
    return [(str(path), target / f"{path.stem}.safetensors") for path in recordings]


def _text(given: str) -> str:
    text = sys.stdin.read() if given == "-" else given
    if not text.strip():
        raise EmptyTextError("There is no text to speak: give some, or pipe it in with -.")
    return text


def _check_options(options: argparse.Namespace) -> None:
    """What can be told without the engine."""
    if options.device != "cpu":
        raise InputError(f"The device {options.device} is not supported: use cpu.")
    if options.config is not None and options.language is not None:
        raise InputError("Give either --language or --config, not both.")
    if options.language is not None:
        catalogue.entry(options.language)


def _load_model(options: argparse.Namespace) -> TTSModel:
    from pocketvoice.engine.tts_model import TTSModel, use_threads

    use_threads(1)
    with DownloadBar(options.quiet) as bar:
        return TTSModel.load_model(
            options.language,
            options.config,
            getattr(options, "temperature", None),
            getattr(options, "sampler_decode_steps", 1),
            getattr(options, "noise_clamp", None),
            getattr(options, "eos_threshold", None),
            options.quantize,
            getattr(options, "checkpoint", None),
            getattr(options, "lsd_decode_steps", None),
            precision=options.precision,
            progress=bar.update,
        )


def _load(options: argparse.Namespace) -> tuple[TTSModel, VoiceState]:
    model = _load_model(options)
    custom = options.config is not None or options.checkpoint is not None
    voice = options.voice or catalogue.default_voice(options.language or model.language, custom)
    return model, model.get_state_for_audio_prompt(voice, truncate=options.truncate)


def _tell(options: argparse.Namespace, sentence: str) -> None:
    if not options.quiet:
        print(sentence, file=sys.stderr)
