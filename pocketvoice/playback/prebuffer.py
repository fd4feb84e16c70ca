"""How much sound to collect before it is played, so that it does not break off when the model is slow. Pure functions."""

FRAME_S = 0.08
"""What the engine makes at a time at first."""
_SPARE = 1.1
"""A model this much faster than the speech is fast enough: nothing is collected."""
_MOST_LATE_S = 0.4
MAX_PREBUFFER_S = 20.0
"""No one waits longer at a time for a long text; it then breaks off, once, at a place where it has to wait again."""


def prebuffer_s(made_per_s: float | None, speed: float, left_s: float, late_s: float = 0.0) -> float:
    """Seconds of sound (at speed 1) to have before playing `left_s` of it at `speed`.

    `made_per_s` is how much the model makes in a second; None, not measured yet, is taken as fast. `late_s` is how late a chunk
    may come, on a machine that has other things to do.
    """
    if made_per_s is None or made_per_s >= speed * _SPARE:
        faster = 2 * FRAME_S * max(0.0, speed - 1)  # played faster, a frame is over before the next one comes
        return faster + min(late_s, _MOST_LATE_S) * speed
    missing = left_s * (1 - made_per_s / (speed * _SPARE))
    return min(missing, MAX_PREBUFFER_S)


def wait_s(needed_s: float, ready_s: float, made_per_s: float | None) -> float:
    """Seconds until `needed_s` of sound are collected, of which `ready_s` are there; 0 if the model's speed is not known."""
    return max(0.0, needed_s - ready_s) / made_per_s if made_per_s else 0.0
