"""Coroutines of the window: their errors are shown, and they end with it."""

import asyncio

import pytest

from tests.gui.conftest import Run, until
from tests.gui.parts import Parts


@pytest.mark.expects_log("KeyError")
def test_unexpected_errors_of_tasks_are_shown(parts: Parts, run: Run) -> None:
    async def broken() -> None:
        raise KeyError("oops")

    async def story() -> None:
        parts.tasks.start(broken())
        await until(lambda: parts.messages.message is not None)
        assert parts.messages.message is not None
        assert "Something went wrong inside the program" in parts.messages.message.text
        assert "oops" in parts.messages.message.detail

    run(story())


def test_tasks_end_with_the_window(parts: Parts, run: Run) -> None:
    async def story() -> None:
        parts.tasks.start(asyncio.sleep(1000))
        await parts.tasks.close()
        parts.tasks.start(asyncio.sleep(1000))  # is not begun

    run(story())
