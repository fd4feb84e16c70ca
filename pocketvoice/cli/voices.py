"""`voices`: the user's own voices and those of the catalogue: shown, renamed, removed and moved. Needs no torch."""

import json
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from pocketvoice.cli import streams
from pocketvoice.cli.options import (
    ExportVoicePackageOptions,
    ImportVoicesOptions,
    ListOptions,
    NamedOptions,
    RenameVoiceOptions,
)
from pocketvoice.cli.progress import tell
from pocketvoice.errors import EnvironmentFault, InputError, MissingFileError
from pocketvoice.hub import catalogue
from pocketvoice.voices import packages, states, voice_json
from pocketvoice.voices.library import VoiceLibrary, open_library
from pocketvoice.voices.voice import Voice


def library() -> VoiceLibrary:
    """The user's library, in which no voice is called like one of the catalogue."""
    local = [
        voice
        for language in catalogue.languages()
        if catalogue.entry(language).is_local
        for voice in catalogue.local_voices(language)
    ]
    return open_library(reserved=[*catalogue.voice_names(), *local])


def as_row(voice: Voice) -> dict[str, Any]:
    """A voice of the user's as JSON: what its `voice.json` holds, and the folder."""
    row: dict[str, Any] = json.loads(voice_json.to_json(voice))
    row["folder"] = str(voice.folder)
    return row


def catalogue_rows() -> list[dict[str, Any]]:
    """The voices of the catalogue and those of local models, as JSON."""
    default_of: dict[str, list[str]] = {}
    model_of: dict[str, str] = {}
    for name in catalogue.languages():
        entry = catalogue.entry(name)
        if entry.is_local:
            model_of.update(dict.fromkeys(catalogue.local_voices(name), name))
            continue
        codes = default_of.setdefault(catalogue.default_voice(name), [])
        if entry.language_code not in codes:
            codes.append(entry.language_code)
    rows: list[dict[str, Any]] = [
        {"name": voice, "default_for": default_of.get(voice, []), "clip": catalogue.voice_clip_source(voice)}
        for voice in catalogue.voice_names()
    ]
    local = [
        {"name": voice, "default_for": [], "model": model, "title": catalogue.voice_title(voice)}
        for voice, model in model_of.items()
    ]
    return rows + local


def show_all(options: ListOptions) -> int:
    """Prints the user's voices, then those of the catalogue."""
    own = library()
    found = own.voices()
    for problem in own.problems():
        tell(problem, quiet=options.quiet)
    if options.json:
        rows = [{**as_row(voice), "own": True} for voice in found]
        print(json.dumps([*rows, *catalogue_rows()], indent=2))
        return 0
    for voice in found:
        streams.show(_line_of_own(voice))
    for row in catalogue_rows():
        streams.show(_line_of_catalogue(row))
    return 0


def _line_of_own(voice: Voice) -> str:
    favourite = "favourite" if voice.favourite else ""
    clip = "" if voice.has_clip else "without its clip"
    notes = ", ".join(note for note in (voice.language, favourite, clip) if note)
    return f"{voice.name:<16} {'yours, ' + notes}".rstrip(", ")


def _line_of_catalogue(row: dict[str, Any]) -> str:
    spoken = ", ".join(row["default_for"])
    note = (
        f"default for {spoken}" if spoken else f"{row['title']}, of {row['model']}" if "model" in row else ""
    )
    return f"{row['name']:<16} {note}".rstrip()


def show(options: NamedOptions) -> int:
    """Prints what is known of a voice, and what is wrong with its files."""
    own = library()
    voice = own.get(options.name)
    problems = own.check(voice.id)
    if options.json:
        print(json.dumps({**as_row(voice), "problems": problems}, indent=2))
        return 0
    _print_rows(_facts_of(voice).items())
    for problem in problems:
        streams.show(problem)
    return 0


def _facts_of(voice: Voice) -> dict[str, str]:
    return {
        "name": voice.name, "number": voice.id, "language": voice.language, "made": voice.created, "from": voice.source,
        "clip": f"{voice.clip_s:.1f} s" if voice.clip_s else "",
        "consent": f"{voice.consent} ({voice.consented})" if voice.consent else "",
        "seed": "" if voice.seed is None else str(voice.seed), "notes": voice.notes,
        "speed": "" if voice.speed == 1 else f"{voice.speed:g} (in the window)",
        "volume": "" if voice.volume == 1 else f"{voice.volume:g} (in the window)",
        "ready for": ", ".join(state.model_id or "an unknown model" for state in voice.states),
        "folder": str(voice.folder),
    }  # fmt: skip


def _print_rows(rows: Iterable[tuple[str, str]]) -> None:
    for name, value in rows:
        if value:
            streams.show(f"{name:<10} {value}")


def rename(options: RenameVoiceOptions) -> int:
    """Gives a voice another name."""
    own = library()
    old = own.get(options.name)
    voice = own.update(old.id, name=options.new)
    tell(f"{old.name} is called {voice.name} now.", quiet=options.quiet)
    return 0


def duplicate(options: RenameVoiceOptions) -> int:
    """Copies a voice."""
    own = library()
    old = own.get(options.name)
    copy = own.duplicate(old.id, options.new)
    tell(f"{copy.name} is a copy of {old.name}.", quiet=options.quiet)
    return 0


def remove(options: NamedOptions) -> int:
    """Moves a voice to the trash."""
    own = library()
    voice = own.get(options.name)
    own.remove(voice.id)
    back = f'pocketvoice voices restore "{voice.name}"'
    tell(f"{voice.name} is in the trash. Bring it back: {back}", quiet=options.quiet)
    return 0


def restore(options: NamedOptions) -> int:
    """Brings a voice back from the trash."""
    tell(f"{library().trash.restore(options.name).name} is back.", quiet=options.quiet)
    return 0


def show_trash(options: ListOptions) -> int:
    """Prints the voices that can be restored."""
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
        streams.show(f"{one.voice.name:<16} {kind} {states.at(one.removed)}  {one.key}")
    return 0


def delete(options: NamedOptions) -> int:
    """Deletes a voice of the trash for ever."""
    library().trash.delete(options.name)
    tell(f"{options.name} is deleted for ever.", quiet=options.quiet)
    return 0


def export(options: ExportVoicePackageOptions) -> int:
    """Writes a voice to one file, for another machine."""
    own = library()
    voice = own.get(options.name)
    target = options.file
    if target.is_dir():
        target /= packages.suggested_name(voice)
    if target.suffix.lower() != packages.SUFFIX:
        raise InputError(f"The name of a voice package ends with {packages.SUFFIX}, which {target} does not.")
    packages.export_voice(own, voice.id, target, with_clip=not options.without_clip)
    tell(f"{voice.name} is written to {target}.", quiet=options.quiet)
    return 0


def bring_in(options: ImportVoicesOptions) -> int:
    """Brings voices in from files; 2 if one of them could not be."""
    if not options.file.exists():
        raise MissingFileError(f"There is no file {options.file}: check the name.")
    found = packages.import_voices(
        library(), options.file, model_id=options.model_id, language=options.language
    )
    if options.json:
        rows = [as_row(voice) for voice in found.voices]
        print(json.dumps({"voices": rows, "notes": found.notes, "failures": found.failures}, indent=2))
        return 2 if found.failures else 0
    for sentence in (*found.notes, *found.failures):
        tell(sentence, quiet=options.quiet)
    names = ", ".join(voice.name for voice in found.voices)
    tell(f"Brought in: {names}." if names else "Nothing was brought in.", quiet=options.quiet)
    return 2 if found.failures else 0
