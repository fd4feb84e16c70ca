"""`book`: a document becomes an audiobook. What can be told is told before anything heavy is loaded; what was spoken is kept.

This process plans, speaks, and joins; others like it (`book-engine`) speak beside it. A stop or a kill at any moment leaves the
finished pieces in a folder beside the output, and the same command goes on from there.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pocketvoice import paths
from pocketvoice.book import problems
from pocketvoice.book.durations import clock
from pocketvoice.book.encoding import Cover, cover_of
from pocketvoice.book.formats import FORMATS, BookFormat, format_of
from pocketvoice.book.script import Role, Script, script_of, with_tags
from pocketvoice.book.work import WorkFolder, work_folder
from pocketvoice.cli import checks, signals
from pocketvoice.cli.book_report import BookLine, again_text, say, show_plan, told_by_the_summary
from pocketvoice.cli.language import AUTO, model_for
from pocketvoice.cli.options import BookOptions, ModelOptions, SpeakerOptions
from pocketvoice.cli.progress import tell
from pocketvoice.documents import open_document
from pocketvoice.errors import EmptyTextError, InputError, MissingFileError
from pocketvoice.hub import catalogue
from pocketvoice.text.pronunciations import UserPronunciations
from pocketvoice.worker.heavy_imports import heavy_imports

if TYPE_CHECKING:
    from pocketvoice.book.assembly import BookFiles
    from pocketvoice.book.pieces import Piece
    from pocketvoice.book.speaking.making import Spoken
    from pocketvoice.cli.loading import Speaker
    from pocketvoice.engine.tts_model import TTSModel

_LETTERS_A_JOB = 6000
"""A process that speaks less is not worth its start."""
_MOST_JOBS = 8


def book(options: BookOptions) -> int:
    """Makes the book, or tells what it would be."""
    if options.until_stdin_ends:
        threading.Thread(target=_end_with_stdin, name="stdin", daemon=True).start()
    target, kind = _target(options)
    with open_document(options.file) as document:
        script = with_tags(
            script_of(document, options.skip), options.title, options.author, _cover_bytes(options)
        )
    options = _with_model(options, script)
    checks.check_model(options.speaker.model)
    speakers = _speakers(options.speaker, options)
    seeds = [checks.check_voice(speaker) for speaker in speakers.values()]
    options = dataclasses.replace(
        options,
        speech=options.speech.with_default_seed(next((seed for seed in seeds if seed is not None), 0)),
    )
    notes = list(problems.problems(script, _language_code(options.speaker.model)))
    if options.dry_run:
        return _tell_plan(options, script, kind, notes)
    _check_target(target, options.file)
    for note in notes:
        tell(note, quiet=options.quiet)
    return _make(options, script, target, kind, speakers)


def _end_with_stdin() -> None:
    """Whoever started this process and holds its input has gone, or wants no more: whole pieces are on the disk."""
    with contextlib.suppress(OSError, ValueError):
        while sys.stdin.buffer.read(4096):
            pass
    paths.delete_unfinished()
    os._exit(128 + signal.SIGTERM)


# ------------------------------------------------------------ what is wanted


def _target(options: BookOptions) -> tuple[Path, BookFormat]:
    """The file or folder to be made, and the format. Raises InputError."""
    target = options.output or options.file.with_suffix(".m4b")
    kind = format_of(target)
    if kind is not None:
        if options.format is not None and kind is not FORMATS[f".{options.format}"]:
            raise InputError(f"--format {options.format} contradicts the name {target.name}: leave one out.")
        return target, kind
    return target, FORMATS[f".{options.format or 'mp3'}"]


def _is_folder(target: Path) -> bool:
    return format_of(target) is None


def _check_target(target: Path, source: Path) -> None:
    """Raises OutputError before a minute of work, not after it."""
    checks.check_writable(target.with_name(f"{target.name}.parts") if _is_folder(target) else target)
    if target.is_dir():
        checks.check_writable(target / "01.mp3")
    elif target.exists() and target.samefile(source):
        raise InputError(f"The book can't take the place of the document {source}: choose another name.")


def _cover_bytes(options: BookOptions) -> bytes | None:
    if options.cover is None:
        return None
    try:
        data = options.cover.read_bytes()
    except FileNotFoundError as exc:
        raise MissingFileError(f"There is no picture {options.cover} for --cover: check the path.") from exc
    except OSError as exc:
        raise InputError(f"The picture {options.cover} can't be read: {exc.strerror or exc}.") from exc
    cover_of(data, options.cover.name)
    return data


def _cover(script: Script) -> Cover | None:
    """The picture; a document's own is left out where players would not know it."""
    if script.cover is None:
        return None
    with contextlib.suppress(InputError):
        return cover_of(script.cover, "")
    return None


def _with_model(options: BookOptions, script: Script) -> BookOptions:
    """The options with the model named that the text is to be spoken by, where that is to be found out."""
    if options.speaker.model.language != AUTO:
        return options
    model = dataclasses.replace(
        options.speaker.model, language=model_for(script.text[:20_000], quiet=options.quiet)
    )
    return dataclasses.replace(options, speaker=dataclasses.replace(options.speaker, model=model))


def _language_code(model: ModelOptions) -> str:
    return catalogue.language_code(
        catalogue.language_to_load(model.language, model.config or model.checkpoint)
    )


def _speakers(main: SpeakerOptions, options: BookOptions) -> dict[Role, SpeakerOptions]:
    """Who speaks what; roles without a voice of their own are left out."""
    found = {Role.TEXT: main}
    for role, voice in ((Role.HEADING, options.heading_voice), (Role.QUOTE, options.quote_voice)):
        if voice is not None:
            found[role] = dataclasses.replace(main, voice=voice)
    return found


def _tell_plan(options: BookOptions, script: Script, kind: BookFormat, notes: list[str]) -> int:
    estimate = problems.estimate(script)
    chapters = [(one.title, seconds) for one, seconds in zip(script.chapters, estimate.chapters, strict=True)]
    size = problems.size_bytes(estimate.seconds, kind)
    if options.json:
        rows = [{"title": title, "seconds": round(seconds)} for title, seconds in chapters]
        say({"title": script.title, "author": script.author, "language": script.language, "bytes": size,
             "seconds": round(estimate.seconds), "chapters": rows, "problems": notes})  # fmt: skip
    else:
        show_plan(script.title, chapters, size, notes)
    return 0


# ------------------------------------------------------------ making it


def _make(
    options: BookOptions, script: Script, target: Path, kind: BookFormat, speakers: dict[Role, SpeakerOptions]
) -> int:
    from pocketvoice.book.assembly import Assembly, BookFiles

    line = BookLine(script, quiet=options.quiet, as_json=options.json)
    started = time.monotonic()
    try:
        with WorkFolder(target) as work:
            run = _Run(options, script, work, speakers)
            pieces, spoken = run.speak(line)
            if _is_folder(target):
                target.mkdir(exist_ok=True)
            files = BookFiles(
                target, kind, _is_folder(target), options.loudness, options.subtitles, run.narrator
            )
            assembly = Assembly(script, pieces, spoken.takes, work.pieces, run.sample_rate, line.joining)
            made, _levels, seconds = assembly.write(files, _cover(script))
            work.discard()
    except KeyboardInterrupt:
        line.close()
        if signals.was_interrupted():
            folder = work_folder(target)
            tell(
                f"Stopped: what was spoken is kept in {folder}, and the same command goes on there.",
                quiet=options.quiet,
            )
        raise
    finally:
        line.close()
    _summary(options, script, files, made, seconds, time.monotonic() - started, spoken)
    return 0


class _Run:
    """The engines of one run, and the pieces they speak."""

    def __init__(
        self, options: BookOptions, script: Script, work: WorkFolder, speakers: dict[Role, SpeakerOptions]
    ) -> None:
        from pocketvoice.cli.loading import fetch_speaker, load_model, load_voice

        self._options = options
        self._script = script
        self._work = work
        quiet = options.quiet or options.json
        model_options = self._as_before(options.speaker.model)
        speakers = {role: dataclasses.replace(one, model=model_options) for role, one in speakers.items()}
        for one in speakers.values():
            fetch_speaker(one, quiet=quiet)
        self._model: TTSModel = load_model(model_options, quiet=quiet)
        # The others compute as this one does, whatever their trials would say.
        self._model_options = dataclasses.replace(
            model_options, precision=self._model.precision, quantize=False, language=self._model.language
        )
        self._voices: dict[Role, Speaker] = {
            role: load_voice(self._model, one, quiet=quiet) for role, one in speakers.items()
        }
        self._remember(options.speaker.model)
        self.sample_rate = self._model.sample_rate
        self.narrator = self._voices[Role.TEXT].voice_name

    def speak(self, line: BookLine) -> tuple[list[Piece], Spoken]:
        """All pieces of the book, spoken."""
        with heavy_imports():
            from pocketvoice.book.speaking.making import speak_all
        with told_by_the_summary():
            pieces = self._pieces()
            if not any(piece.key for piece in pieces):
                raise EmptyTextError(
                    f"{self._options.file.name} holds nothing that this model can speak: choose another model or document."
                )
            with self._crew() as crew:
                return pieces, speak_all(pieces, crew, self._work.pieces, line.speaking)

    def _pieces(self) -> list[Piece]:
        from pocketvoice.book.pieces import pieces_of
        from pocketvoice.book.speaking.planning import segments_of
        from pocketvoice.engine.reading import Reading

        rules = None if self._options.speech.no_normalise else UserPronunciations().rules()
        roles = list(self._voices)
        of_role = {role: role if role in self._voices else Role.TEXT for role in Role}
        readings = {
            role: Reading(
                not self._options.speech.no_normalise,
                pronunciations=None
                if rules is None
                else rules.for_voice(self._voices[of_role[role]].voice_name),
            )
            for role in Role
        }
        segments = segments_of(self._model, self._script, readings, self._options.speech.max_tokens)
        numbers = {role: roles.index(of_role[role]) for role in Role}
        seed = self._options.speech.seed or 0
        return list(
            pieces_of(segments, [self._identity(voice) for voice in self._voices.values()], numbers, seed)
        )

    def _identity(self, speaker: Speaker) -> str:
        """All that the sound of a voice depends on beside the text."""
        digest = hashlib.sha256()
        for module in sorted(speaker.voice):
            for name, tensor in sorted(speaker.voice[module].items()):
                digest.update(f"{module}/{name} {tuple(tensor.shape)} {tensor.dtype}".encode())
                digest.update(tensor.cpu().float().numpy().tobytes())
        model = self._model
        return f"{model.model_id} {model.precision} {model.device} {model.sampling} {digest.hexdigest()}"

    @contextlib.contextmanager
    def _crew(self) -> Iterator[Any]:
        from pocketvoice.book.speaking.crew import Crew, EngineProcess
        from pocketvoice.book.speaking.speaker import PieceSpeaker
        from pocketvoice.cli.book_engine import setup
        from pocketvoice.engine.voice_state import export_model_state

        voices = [self._work.folder / f"voice{number}.safetensors" for number in range(len(self._voices))]
        jobs = self._jobs()
        local = PieceSpeaker(self._model, [one.voice for one in self._voices.values()], self._work.pieces)
        if jobs > 1:
            for path, one in zip(voices, self._voices.values(), strict=True):
                export_model_state(one.voice, path)
        said = setup(self._model_options, self._work.folder, voices, jobs)
        others = [EngineProcess(paths.program("book-engine", "--quiet"), said) for _ in range(jobs - 1)]
        with signals.on_stop(local.stop):
            try:
                yield Crew([local, *others])
            finally:
                for other in others:
                    other.close()

    def _jobs(self) -> int:
        from pocketvoice.engine import machine
        from pocketvoice.engine.checks import is_cpu

        if self._options.jobs is not None:
            return self._options.jobs
        if not is_cpu(self._options.speaker.model.device):
            return 1
        return max(1, min(machine.cores(), _MOST_JOBS, self._script.letters // _LETTERS_A_JOB))

    # ------------------------------------------------------------ what the run before did

    def _as_before(self, model: ModelOptions) -> ModelOptions:
        """The model and the arithmetic of the run before, where these were left to the program."""
        before = self._work.remembered()
        if before.get("asked") != repr(model):
            return model
        precision = model.precision if model.quantize else before["precision"]
        return dataclasses.replace(model, language=before["language"], precision=precision)

    def _remember(self, asked: ModelOptions) -> None:
        said = {"asked": repr(asked), "language": self._model.language, "precision": self._model.precision}
        self._work.remember(said)


def _summary(
    options: BookOptions,
    script: Script,
    files: BookFiles,
    made: list[Path],
    seconds: float,
    took_s: float,
    spoken: Spoken,
) -> None:
    if options.json:
        said = {"event": "done", "files": [str(path) for path in made], "seconds": round(seconds, 3),
                "took_s": round(took_s, 3), "again": len(spoken.again), "doubtful": len(spoken.doubtful)}  # fmt: skip
        say({**said, "notes": again_text(spoken.again, spoken.doubtful, script)})
        return
    what = "1 chapter" if len(script.chapters) == 1 else f"{len(script.chapters)} chapters"
    speed = f"{seconds / max(took_s, 1e-6):.1f}x real time"
    tell(f"{clock(seconds)} of speech in {what} written to {files.target} ({speed}).", quiet=options.quiet)
    for sentence in again_text(spoken.again, spoken.doubtful, script):
        tell(sentence, quiet=options.quiet)
