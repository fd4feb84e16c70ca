"""Which of a model's own voices speaks in place of a catalogue voice that it does not have. Pure; knows names only."""

from collections.abc import Sequence

_MEN = {
    "marius", "javert", "jean", "charles", "paul", "george", "michael", "bill_boerst", "peter_yearsley", "stuart_bell",
    "giovanni", "juergen", "rafael", "daan", "rms",
}  # fmt: skip
"""Voices of men, in the catalogue and of the built-in model; the others are women's."""


def stand_in(name: str, own: Sequence[str]) -> str:
    """The nearest of the model's `own` voices (at least one): a man's for a man's, a woman's for a woman's, else the first."""
    assert own, "a model without voices has no stand-in"
    return next((voice for voice in own if (voice in _MEN) == (name in _MEN)), own[0])
