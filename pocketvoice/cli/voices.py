"""`voices`: the user's own voices, made, kept and moved from the command line. No torch: states are made when a voice speaks."""

import argparse
import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from pocketvoice.cli import listings
from pocketvoice.cli.progress import tell
from pocketvoice.errors import EnvironmentFault, InputError, MissingFileError
from pocketvoice.hub import catalogue
from pocketvoice.voices import consent, packages, states, voice_json
from pocketvoice.voices.library import VoiceLibrary, open_library
from pocketvoice.voices.voice import NewVoice, Voice


def voices(options: argparse.Namespace) -> int:
    """One action of the command."""
    actions = {
        None: _list, "list": _list, "add": _add, "record": _record, "show": _show, "rename": _rename, "duplicate": _duplicate,
        "remove": _remove, "restore": _restore, "trash": _trash, "delete": _delete, "export": _export, "import": _import,
    }  # fmt: skip
    return actions[options.action](options)


def library() -> VoiceLibrary:
    """The user's, in which no voice is called like one of the catalogue."""
    local = [
        voice
        for language in catalogue.languages()
        if catalogue.entry(language).is_local
        for voice in catalogue.local_voices(language)
    ]
    return open_library(reserved=[*catalogue.voice_names(), *local])


def as_row(voice: Voice) -> dict[str, Any]:
    """A voice as JSON."""
    row: dict[str, Any] = json.loads(voice_json.to_json(voice))
    row["folder"] = str(voice.folder)
    return row


def _list(options: argparse.Namespace) -> int:
    own = library()
    found = own.voices()
    for problem in own.problems():
        tell(options, problem)
    if options.json:
        rows = [{**as_row(voice), "own": True} for voice in found]
        print(json.dumps([*rows, *listings.voice_rows()], indent=2))
        return 0
    for voice in found:
        notes = [
            voice.language,
            "favourite" if voice.favourite else "",
            "" if voice.has_clip else "without its clip",
        ]
        print(f"{voice.name:<16} {'yours, ' + ', '.join(note for note in notes if note)}".rstrip(", "))
    return listings.voices(options)


def _add(options: argparse.Namespace) -> int:
    from pocketvoice.audio.imported import Source, best_part, read_source

    path = Path(options.file)
    if path.suffix.lower() in (packages.SUFFIX, voice_json.STATE_SUFFIX):
        raise InputError(f"{path.name} is a voice already: bring it in with `pocketvoice voices import`.")
    _check_consent(options)
    own = library()
    name = own.check_name(options.name) if options.name else own.unique_name(path.stem)
    source: Source = read_source(path)
    for note in source.notes:
        tell(options, note)
    if options.start is None and options.stop is None:
        start, stop = best_part(source.samples, source.sample_rate)
    else:
        start, stop = _asked(options, source.duration_s, source.sample_rate)
    return _make(options, own, name, Source(source.samples[start:stop], source.sample_rate, source.name))


def _asked(options: argparse.Namespace, duration_s: float, rate: int) -> tuple[int, int]:
    from pocketvoice.audio.imported import MOST_S

    start_s = options.start or 0.0
    stop_s = min(duration_s, options.stop if options.stop is not None else start_s + MOST_S)
    if not 0 <= start_s < stop_s:
        raise InputError(f"--start and --stop must lie within the {duration_s:.1f} s of the recording.")
    if stop_s - start_s > MOST_S:
        raise InputError(
            f"From --start to --stop are {stop_s - start_s:.0f} s: a clip has at most {MOST_S:.0f}."
        )
    return int(start_s * rate), int(stop_s * rate)


def _record(options: argparse.Namespace) -> int:
    from pocketvoice.audio.imported import Source, best_part
    from pocketvoice.cli.recording import record_voice

    _check_consent(options)
    own = library()
    name = own.check_name(options.name) if options.name else own.unique_name("My voice")
    take = record_voice(options)
    start, stop = best_part(take.samples, take.sample_rate)
    source = Source(take.samples[start:stop], take.sample_rate, take.device_name)
    return _make(options, own, name, source)


def _make(options: argparse.Namespace, own: VoiceLibrary, name: str, clip: Any) -> int:
    """Judges the clip, says what helps most, and keeps it."""
    from pocketvoice.audio.quality import quality_of

    report = quality_of(clip.samples, clip.sample_rate)
    if report.is_blocked:
        raise InputError(f"No voice can be made of this. {report.tip}")
    new = NewVoice(name, options.language, consent.sentence(), source=clip.name, seed=options.seed)
    voice = own.add(new, clip.samples)
    if options.json:
        print(json.dumps({**as_row(voice), "tip": report.tip}, indent=2))
        return 0
    tell(options, report.tip)
    tell(
        options,
        f'{voice.name} is saved ({voice.clip_s:.0f} s). Hear it: pocketvoice say --voice "{voice.name}" "Hello."',
    )
    return 0


def _check_consent(options: argparse.Namespace) -> None:
    if not options.consent:
        raise InputError(f'A voice is cloned only with consent: add --consent to say "{consent.sentence()}"')


def _show(options: argparse.Namespace) -> int:
    own = library()
    voice = own.get(options.name)
    problems = own.check(voice.id)
    if options.json:
        print(json.dumps({**as_row(voice), "problems": problems}, indent=2))
        return 0
    models = ", ".join(state.model_id or "an unknown model" for state in voice.states)
    rows = {
        "name": voice.name, "number": voice.id, "language": voice.language, "made": voice.created, "from": voice.source,
        "clip": f"{voice.clip_s:.1f} s" if voice.clip_s else "",
        "consent": f"{voice.consent} ({voice.consented})" if voice.consent else "",
        "seed": "" if voice.seed is None else str(voice.seed), "notes": voice.notes,
        "speed": "" if voice.speed == 1 else f"{voice.speed:g} (in the window)",
        "volume": "" if voice.volume == 1 else f"{voice.volume:g} (in the window)",
        "ready for": models, "folder": str(voice.folder),
    }  # fmt: skip
    _print_rows(rows.items())
    for problem in problems:
        print(problem)
    return 0


def _print_rows(rows: Iterable[tuple[str, str]]) -> None:
    for name, value in rows:
        if value:
            print(f"{name:<10} {value}")


def _rename(options: argparse.Namespace) -> int:
    own = library()
    old = own.get(options.name)
    voice = own.update(old.id, name=options.new)
    tell(options, f"{old.name} is called {voice.name} now.")
    return 0


def _duplicate(options: argparse.Namespace) -> int:
    own = library()
    old = own.get(options.name)
    tell(options, f"{own.duplicate(old.id, options.new).name} is a copy of {old.name}.")
    return 0


def _remove(options: argparse.Namespace) -> int:
    own = library()
    voice = own.get(options.name)
    own.remove(voice.id)
    tell(options, f'{voice.name} is in the trash. Bring it back: pocketvoice voices restore "{voice.name}"')
    return 0


def _restore(options: argparse.Namespace) -> int:
    tell(options, f"{library().trash.restore(options.name).name} is back.")
    return 0


def _trash(options: argparse.Namespace) -> int:
    own = library()
    with suppress(EnvironmentFault):  # a library that can't be written can be looked at
        own.recover()  # what a crash has left unsaved goes to the trash
    found = own.trash.voices()
    if options.json:
        rows = [
            {"key": one.key, "name": one.voice.name, "removed": one.removed, "size_bytes": one.size_bytes, "unsaved": one.unsaved}
            for one in found
        ]  # fmt: skip
        print(json.dumps(rows, indent=2))
        return 0
    for one in found:
        kind = "never saved" if one.unsaved else "removed"
        print(f"{one.voice.name:<16} {kind} {states.at(one.removed)}  {one.key}")
    return 0


def _delete(options: argparse.Namespace) -> int:
    library().trash.delete(options.name)
    tell(options, f"{options.name} is deleted for ever.")
    return 0


def _export(options: argparse.Namespace) -> int:
    own = library()
    voice = own.get(options.name)
    target = Path(options.file)
    if target.is_dir():
        target /= packages.suggested_name(voice)
    if target.suffix.lower() != packages.SUFFIX:
        raise InputError(f"The name of a voice package ends with {packages.SUFFIX}, which {target} does not.")
    packages.export_voice(own, voice.id, target, with_clip=not options.without_clip)
    tell(options, f"{voice.name} is written to {target}.")
    return 0


def _import(options: argparse.Namespace) -> int:
    source = Path(options.file)
    if not source.exists():
        raise MissingFileError(f"There is no file {source}: check the name.")
    found = packages.import_voices(library(), source, model_id=options.model_id, language=options.language)
    if options.json:
        rows = [as_row(voice) for voice in found.voices]
        print(json.dumps({"voices": rows, "notes": found.notes, "failures": found.failures}, indent=2))
        return 2 if found.failures else 0
    for sentence in (*found.notes, *found.failures):
        tell(options, sentence)
    names = ", ".join(voice.name for voice in found.voices)
    tell(options, f"Brought in: {names}." if names else "Nothing was brought in.")
    return 2 if found.failures else 0
