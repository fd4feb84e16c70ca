"""What the engine does next, and when it leaves what it is at: pure functions of what is wanted of it. No threads, no engine.

The order: a model to be loaded; the speech that is heard, then the next one; voices to be made; texts spoken into clients' hands,
in turns; files. Loading and making a voice are not left for anything: they can't be taken up again where they were.
"""

import enum
from dataclasses import dataclass


class Kind(enum.Enum):
    """What the engine can be given to do, the most urgent first."""

    LOAD = "load"
    """Load a model. Nothing else can be done meanwhile."""
    SPEAK = "speak"
    """Make what is missing of a speech."""
    CLONE = "clone"
    """Make a voice of a clip."""
    SYNTHESIZE = "synthesize"
    """A turn of a synthesis."""
    EXPORT = "export"
    """Write what is missing of an export."""


@dataclass(frozen=True)
class Work:
    """Something for the engine, or what it is at."""

    kind: Kind
    request_id: str


@dataclass(frozen=True)
class Turn:
    """A synthesis that has not ended, and how urgent its next turn is."""

    request_id: str
    due_s: float
    """When its next sound is wanted, by the monotonic clock: the arrival of the request while nothing was heard of it."""
    is_new: bool = False
    """Whether nothing was heard of it yet."""
    is_full: bool = False
    """Whether its client has enough for now."""


@dataclass(frozen=True)
class Demand:
    """All that is wanted of the engine at a moment; ids of requests, those that came first standing first."""

    load: str | None = None
    """The model to be loaded."""
    is_loaded: bool = False
    """Whether there is a model."""
    speeches: tuple[str, ...] = ()
    """All that have not ended; the first is heard."""
    speech: str | None = None
    """The first of them that needs sound."""
    clones: tuple[str, ...] = ()
    turns: tuple[Turn, ...] = ()
    exports: tuple[str, ...] = ()
    last_turn_was_new: bool = False
    """Whether the turn being made, or the last one, went to a synthesis of which nothing had been heard."""
    now_s: float = 0.0
    """The monotonic clock, seconds."""


def next_work(demand: Demand) -> Work | None:
    """What an engine that has nothing to do is given."""
    if demand.load is not None:
        return Work(Kind.LOAD, demand.load)
    if not demand.is_loaded:
        return None
    if demand.speech is not None:
        return Work(Kind.SPEAK, demand.speech)
    if demand.clones:
        return Work(Kind.CLONE, demand.clones[0])
    turn = next_turn(demand)
    if turn is not None:
        return Work(Kind.SYNTHESIZE, turn.request_id)
    return Work(Kind.EXPORT, demand.exports[0]) if demand.exports else None


def must_leave(work: Work, demand: Demand) -> bool:
    """Whether the engine leaves its work within a step, for something that is wanted more or because it is wanted no more."""
    if work.kind in (Kind.LOAD, Kind.CLONE):
        return False
    if demand.load is not None:
        return True
    if work.kind is Kind.SPEAK:
        return work.request_id not in demand.speeches or _current_needs_it(work, demand)
    if work.kind is Kind.EXPORT and next_turn(demand) is not None:
        return True
    return demand.speech is not None or bool(demand.clones)


def _current_needs_it(speaking: Work, demand: Demand) -> bool:
    """Whether another speech is being made than the one that is heard, and that one needs sound."""
    return demand.speech == demand.speeches[0] != speaking.request_id


def turn_is_over(work: Work, demand: Demand) -> bool:
    """Whether another synthesis has the next turn: the engine leaves this one at the end of the segment."""
    turn = next_turn(demand)
    return work.kind is Kind.SYNTHESIZE and turn is not None and turn.request_id != work.request_id


def next_turn(demand: Demand) -> Turn | None:
    """The most urgent synthesis, of those whose clients have not enough.

    One of which nothing was heard yet goes first, but gets no second turn in a row while another one's sound has run out; then it
    is the one whose sound runs out first.
    """
    able = sorted((turn for turn in demand.turns if not turn.is_full), key=lambda turn: turn.due_s)
    new = next((turn for turn in able if turn.is_new), None)
    begun = next((turn for turn in able if not turn.is_new), None)
    is_late = begun is not None and begun.due_s < demand.now_s
    return begun if new is None or (is_late and demand.last_turn_was_new) else new
