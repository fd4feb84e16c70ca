"""The buttons beside a message, over the controllers alone."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QWidget

from pocketvoice.gui.controllers.messages import Remedy
from pocketvoice.gui.controllers.services import Services
from pocketvoice.gui.main.message_commands import MessageCommands
from pocketvoice.gui.widgets.dialogs import DetailsDialog
from pocketvoice.worker.messages import WorkerState
from tests.gui.conftest import Run, delete, until
from tests.gui.fake_client import OFFLINE


@pytest.fixture
def below(qt: QApplication) -> Iterator[QWidget]:
    """A widget for dialogs to stand over."""
    widget = QWidget()
    yield widget
    delete(widget)


@pytest.mark.expects_log("It broke down")
def test_each_remedy_does_what_it_says(services: Services, below: QWidget, run: Run) -> None:
    lists: list[str] = []
    commands = MessageCommands(
        below,
        services.messages,
        services.models,
        lambda: lists.append("shown"),
        lambda: lists.append("fetched"),
        lambda: lists.append("switched"),
        lambda: lists.append("kept"),
    )
    client = services.client

    def loads() -> list[object]:
        return [request for request in client.requests if request[0] == "load_model"]

    async def story() -> None:
        commands.carry_out(Remedy.CHOOSE_MODEL)
        assert lists == ["shown"]
        commands.carry_out(Remedy.DOWNLOAD)
        assert lists == ["shown", "fetched"]
        commands.carry_out(Remedy.SWITCH)
        commands.carry_out(Remedy.NOT_NOW)
        assert lists[2:] == ["switched", "kept"]
        services.models.load("french")
        commands.carry_out(Remedy.TRY_AGAIN)
        await until(lambda: loads() == [("load_model", "french", None)] * 2)
        client.change(WorkerState.CRASHED, "It broke down.")
        commands.carry_out(Remedy.RESTART)
        await until(lambda: ("restart",) in client.requests)

    run(story())


@pytest.mark.expects_log("OfflineError")
def test_details_of_the_message_are_opened(services: Services, below: QWidget) -> None:
    commands = MessageCommands(below, services.messages, services.models, *[lambda: None] * 4)
    commands.show_details()
    assert below.findChildren(DetailsDialog) == []
    services.messages.show_error(OFFLINE)
    commands.show_details()
    (dialog,) = below.findChildren(DetailsDialog)
    assert OFFLINE.detail in dialog.text.toPlainText()
    dialog.close()
