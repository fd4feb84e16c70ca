"""Pieces are spoken once, those that do not fit again, by any number of engines, with the same result."""

import threading
from pathlib import Path

import numpy as np
import pytest

from pocketvoice.book.fit import Take
from pocketvoice.book.pieces import IN_PARTS, Passaged, Piece, Task, pieces_of, task
from pocketvoice.book.script import Role
from pocketvoice.book.speaking.crew import Crew, EngineGone
from pocketvoice.book.speaking.making import Progress, speak_all
from pocketvoice.book.work import Pieces
from pocketvoice.errors import DiskFullError, GenerationError
from pocketvoice.text.segment import Segment

RATE = 24_000
PACE = 15.0


class TalkingEngine:
    """Makes noise as long as its text, but for the takes that are told to go wrong."""

    def __init__(self, folder: Pieces, wrong: dict[str, dict[int, float | None]] | None = None) -> None:
        """`wrong`: text -> take -> factor of its length; None never ends."""
        self._folder = folder
        self._wrong = wrong or {}
        self.spoken: list[tuple[str, int]] = []
        self.stopped = threading.Event()

    def speak(self, asked: Task) -> Take:
        self.spoken.append((asked.text, asked.take))
        factor = self._wrong.get(asked.text, {}).get(asked.take, 1.0)
        seconds = (0.15 + len(asked.text) / PACE) * (1.0 if factor is None else factor)
        samples = 0.1 * np.random.default_rng(asked.seed).standard_normal(int(seconds * RATE)).astype(
            np.float32
        )
        return self._folder.write(asked.key, asked.take, factor is not None, samples, RATE)

    def stop(self) -> None:
        self.stopped.set()


def pieces(*texts: str) -> list[Piece]:
    segments = [Passaged(0, Role.TEXT, text, Segment(text, (1, 2), (0, len(text)), 3)) for text in texts]
    return list(pieces_of(segments, ["voice"], dict.fromkeys(Role, 0), seed=0))


TEXTS = [f"The children number {n} walked to the harbour in the sun." for n in range(8)]


def test_all_are_spoken_once_and_told(tmp_path: Path) -> None:
    engine, told = TalkingEngine(Pieces(tmp_path)), list[Progress]()
    made = speak_all(pieces(*TEXTS), Crew([engine]), Pieces(tmp_path), told.append)
    assert sorted(engine.spoken) == [(text, 0) for text in TEXTS]
    assert not made.again
    assert [one.done for one in told] == list(range(9))
    assert told[-1].fraction == 1.0
    speak_all(pieces(*TEXTS), Crew([engine]), Pieces(tmp_path), told.append)
    assert len(engine.spoken) == 8  # nothing twice


def test_what_does_not_fit_is_spoken_again(tmp_path: Path) -> None:
    wrong = {
        TEXTS[1]: {0: 2.0},
        TEXTS[4]: {0: None, 1: 0.3, 2: 2.0, 3: 1.7},
        TEXTS[6]: dict.fromkeys(range(4)),
    }
    engine = TalkingEngine(Pieces(tmp_path), wrong)
    said = pieces(*TEXTS)
    made = speak_all(said, Crew([engine]), Pieces(tmp_path), lambda _: None)
    assert [piece.source for piece in made.again] == [TEXTS[1], TEXTS[4], TEXTS[6]]
    assert [piece.source for piece in made.doubtful] == [TEXTS[4]]
    heard = {piece.source: made.takes[piece.key].number for piece in said}
    assert heard == {**dict.fromkeys(TEXTS, 0), TEXTS[1]: 1, TEXTS[4]: 3, TEXTS[6]: IN_PARTS}


def test_number_and_order_of_engines_change_nothing(tmp_path: Path) -> None:
    wrong = {TEXTS[1]: {0: 2.0}, TEXTS[5]: {0: None, 1: 1.9}}
    results = []
    for number in (1, 3):
        folder = tmp_path / str(number)
        folder.mkdir()
        engines = [TalkingEngine(Pieces(folder), wrong) for _ in range(number)]
        made = speak_all(pieces(*TEXTS), Crew(engines), Pieces(folder), lambda _: None)
        results.append({key: Pieces(folder).path(key, take).read_bytes() for key, take in made.takes.items()})
        assert sum(len(engine.spoken) for engine in engines) == 8 + 3
    assert results[0] == results[1]


def test_a_sentence_that_comes_again_is_another_piece_with_the_same_words() -> None:
    first, second, third = pieces("He said.", "He said.", "She said.")
    assert len({first.key, second.key, third.key}) == 3
    assert pieces("He said.", "No.", "He said.")[2].key == second.key  # whatever stands between
    assert task(first, 0).seed != task(first, 1).seed
    assert Task.of_json(task(first, 2).to_json()) == task(first, 2)


class DyingEngine(TalkingEngine):
    """Its process is killed at its second task."""

    def speak(self, asked: Task) -> Take:
        if self.spoken:
            raise EngineGone
        return super().speak(asked)


@pytest.mark.expects_log("An engine of the book has ended")
def test_an_engine_that_dies_loses_nothing(tmp_path: Path) -> None:
    folder = Pieces(tmp_path)
    made = speak_all(
        pieces(*TEXTS), Crew([TalkingEngine(folder), DyingEngine(folder)]), folder, lambda _: None
    )
    assert len(made.takes) == 8
    with pytest.raises(GenerationError, match="same command again"):
        speak_all(
            pieces(*(f"{text} More." for text in TEXTS)), Crew([DyingEngine(folder)]), folder, lambda _: None
        )


def test_an_error_ends_all_engines(tmp_path: Path) -> None:
    class FullEngine(TalkingEngine):
        def speak(self, asked: Task) -> Take:
            raise DiskFullError("No space left.")

    folder = Pieces(tmp_path)
    other = TalkingEngine(folder)
    with pytest.raises(DiskFullError):
        speak_all(pieces(*TEXTS), Crew([FullEngine(folder), other]), folder, lambda _: None)
    assert other.stopped.is_set()
