"""`export-voice`: one recording to one voice file, or a folder of recordings to a folder of voice files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pocketvoice.cli import checks, streams
from pocketvoice.cli.options import ExportVoiceOptions
from pocketvoice.cli.progress import tell
from pocketvoice.engine import state_file
from pocketvoice.errors import InputError, MissingFileError, from_os_error
from pocketvoice.hub import catalogue
from pocketvoice.hub.source import LocalFile, parse
from pocketvoice.voices.names import file_stem
from pocketvoice.worker.child.own_voices import OwnVoices

if TYPE_CHECKING:
    from pocketvoice.engine.tts_model import TTSModel

SMALL_MODEL = (
    "The small built-in model only approximates a voice, from the first seconds of a clip: it will sound much like its own. "
    "Released models copy it far better."
)
SUFFIXES = (".wav", ".flac", ".ogg", ".opus", ".mp3", ".m4a", ".aac", ".webm", ".mp4")


@dataclass(frozen=True)
class _Job:
    """One voice file to be made."""

    recording: str
    """A path, an address or a voice name."""
    target: Path
    """The voice file."""


def export_voice(options: ExportVoiceOptions) -> int:
    """Makes voice files; of a folder, what can be made is made and the rest is told."""
    checks.check_model(options.model)
    source = Path(options.audio_path)
    jobs = _jobs_of_folder(source, options.export_path) if source.is_dir() else [_single_job(options)]
    for job in jobs:
        checks.check_writable(job.target)
    from pocketvoice.cli.loading import fetch_model, load_model

    fetch_model(options.model, quiet=options.quiet)
    model = load_model(options.model, quiet=options.quiet)
    if model.language is not None and catalogue.entry(model.language).is_local:
        tell(SMALL_MODEL, quiet=options.quiet)
    if not source.is_dir():
        _export(model, jobs[0], options)
        return 0
    failures = [job for job in jobs if not _try_export(model, job, options)]
    return 2 if failures else 0


def _single_job(options: ExportVoiceOptions) -> _Job:
    recording, target = options.audio_path, options.export_path
    place = parse(recording)
    own = OwnVoices().find(recording, options.model.language)
    if own is None and recording not in catalogue.voice_names() and isinstance(place, LocalFile):
        checks.check_voice_file(recording, place.path, truncate=options.truncate)
    if target.is_dir():
        without_revision = recording.rpartition("@")[0] or recording
        stem = file_stem(own.name) if own is not None else Path(without_revision).stem
        target = target / f"{stem}{state_file.SUFFIX}"
    if target.suffix != state_file.SUFFIX:
        raise InputError(f"The name of a voice file ends with {state_file.SUFFIX}, which {target} does not.")
    return _Job(recording, target)


def _jobs_of_folder(folder: Path, target: Path) -> list[_Job]:
    recordings = sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES)
    if not recordings:
        raise MissingFileError(f"The folder {folder} holds no recordings ({', '.join(SUFFIXES)}).")
    jobs: dict[str, _Job] = {}
    for path in recordings:
        if path.stem in jobs:
            first = Path(jobs[path.stem].recording).name
            raise InputError(f"{first} and {path.name} would become the same voice file: rename one.")
        jobs[path.stem] = _Job(str(path), target / f"{path.stem}{state_file.SUFFIX}")
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise from_os_error(exc, target) from exc
    return list(jobs.values())


def _try_export(model: TTSModel, job: _Job, options: ExportVoiceOptions) -> bool:
    """Whether the voice file was made."""
    try:
        _export(model, job, options)
    except InputError as error:  # this recording's fault: the others may be good
        streams.show(f"pocketvoice: {job.recording}: {error.message}", error=True)
        return False
    return True


def _export(model: TTSModel, job: _Job, options: ExportVoiceOptions) -> None:
    from pocketvoice.engine.voice_state import export_model_state

    own_voices = OwnVoices()
    own = own_voices.find(job.recording, model.language)
    if own is not None:
        state = own_voices.state(own, model)
    else:
        state = model.get_state_for_audio_prompt(job.recording, truncate=options.truncate, strict=True)
    export_model_state(state, job.target)
    tell(f"Voice file {job.target} written.", quiet=options.quiet)
