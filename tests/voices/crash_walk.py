"""Run as a program by `test_crash`: kills a process at every step by which a change reaches the disk, and looks at what is left.

    python crash_walk.py FOLDER CHANGE    prints {"points": N, "torn": N, "old": N, "new": N} or a complaint

Each child is a fork that counts the calls which change the disk, and ends at the N-th: before it, or (`torn`) at a sync with half
of the file on the disk, as after a power cut.
"""

import builtins
import io
import json
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
import soundfile  # noqa: F401 - loaded before the forks

from pocketvoice.voices import packages
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.voices.voice import NewVoice
from tests.voices.sounds import babble, write_state

KILLED = 9
STEPS = ("fsync", "replace", "rename", "mkdir", "unlink", "remove", "rmdir", "truncate")
CLIP = babble(1.0)
A, B = "tiny-aaaaaaaaaaaaaaaa", "tiny-bbbbbbbbbbbbbbbb"


def prepare(folder: Path) -> None:
    """A library with two voices, one in the trash, and files to bring in."""
    library = VoiceLibrary(folder / "voices")
    anna = library.add(NewVoice("Anna", "en", consent="yes"), CLIP)
    library.add_state(anna.id, A, write_state(folder / "a.safetensors", A))
    library.set_preview(anna.id, CLIP)
    packages.export_voice(library, anna.id, folder / "anna.pvoice")
    write_state(folder / "foreign.safetensors", "")
    write_state(folder / "again.safetensors", A, length=7)
    gone = library.add(NewVoice("Gone"), CLIP)
    library.remove(gone.id)
    library.add(NewVoice("Bert"), CLIP[::2])


def anna(library: VoiceLibrary) -> str:
    return library.get("Anna").id


CHANGES: dict[str, Callable[[VoiceLibrary, Path], object]] = {
    "add": lambda library, _: library.add(NewVoice("New", "fr", consent="yes", seed=2), CLIP),
    "rename": lambda library, _: library.update(anna(library), name="Hanna"),
    "favourite": lambda library, _: library.update(anna(library), favourite=True, notes="good"),
    "duplicate": lambda library, _: library.duplicate(anna(library)),
    "remove": lambda library, _: library.remove(anna(library)),
    "restore": lambda library, _: library.trash.restore("Gone"),
    "delete": lambda library, _: library.trash.delete("Gone"),
    "state": lambda library, folder: library.add_state(anna(library), B, folder / "a.safetensors"),
    "replace-state": lambda library, folder: library.add_state(
        anna(library), A, folder / "again.safetensors"
    ),
    "preview": lambda library, _: library.set_preview(anna(library), CLIP[::2]),
    "import": lambda library, folder: packages.import_voices(library, folder / "anna.pvoice"),
    "import-state": lambda library, folder: packages.import_voices(library, folder / "foreign.safetensors"),
    "export": lambda library, folder: packages.export_voice(library, anna(library), folder / "out.pvoice"),
}


def seen(folder: Path) -> object:
    """What a user sees of a library that is opened after the crash; raises AssertionError if anything is not whole."""
    library = VoiceLibrary(folder / "voices")
    library.recover()
    voices, removed = library.voices(), library.trash.voices()
    assert not library.problems(), library.problems()
    damage = [sentence for voice in voices for sentence in library.check(voice.id)]
    assert not damage, damage
    staging = list((folder / "voices/.staging").iterdir())
    assert not staging, staging
    parts = list((folder / "voices").rglob("*.part"))
    assert not parts, parts
    known = {f"states/{state.file}" for voice in voices for state in voice.states} | {
        "voice.json",
        "clip.flac",
    }
    for voice in voices:
        found = {
            path.relative_to(voice.folder).as_posix() for path in voice.folder.rglob("*") if path.is_file()
        }
        assert found <= known | {voice.preview_file}, found
    out = folder / "out.pvoice"
    if out.exists():
        packages.import_voices(library, out)  # raises if it is not whole
        out.unlink()
        library.remove(library.get("Anna 2").id)
        return "exported"
    told = [
        (
            voice.name,
            voice.favourite,
            voice.notes,
            sorted((state.model_id, state.mark.sha256) for state in voice.states),
            voice.preview and voice.preview.sha256,
        )
        for voice in voices
    ]
    return sorted(told, key=str), sorted(one.voice.name for one in removed if not one.unsaved)


def armed(at: int, torn: bool) -> None:
    """From now on the `at`-th step ends this process."""
    count = 0

    def reached(name: str, arguments: tuple[object, ...]) -> None:
        nonlocal count
        count += 1
        if count < at:
            return
        if torn and name == "fsync":
            descriptor = int(arguments[0])  # type: ignore[call-overload]
            with suppress(OSError):  # a folder
                os.ftruncate(descriptor, os.fstat(descriptor).st_size // 2)
        os._exit(KILLED)

    def wrap(name: str) -> None:
        original = getattr(os, name)

        def step(*arguments: object, **options: object) -> object:
            reached(name, arguments)
            return original(*arguments, **options)

        setattr(os, name, step)

    for name in STEPS:
        wrap(name)

    original_open = io.open

    def opened(file: object, mode: str = "r", *arguments: object, **options: object) -> object:
        """Before it is made or emptied, and after."""
        is_written = bool(set(mode) & set("wxa+"))
        if is_written:
            reached("open", ())
        made = original_open(file, mode, *arguments, **options)  # type: ignore[call-overload]
        if is_written:
            reached("opened", ())
        return made

    io.open = builtins.open = opened  # type: ignore[assignment]


def crashed(folder: Path, change: Callable[[VoiceLibrary, Path], object], at: int, torn: bool) -> bool:
    """Whether the child was killed at the step; False if it came to its end before."""
    child = os.fork()
    if child == 0:
        try:
            armed(at, torn)
            change(VoiceLibrary(folder / "voices"), folder)
        except BaseException as error:
            builtins.print(repr(error), file=sys.stderr)
            os._exit(1)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, KILLED), f"the change failed: {code}"
    return code == KILLED


def walk(folder: Path, change: Callable[[VoiceLibrary, Path], object]) -> dict[str, int]:
    prepared = folder / "prepared"
    prepare(prepared)
    after_it = shutil.copytree(prepared, folder / "after")
    change(VoiceLibrary(after_it / "voices"), after_it)
    old, new = seen(prepared), seen(after_it)
    counts = {"points": 0, "old": 0, "new": 0}
    for torn in (False, True):
        at = 1
        while True:
            trial = shutil.copytree(prepared, folder / "trial")
            was_killed = crashed(trial, change, at, torn)
            left = seen(trial)
            assert left in (old, new), f"step {at}, torn {torn}: {left} is neither {old} nor {new}"
            shutil.rmtree(trial)
            if not was_killed:
                assert left == new
                break
            counts["points"] += 1
            counts["new" if left == new else "old"] += 1
            at += 1
    return counts


if __name__ == "__main__":
    np.seterr(all="ignore")
    try:
        print(json.dumps(walk(Path(sys.argv[1]), CHANGES[sys.argv[2]])))
    except AssertionError as complaint:
        sys.exit(f"{sys.argv[2]}: {complaint}")
