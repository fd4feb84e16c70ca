"""`say`: speaks through the loudspeaker while the speech is made; without a sound device it writes a WAV and says so.

The device is opened before the model is loaded, so that it wakes up meanwhile, and after the model's files are known to
be there. A stop aborts the sound inside the signal handler, whatever the main thread is doing.
"""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from pocketvoice.cli import checks, process
from pocketvoice.cli.progress import tell
from pocketvoice.errors import AudioDeviceError, InputError

if TYPE_CHECKING:
    from pocketvoice.cli.model import Speaker
    from pocketvoice.engine.events import SegmentEvent
    from pocketvoice.playback.player import Player


def say(options: argparse.Namespace) -> int:
    """Speaks a text aloud."""
    checks.check_model(options)
    checks.check_voice(options)
    if options.output_path == "-":
        raise InputError("`say` speaks through the loudspeaker: use `pocketvoice generate -o -` for a pipe.")
    text = checks.text_of(options.text, strict=options.strict)
    from pocketvoice.cli.model import fetch_speaker

    rate = fetch_speaker(options).mimi.sample_rate
    try:
        with process.native_errors_hidden(options.debug):
            player = _open_player(options.output_device, rate)
    except AudioDeviceError as error:
        if options.output_device is not None:
            raise
        return _write_instead(text, options, rate, error)
    return _speak(text, options, player)


def _open_player(device: str | None, rate: int) -> Player:
    """A player with its device running; raises AudioDeviceError."""
    from pocketvoice.playback.output import SoundDeviceOutput
    from pocketvoice.playback.player import Player

    player = Player(SoundDeviceOutput(device), rate)
    player.start()
    return player


def _speak(text: str, options: argparse.Namespace, player: Player) -> int:
    from pocketvoice.cli.model import load_speaker

    with process.native_errors_hidden(options.debug), process.on_stop(player.abort), player:
        speaker = load_speaker(options)
        spoken = _play(speaker, text, options, player)
    return 0 if spoken else process.exit_code_of_stop()


def _play(speaker: Speaker, text: str, options: argparse.Namespace, player: Player) -> bool:
    """Whether the text was heard to its end."""
    from pocketvoice.cli.generate import stream_of

    def on_segment(event: SegmentEvent) -> None:
        if event.discard_samples:  # a failed take: what was not heard yet is dropped
            player.discard_after(player.position - event.discard_samples)

    with contextlib.closing(stream_of(speaker, text, options, on_segment)) as chunks:
        for chunk in chunks:
            if not player.feed(chunk.numpy()):
                return False
    return player.drain()


def _write_instead(text: str, options: argparse.Namespace, rate: int, reason: AudioDeviceError) -> int:
    from pocketvoice.audio.wav import WavWriter
    from pocketvoice.cli.generate import write
    from pocketvoice.cli.model import load_speaker

    checks.check_writable(Path(options.output_path))
    with WavWriter(options.output_path, rate) as wav:
        speaker = load_speaker(options)
        tell(options, f"{reason.message} The speech is written to {options.output_path} instead.")
        write(speaker, text, options, wav)
        seconds = wav.samples_written / rate
    tell(options, f"{seconds:.1f} s of speech written to {options.output_path}.")
    return 0
