"""A stage of a model (FlowLM's step, Mimi's decoder) that several streams use in turns: whoever asked first is next.

A turn is as long as a segment: whoever has the stage keeps it until `leave`, and makes haste while it is wanted (`is_wanted`).
Any thread may call; a user is any object, known by identity.
"""

import threading
from collections import deque


class Stage:
    """Who has it, and who waits for it."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._user: object | None = None  # guarded by _changed
        self._waiting: deque[object] = deque()  # guarded by _changed

    @property
    def is_wanted(self) -> bool:
        """Whether somebody waits for it."""
        return bool(self._waiting)

    def enter(self, user: object, timeout_s: float | None = None) -> bool:
        """Whether `user` has it now; one that waited in vain keeps its place, until it enters or leaves."""
        with self._changed:
            if self._user is user:
                return True
            if user not in self._waiting:
                self._waiting.append(user)
            if not self._changed.wait_for(lambda: self._is_next(user), timeout_s):
                return False
            self._waiting.popleft()
            self._user = user
            return True

    def leave(self, user: object) -> None:
        """Gives it up, or the place among those who wait; nothing for one who has neither."""
        with self._changed:
            if self._user is user:
                self._user = None
            if user in self._waiting:
                self._waiting.remove(user)
            self._changed.notify_all()

    def _is_next(self, user: object) -> bool:
        return self._user is None and self._waiting[0] is user
