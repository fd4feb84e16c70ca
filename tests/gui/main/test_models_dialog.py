"""A few models to choose among for each language, all of them behind a switch."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from pocketvoice.gui.controllers.model_list import model_choices, model_title, voice_title
from pocketvoice.gui.main.models_dialog import ModelsDialog
from tests.gui.conftest import delete
from tests.gui.roles import unnamed


@pytest.fixture
def dialog(qt: QApplication) -> Iterator[ModelsDialog]:
    """While the built-in model speaks: sixty seconds of sound in one."""
    made = ModelsDialog(model_choices(), "builtin_en", ("builtin_en", 60.0))
    made.show()
    yield made
    delete(made)


def tiers(dialog: ModelsDialog) -> list[str]:
    return [card.text() for card in dialog.cards.values()]


def test_few_models_with_size_speed_and_a_sentence(dialog: ModelsDialog) -> None:
    assert tiers(dialog) == ["Built in", "Small", "Good", "Best"]
    assert dialog.selected() == "builtin_en"
    assert dialog.use.text() == "Use"
    described = {card.text(): card.accessibleDescription() for card in dialog.cards.values()}
    assert described["Built in"].startswith("on this computer · a minute of speech in about 1 s.")
    assert described["Good"].startswith("219 MB to download · a minute of speech in about ")
    assert "much more to compute" in described["Best"]
    assert not dialog.list.isVisible()
    dialog.cards["english"].setChecked(True)
    assert (dialog.selected(), dialog.use.text()) == ("english", "Download and use")
    assert unnamed(dialog) == []


def test_other_language_offers_its_own(dialog: ModelsDialog) -> None:
    dialog.languages.setCurrentText("French")
    assert tiers(dialog) == ["Good", "Best"]
    assert dialog.selected() == "french"


def test_all_models_are_behind_a_switch(dialog: ModelsDialog) -> None:
    dialog.all_models.click()
    assert dialog.list.isVisible()
    assert dialog.list.topLevelItemCount() == len(model_choices())
    chosen: list[str] = []
    dialog.model_chosen.connect(chosen.append)
    dialog.list.setCurrentItem(dialog.list.topLevelItem(3))
    name = dialog.selected()
    dialog.use.click()
    assert chosen == [name]


def test_model_that_is_none_of_the_few_is_shown_among_all(qt: QApplication) -> None:
    dialog = ModelsDialog(model_choices(), "english_2026-04")
    dialog.show()
    try:
        assert dialog.list.isVisible()
        assert dialog.selected() == "english_2026-04"
        assert "a minute" not in dialog.cards["english"].accessibleDescription()  # nothing was measured
    finally:
        delete(dialog)


def test_names_are_those_of_people() -> None:
    assert [voice_title(voice) for voice in ("slt", "rms", "bill_boerst")] == ["Sally", "Ross", "Bill Boerst"]
    assert model_title("english_2026-09_24l") == "English (best)"
    assert model_title("english") == "English"
