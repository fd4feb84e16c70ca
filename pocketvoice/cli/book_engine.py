"""`book-engine`: one of several processes that speak the pieces of a book; `book` starts it and talks to it over its streams."""

import dataclasses
import sys
from pathlib import Path
from typing import Any

from pocketvoice.cli.book_report import told_by_the_summary
from pocketvoice.cli.options import BookEngineOptions, ModelOptions
from pocketvoice.engine import machine
from pocketvoice.worker.heavy_imports import heavy_imports


def book_engine(_options: BookEngineOptions) -> int:
    """Speaks what is asked for on standard input, until that ends."""
    from pocketvoice.book.speaking.child import serve

    with told_by_the_summary():
        serve(sys.stdin, sys.stdout, load)
    return 0


def setup(model: ModelOptions, folder: Path, voices: list[Path], jobs: int) -> dict[str, object]:
    """What an engine has to know, for its first line."""
    return {
        "model": dataclasses.asdict(model),
        "folder": str(folder),
        "voices": [str(voice) for voice in voices],
        "jobs": jobs,
    }


def load(given: dict[str, Any]) -> Any:
    """The other side of `setup`: what speaks the pieces."""
    from pocketvoice.book.work import Pieces
    from pocketvoice.cli.loading import load_model

    machine.share(given["jobs"])  # helpers beside helpers would only wait for each other
    model = load_model(ModelOptions(**given["model"]), quiet=True)
    with heavy_imports():
        from pocketvoice.book.speaking.speaker import PieceSpeaker
    voices = [model.get_state_for_audio_prompt(voice) for voice in given["voices"]]
    return PieceSpeaker(model, voices, Pieces(Path(given["folder"])))
