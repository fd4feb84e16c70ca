"""A catalogue voice that a model lacks is spoken by the nearest it has."""

import pytest

from pocketvoice.hub import catalogue
from pocketvoice.voices.stand_in import stand_in


@pytest.mark.parametrize(
    ("name", "expected"), [("alba", "slt"), ("eponine", "slt"), ("marius", "rms"), ("juergen", "rms")]
)
def test_a_mans_for_a_mans_and_a_womans_for_a_womans(name: str, expected: str) -> None:
    assert stand_in(name, ["rms", "slt"]) == expected


def test_a_model_with_one_voice_has_one_stand_in() -> None:
    assert {stand_in(name, ["ada"]) for name in catalogue.voice_names()} == {"ada"}
