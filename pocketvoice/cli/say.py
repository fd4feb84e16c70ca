"""`say`: speaks through the loudspeaker while the speech is made; without a sound device it writes a WAV and says so.

The device is opened before the model is loaded, so that it wakes up meanwhile, and after the model's files are known to
be there. A stop aborts the sound inside the signal handler, whatever the main thread is doing.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from pocketvoice.cli import checks, signals
from pocketvoice.cli.language import in_language_of_text
from pocketvoice.cli.options import SayOptions, SpeechOptions
from pocketvoice.cli.progress import tell
from pocketvoice.cli.streams import native_errors_hidden
from pocketvoice.errors import AudioDeviceError, InputError

if TYPE_CHECKING:
    from pocketvoice.cli.loading import Speaker
    from pocketvoice.engine.events import SegmentEvent
    from pocketvoice.playback.player import Player


def say(options: SayOptions) -> int:
    """Speaks a text aloud."""
    options = in_language_of_text(options)
    checks.check_model(options.speaker.model)
    speech = options.speech.with_default_seed(checks.check_voice(options.speaker))
    target = options.output_path
    if target is None:
        raise InputError("`say` speaks through the loudspeaker: use `pocketvoice generate -o -` for a pipe.")
    text = checks.text_of(options.text, strict=speech.strict)
    checks.tell_unknown_letters(text, options.speaker.model, quiet=options.quiet)
    from pocketvoice.cli.loading import fetch_speaker

    rate = fetch_speaker(options.speaker, quiet=options.quiet).mimi.sample_rate
    try:
        with native_errors_hidden(options.debug):
            player = _open_player(options.output_device, rate)
    except AudioDeviceError as error:
        if options.output_device is not None:
            raise
        return _write_instead(text, options, speech, target, rate, error)
    return _speak(text, options, speech, player)


def _open_player(device: str | None, rate: int) -> Player:
    """A player with its device running; raises AudioDeviceError."""
    from pocketvoice.playback.output import SoundDeviceOutput
    from pocketvoice.playback.player import Player

    player = Player(SoundDeviceOutput(device), rate)
    player.start()
    return player


def _speak(text: str, options: SayOptions, speech: SpeechOptions, player: Player) -> int:
    from pocketvoice.cli.loading import load_speaker

    with native_errors_hidden(options.debug), signals.on_stop(player.abort), player:
        speaker = load_speaker(options.speaker, quiet=options.quiet)
        is_heard = _play(speaker, text, speech, player)
    return 0 if is_heard else signals.exit_code_of_stop()


def _play(speaker: Speaker, text: str, speech: SpeechOptions, player: Player) -> bool:
    """Whether the text was heard to its end."""
    from pocketvoice.cli.generate import stream_of

    def on_segment(event: SegmentEvent) -> None:
        if event.discard_samples:  # a failed take: what was not heard yet is dropped
            player.discard_after(player.position - event.discard_samples)

    with contextlib.closing(stream_of(speaker, text, speech, on_segment)) as chunks:
        for chunk in chunks:
            if not player.feed(chunk.numpy()):
                return False
    return player.drain()


def _write_instead(
    text: str, options: SayOptions, speech: SpeechOptions, target: Path, rate: int, reason: AudioDeviceError
) -> int:
    from pocketvoice.audio.saving import sound_file
    from pocketvoice.cli.generate import tell_part, write_until_stopped
    from pocketvoice.cli.loading import load_speaker

    quiet = options.quiet
    checks.check_writable(target)
    with sound_file(target, rate) as wav:
        speaker = load_speaker(options.speaker, quiet=quiet)
        tell(f"{reason.message} The speech is written to {target} instead.", quiet=quiet)
        whole = write_until_stopped(speaker, text, speech, wav, quiet=quiet)
        seconds = wav.samples_written / rate
    if not whole:
        return tell_part(seconds, target, quiet=quiet)
    tell(f"{seconds:.1f} s of speech written to {target}.", quiet=quiet)
    return 0
