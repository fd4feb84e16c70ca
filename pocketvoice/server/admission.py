"""Which requests are spoken now and which wait: one bounded queue before all engines. One loop's thread; no locks.

Turns go round among those who ask (an API key, or an address): a thousand requests of one asker do not make another one wait for
more than one of them. Where they fill the queue, the last of them is refused for the other; where all of them are being spoken, the
other one is let in besides. Within one engine the requests take turns again, sentence by sentence (`worker.child`).
"""

import asyncio
import math
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass

from pocketvoice.server.refusals import Refusal

EACH = 16
"""Texts that one engine speaks in turns; more would only make each of them late."""
_BEYOND = 4
"""So many times the places, at most, are taken when those are let in who have less than others."""


@dataclass(eq=False)
class Admission:
    """A request that was let through to an engine; `AdmissionQueue.release` ends it, exactly once."""

    engine: int
    """Index of the engine."""
    who: str
    """Who asked."""
    since: float
    """When it was let through, by `time.monotonic`."""
    is_held: bool = False
    """Whether its client does not take what is made: the engine serves others meanwhile."""
    is_stalled: bool = False
    """Whether that has lasted so long that it keeps no place from others."""
    is_released: bool = False


class AdmissionQueue:
    """Lets requests through to the engines, some at a time."""

    def __init__(
        self, engines: int, most: int, each: int = EACH, *, can_serve: Callable[[int], bool] = lambda _: True
    ) -> None:
        """At most `most` requests are spoken or wait, and at most `each` by one engine, if it `can_serve`."""
        self._can_serve = can_serve
        self._busy = [0] * engines
        self._each = each
        self._most = most
        # Who asks -> how many are spoken or wait; those that stall don't count.
        self._open_of: Counter[str] = Counter()
        self._spoken_of: Counter[str] = Counter()  # who asks -> how many are spoken, and not held
        self._waiting: OrderedDict[str, deque[asyncio.Future[Admission]]] = OrderedDict()
        self._took_s = 1.0  # how long a request is spoken, as a moving average

    @property
    def open(self) -> int:
        """How many requests are being spoken or wait."""
        return self._open_of.total()

    @property
    def waiting(self) -> int:
        """How many requests have no engine yet."""
        return sum(len(queue) for queue in self._waiting.values())

    def speaking(self, engine: int) -> int:
        """How many requests an engine works for."""
        return self._busy[engine]

    async def acquire(self, who: str) -> Admission:
        """Waits for an engine; raises Refusal (429) if too many wait already. If it is cancelled, nothing is acquired."""
        if self.open >= self._most and not self._makes_way_for(who):
            raise self._crowded()
        self._open_of[who] += 1
        if not self._waiting and (engine := self._free(who)) is not None:
            return self._admit(engine, who)
        turn: asyncio.Future[Admission] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(who, deque()).append(turn)
        self.serve()  # it may have a right to be spoken beside those that others wait for
        try:
            return await turn
        except asyncio.CancelledError:
            self._leave(who, turn)
            raise

    def release(self, admission: Admission) -> None:
        """Ends a request: the next one has its engine."""
        assert not admission.is_released, "an admission is released once"
        self.hold(admission, False)
        admission.is_released = True
        self._count_spoken(admission, -1)
        self._open_of[admission.who] -= 1
        self._took_s += 0.2 * (time.monotonic() - admission.since - self._took_s)
        self._open_of, self._spoken_of = +self._open_of, +self._spoken_of  # those who have none are forgotten
        self.serve()

    def hold(self, admission: Admission, held: bool) -> None:
        """Its client has stopped taking, or takes again: while it is held, another one is served. Nothing once it was released."""
        if admission.is_stalled and not held:
            admission.is_stalled = False
            self._open_of[admission.who] += 1
        if admission.is_held != held and not admission.is_released:
            admission.is_held = held
            self._count_spoken(admission, -1 if held else 1)
            self.serve()

    def stall(self, admission: Admission) -> None:
        """A held one gives its place to others, until its client takes again; its engine keeps what was made."""
        if admission.is_held and not admission.is_stalled and not admission.is_released:
            admission.is_stalled = True
            self._open_of[admission.who] -= 1

    def _count_spoken(self, admission: Admission, change: int) -> None:
        self._busy[admission.engine] += change
        self._spoken_of[admission.who] += change

    def _free(self, who: str) -> int | None:
        """The engine that can speak for `who` now: beyond what one speaks at once, for one who has nothing spoken yet."""
        able = filter(self._can_serve, range(len(self._busy)))
        engine = min(able, key=self._busy.__getitem__, default=None)
        if engine is None:
            return None
        is_left_out = not self._spoken_of[who] and max(self._spoken_of.values(), default=0) > 1
        return engine if self._busy[engine] < self._each * (2 if is_left_out else 1) else None

    def _admit(self, engine: int, who: str) -> Admission:
        admission = Admission(engine, who, time.monotonic())
        self._count_spoken(admission, 1)
        return admission

    def refuse_waiting(self, refusal: Refusal) -> None:
        """Ends all requests that wait for an engine."""
        for who, queue in self._waiting.items():
            for turn in queue:
                if not turn.done():
                    turn.set_exception(refusal)
                    self._open_of[who] -= 1
        self._waiting.clear()

    def serve(self) -> None:
        """Gives engines to requests that wait; to be called when an engine has become able to serve."""
        while (found := self._next()) is not None:
            engine, who, turn = found
            if not turn.done():
                turn.set_result(self._admit(engine, who))

    def _next(self) -> "tuple[int, str, asyncio.Future[Admission]] | None":
        """Whose turn it is, and at which engine; None if nobody waits, or no engine is free for those who do."""
        for who, queue in self._waiting.items():
            if (engine := self._free(who)) is not None:
                turn = queue.popleft()
                self._waiting.move_to_end(who)
                if not queue:
                    del self._waiting[who]
                return engine, who, turn
        return None

    def _makes_way_for(self, who: str) -> bool:
        """Whether `who` may come in though all places are taken: somebody has two more than they have, or nobody is spoken to.

        The last request of whoever has most is refused for that, if it waits.
        """
        if self.open >= _BEYOND * self._most:
            return False
        if not any(self._busy) and not self._waiting:
            return True  # all places are held by clients that take nothing
        greedy, most = max(self._open_of.items(), key=lambda item: item[1], default=("", 0))
        if most <= self._open_of[who] + 1:
            return False
        queue = self._waiting.get(greedy)
        if queue and not queue[-1].done():
            queue.pop().set_exception(self._crowded())
            self._open_of[greedy] -= 1
            if not queue:
                del self._waiting[greedy]
        return True

    def _leave(self, who: str, turn: "asyncio.Future[Admission]") -> None:
        if turn.done() and not turn.cancelled():
            # Its turn came at this very moment, or it was refused (then it is counted out already).
            if turn.exception() is None:
                self.release(turn.result())
            return
        self._open_of[who] -= 1
        queue = self._waiting.get(who)
        if queue is not None and turn in queue:
            queue.remove(turn)
            if not queue:
                del self._waiting[who]

    def _crowded(self) -> Refusal:
        at_once = self._each * len(self._busy)
        wait_s = math.ceil(self._took_s * max(1.0, self.waiting / at_once))
        return Refusal(
            429,
            f"{self.open} texts are being spoken or wait already: try again in {max(1, min(wait_s, 60))} s.",
            code="rate_limit_exceeded",
            headers={"retry-after": str(max(1, min(wait_s, 60)))},
        )
