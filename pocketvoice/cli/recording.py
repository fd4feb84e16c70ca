"""Recording on a terminal: a text to read, a level, seconds of speech; Enter ends it. Used by `voices record`."""

import sys
import threading
import time
from contextlib import suppress

from pocketvoice.audio.recorder import (
    TARGET_DBFS,
    WANTED_S,
    Microphone,
    RecordedTake,
    Recorder,
    RecorderState,
    Status,
    microphones,
)
from pocketvoice.cli import signals
from pocketvoice.cli.options import RecordVoiceOptions
from pocketvoice.cli.progress import tell
from pocketvoice.errors import AudioDeviceError, InputError
from pocketvoice.voices.reading_texts import reading_texts

_LOWEST_DBFS = -60.0
_WIDTH = 30  # characters of the level's bar
_TICK_S = 0.1


def record_voice(options: RecordVoiceOptions) -> RecordedTake:
    """Records until Enter, or --seconds of speech; raises AudioDeviceError."""
    recorder = Recorder(_microphone(options.input_device))
    has_keys = sys.stdin is not None and sys.stdin.isatty()
    if options.seconds is None and not has_keys:
        raise InputError("There is no keyboard to end the recording with: give --seconds.")
    text = reading_texts(options.voice.language or "en")[0].text
    tell(f"Read this aloud, or say what you like:\n\n{text}\n", quiet=options.quiet)
    if has_keys:
        tell("Enter ends the recording.", quiet=options.quiet)
        threading.Thread(target=_wait_for_enter, args=(recorder,), daemon=True).start()
    with signals.on_stop(recorder.abort):
        recorder.start()
        _watch(recorder, options)
        take = recorder.take()
    if recorder.status.error is not None:
        tell(recorder.status.error.message, quiet=options.quiet)
    return take


def _microphone(named: str | None) -> Microphone | None:
    if named is None:
        return None
    found = [one for one in microphones() if named.casefold() in one.name.casefold()]
    if not found:
        names = ", ".join(dict.fromkeys(one.name for one in microphones()))
        raise AudioDeviceError(f"There is no microphone {named!r}: choose one of {names}.")
    return found[0]


def _wait_for_enter(recorder: Recorder) -> None:
    with suppress(OSError, ValueError):
        sys.stdin.readline()
        recorder.stop()


def _watch(recorder: Recorder, options: RecordVoiceOptions) -> None:
    """Shows the level until the recording is over; stops it after the seconds that were asked for."""
    is_shown = sys.stderr.isatty() and not options.quiet
    while recorder.status.state in (RecorderState.IDLE, RecorderState.OPENING, RecorderState.RECORDING):
        status = recorder.status
        if is_shown:
            sys.stderr.write(f"\r{_line(status)}\x1b[K")
            sys.stderr.flush()
        if options.seconds is not None and status.speech_s >= options.seconds:
            recorder.stop()
        time.sleep(_TICK_S)
    if is_shown:
        sys.stderr.write("\r\x1b[K")


def _line(status: Status) -> str:
    """`[#####=====   ] 12.3 of 20 to 30 s of speech`; = is the zone where the level should be."""
    if status.state is not RecorderState.RECORDING:
        return "Opening the microphone ..."
    level = _column(status.rms_dbfs)
    zone = range(_column(TARGET_DBFS[0]), _column(TARGET_DBFS[1]))
    bar = "".join("#" if at < level else "=" if at in zone else " " for at in range(_WIDTH))
    wanted = f"{WANTED_S[0]:.0f} to {WANTED_S[1]:.0f} s of speech"
    return f"[{bar}] {status.speech_s:.1f} of {wanted}. {status.hint}"


def _column(dbfs: float) -> int:
    return max(0, min(_WIDTH, round(_WIDTH * (1 - dbfs / _LOWEST_DBFS))))
