"""`voices add` and `voices record`: a voice is made of a recording. No torch: its state is made when it first speaks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pocketvoice.cli.options import AddVoiceOptions, NewVoiceOptions, RecordVoiceOptions
from pocketvoice.cli.progress import tell
from pocketvoice.cli.voices import as_row, library
from pocketvoice.errors import InputError
from pocketvoice.hub import catalogue
from pocketvoice.voices import consent, packages, voice_json
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.voice import NewVoice

if TYPE_CHECKING:
    from pocketvoice.audio.imported import Source


def add(options: AddVoiceOptions) -> int:
    """Makes a voice of a file: of the part that was asked for, or of its best one."""
    from pocketvoice.audio.imported import read_source

    path = options.file
    if path.suffix.lower() in (packages.SUFFIX, voice_json.STATE_SUFFIX):
        raise InputError(f"{path.name} is a voice already: bring it in with `pocketvoice voices import`.")
    _check_consent(options.voice)
    own = library()
    name = own.check_name(options.voice.name) if options.voice.name else own.unique_name(path.stem)
    source = read_source(path)
    for note in source.notes:
        tell(note, quiet=options.quiet)
    if options.start is None and options.stop is None:
        clip = _best_of(source)
    else:
        start, stop = _part_of(options, source)
        clip = _cut(source, start, stop)
    return _save(clip, name, options.voice, own, quiet=options.quiet)


def record(options: RecordVoiceOptions) -> int:
    """Makes a voice of what is said into the microphone."""
    from pocketvoice.audio.imported import Source
    from pocketvoice.cli.recording import record_voice

    _check_consent(options.voice)
    own = library()
    name = own.check_name(options.voice.name) if options.voice.name else own.unique_name("My voice")
    take = record_voice(options)
    clip = _best_of(Source(take.samples, take.sample_rate, take.device_name))
    return _save(clip, name, options.voice, own, quiet=options.quiet)


def _check_consent(options: NewVoiceOptions) -> None:
    if not options.consent:
        raise InputError(f'A voice is cloned only with consent: add --consent to say "{consent.sentence()}"')


def _best_of(source: Source) -> Source:
    from pocketvoice.audio.imported import best_part

    return _cut(source, *best_part(source.samples, source.sample_rate))


def _cut(source: Source, start: int, stop: int) -> Source:
    """The samples from `start` to `stop`, without the notes."""
    from pocketvoice.audio.imported import Source

    return Source(source.samples[start:stop], source.sample_rate, source.name)


def _part_of(options: AddVoiceOptions, source: Source) -> tuple[int, int]:
    """--start and --stop in samples; raises InputError if they lie outside the recording or too far apart."""
    from pocketvoice.audio.imported import MOST_S

    start_s = options.start or 0.0
    stop_s = min(source.duration_s, options.stop if options.stop is not None else start_s + MOST_S)
    if not 0 <= start_s < stop_s:
        raise InputError(
            f"--start and --stop must lie within the {source.duration_s:.1f} s of the recording."
        )
    if stop_s - start_s > MOST_S:
        raise InputError(
            f"From --start to --stop are {stop_s - start_s:.0f} s: a clip has at most {MOST_S:.0f}."
        )
    return int(start_s * source.sample_rate), int(stop_s * source.sample_rate)


def _save(clip: Source, name: str, options: NewVoiceOptions, own: VoiceLibrary, *, quiet: bool) -> int:
    """Judges the clip, says what helps most, and saves it as a voice; raises InputError for a clip that can't be one."""
    from pocketvoice.audio.quality import quality_of

    report = quality_of(clip.samples, clip.sample_rate)
    if report.is_blocked:
        raise InputError(f"No voice can be made of this. {report.tip}")
    new = NewVoice(name, options.language, consent.sentence(), source=clip.name, seed=options.seed)
    voice = own.add(new, clip.samples)
    if options.json:
        print(json.dumps({**as_row(voice), "tip": report.tip}, indent=2))
        return 0
    hear = f'pocketvoice say --voice "{voice.name}" "Hello."'
    tell(report.tip, quiet=quiet)
    if (followed := catalogue.clip_seconds(catalogue.default_language())) is not None:
        tell(
            f"The built-in model follows no more than {followed[1]:g} s of a clip and uses its beginning; a released model uses "
            "all of it (`pocketvoice models download english`).",
            quiet=quiet,
        )
    tell(f"{voice.name} is saved ({voice.clip_s:.0f} s). Hear it: {hear}", quiet=quiet)
    return 0
