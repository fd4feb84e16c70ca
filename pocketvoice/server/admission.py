"""Which requests are spoken now and which wait: one bounded queue before all engines. One loop's thread; no locks.

Turns go round among those who ask (an API key, or an address): a thousand requests of one asker do not make another one wait for
more than one of them, and where they fill the queue the last of them is refused for the other. Within one engine the requests
take turns again, sentence by sentence (`worker.child`).
"""

import asyncio
import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass

from pocketvoice.server.refusals import Refusal

EACH = 16
"""Texts that one engine speaks in turns; more would only make each of them late."""


@dataclass(eq=False)
class Admission:
    """A request that was let through to an engine; `AdmissionQueue.release` ends it, exactly once."""

    engine: int
    """Index of the engine."""
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
        self._open = 0
        self._waiting: OrderedDict[str, deque[asyncio.Future[Admission]]] = OrderedDict()
        self._took_s = 1.0  # how long a request is spoken, as a moving average

    @property
    def open(self) -> int:
        """How many requests are being spoken or wait."""
        return self._open

    @property
    def waiting(self) -> int:
        """How many requests have no engine yet."""
        return sum(len(queue) for queue in self._waiting.values())

    def speaking(self, engine: int) -> int:
        """How many requests an engine works for."""
        return self._busy[engine]

    async def acquire(self, who: str) -> Admission:
        """Waits for an engine; raises Refusal (429) if too many wait already. If it is cancelled, nothing is acquired."""
        if self._open >= self._most and not self._makes_way_for(who):
            raise self._crowded()
        self._open += 1
        if not self._waiting and (engine := self._free()) is not None:
            return self._admit(engine)
        turn: asyncio.Future[Admission] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(who, deque()).append(turn)
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
        self._busy[admission.engine] -= 1
        self._open -= 1
        self._took_s += 0.2 * (time.monotonic() - admission.since - self._took_s)
        self.serve()

    def hold(self, admission: Admission, held: bool) -> None:
        """Its client has stopped taking, or takes again: while it is held, another one is served. Nothing once it was released."""
        if admission.is_stalled and not held:
            admission.is_stalled = False
            self._open += 1
        if admission.is_held != held and not admission.is_released:
            admission.is_held = held
            self._busy[admission.engine] += -1 if held else 1
            self.serve()

    def stall(self, admission: Admission) -> None:
        """A held one gives its place to others, until its client takes again; its engine keeps what was made."""
        if admission.is_held and not admission.is_stalled and not admission.is_released:
            admission.is_stalled = True
            self._open -= 1

    def _free(self) -> int | None:
        able = filter(self._can_serve, range(len(self._busy)))
        engine = min(able, key=self._busy.__getitem__, default=None)
        return engine if engine is not None and self._busy[engine] < self._each else None

    def _admit(self, engine: int) -> Admission:
        self._busy[engine] += 1
        return Admission(engine, time.monotonic())

    def refuse_waiting(self, refusal: Refusal) -> None:
        """Ends all requests that wait for an engine."""
        for turn in [turn for queue in self._waiting.values() for turn in queue if not turn.done()]:
            turn.set_exception(refusal)
            self._open -= 1
        self._waiting.clear()

    def serve(self) -> None:
        """Gives engines to requests that wait; to be called when an engine has become able to serve."""
        while self._waiting and (engine := self._free()) is not None:
            turn = self._next()
            if not turn.done():
                turn.set_result(self._admit(engine))

    def _next(self) -> "asyncio.Future[Admission]":
        who, queue = next(iter(self._waiting.items()))
        turn = queue.popleft()
        self._waiting.move_to_end(who)
        if not queue:
            del self._waiting[who]
        return turn

    def _makes_way_for(self, who: str) -> bool:
        """Refuses the last request of whoever waits with most, for one who waits with less; whether there was one."""
        most = max(self._waiting.values(), key=len, default=deque())
        if len(most) <= len(self._waiting.get(who, ())) + 1 or most[-1].done():
            return False
        most.pop().set_exception(self._crowded())
        self._open -= 1
        return True

    def _leave(self, who: str, turn: "asyncio.Future[Admission]") -> None:
        if turn.done() and not turn.cancelled():
            # Its turn came at this very moment, or it was refused (then it is counted out already).
            if turn.exception() is None:
                self.release(turn.result())
            return
        self._open -= 1
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
            f"{self._open} texts are being spoken or wait already: try again in {max(1, min(wait_s, 60))} s.",
            code="rate_limit_exceeded",
            headers={"retry-after": str(max(1, min(wait_s, 60)))},
        )
