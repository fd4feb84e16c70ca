"""Who is spoken for now and who waits: one bounded queue before all engines. One loop's thread; no locks.

Turns go round among those who ask (an API key, or an address): a thousand requests of one do not make the other wait for
more than one of them, and where they fill the queue the last of them is sent away for it. Within one engine the requests
take turns again, sentence by sentence (`worker.synthesis`).
"""

import asyncio
import math
import time
from collections import OrderedDict, deque
from dataclasses import dataclass

from pocketvoice.server.refusals import Refusal

EACH = 16
"""Texts that one engine speaks in turns; more would only make each of them late."""


@dataclass(eq=False)
class Admission:
    """A request's place at an engine; given back exactly once."""

    engine: int
    since: float
    is_held: bool = False  # its client does not take what is made: the engine serves others meanwhile
    is_back: bool = False


class AdmissionQueue:
    """The queue and the engines behind it."""

    def __init__(self, engines: int, most: int, each: int = EACH) -> None:
        """At most `most` requests are spoken for or wait."""
        self._busy = [0] * engines
        self._each = each
        self._most = most
        self._open = 0
        self._waiting: OrderedDict[str, deque[asyncio.Future[Admission]]] = OrderedDict()
        self._took_s = 1.0  # how long a place is kept, lately

    @property
    def open(self) -> int:
        """Requests being spoken or waiting."""
        return self._open

    @property
    def waiting(self) -> int:
        """Requests that have no engine yet."""
        return sum(len(queue) for queue in self._waiting.values())

    def speaking(self, engine: int) -> int:
        """Requests an engine works for."""
        return self._busy[engine]

    async def take(self, who: str) -> Admission:
        """Waits for an engine; raises Refusal (429) if too many wait already. If it is cancelled, nothing is taken."""
        if self._open >= self._most and not self._makes_way_for(who):
            raise self._crowded()
        self._open += 1
        if not self._waiting and (engine := self._free()) is not None:
            return self._place(engine)
        turn: asyncio.Future[Admission] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(who, deque()).append(turn)
        try:
            return await turn
        except asyncio.CancelledError:
            self._leave(who, turn)
            raise

    def give_back(self, place: Admission) -> None:
        """The request has ended."""
        assert not place.is_back, "a place is given back once"
        self.hold(place, False)
        place.is_back = True
        self._busy[place.engine] -= 1
        self._open -= 1
        self._took_s += 0.2 * (time.monotonic() - place.since - self._took_s)
        self._serve()

    def hold(self, place: Admission, held: bool) -> None:
        """Its client has stopped taking, or takes again: while it is held, another one is served. Nothing once it is back."""
        if place.is_held != held and not place.is_back:
            place.is_held = held
            self._busy[place.engine] += -1 if held else 1
            self._serve()

    def _free(self) -> int | None:
        engine = min(range(len(self._busy)), key=self._busy.__getitem__)
        return engine if self._busy[engine] < self._each else None

    def _place(self, engine: int) -> Admission:
        self._busy[engine] += 1
        return Admission(engine, time.monotonic())

    def _serve(self) -> None:
        while self._waiting and (engine := self._free()) is not None:
            turn = self._next()
            if not turn.done():
                turn.set_result(self._place(engine))

    def _next(self) -> "asyncio.Future[Admission]":
        who, queue = next(iter(self._waiting.items()))
        turn = queue.popleft()
        self._waiting.move_to_end(who)
        if not queue:
            del self._waiting[who]
        return turn

    def _makes_way_for(self, who: str) -> bool:
        """Whether the last one of whoever waits with most was sent away, for one who waits with less."""
        most = max(self._waiting.values(), key=len, default=deque())
        if len(most) <= len(self._waiting.get(who, ())) + 1 or most[-1].done():
            return False
        most.pop().set_exception(self._crowded())
        self._open -= 1
        return True

    def _leave(self, who: str, turn: "asyncio.Future[Admission]") -> None:
        if turn.done() and not turn.cancelled():
            if turn.exception() is None:
                self.give_back(turn.result())
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
