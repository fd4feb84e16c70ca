"""Errors as data: out of an exception and back, across the border between the processes."""

import pickle

import pytest

from pocketvoice import errors
from pocketvoice.errors import GenerationError, OfflineError, PocketVoiceError
from pocketvoice.worker.messages import ErrorInfo


def raised(exc: BaseException) -> BaseException:
    """The same with a traceback."""
    try:
        raise exc
    except type(exc) as caught:
        return caught


@pytest.mark.parametrize(
    "kind",
    [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, PocketVoiceError)],
)
def test_our_errors_come_back_as_they_were(kind: type[PocketVoiceError]) -> None:
    sent = ErrorInfo.from_exception(kind("Go online once.", detail="timed out"))
    back = pickle.loads(pickle.dumps(sent)).to_exception()
    assert type(back) is kind
    assert (str(back), back.detail) == ("Go online once.", "timed out")


def test_foreign_words_are_kept_for_the_log_alone() -> None:
    info = ErrorInfo.from_exception(raised(ZeroDivisionError("a library's words")), "Try again.")
    assert (info.kind, info.message) == ("ZeroDivisionError", "Try again.")
    assert "a library's words" in info.detail
    assert "test_messages.py" in info.detail


def test_a_foreign_error_comes_back_as_one_of_ours() -> None:
    for kind in (
        "ZeroDivisionError",
        "WorkerCrashed",
        "Path",
        "errno",
    ):  # the last two are names in errors.py
        assert type(ErrorInfo(kind, "It broke.").to_exception()) is GenerationError


def test_trace_is_added_where_it_is_wanted() -> None:
    exc = raised(OfflineError("Go online once.", detail="timed out"))
    assert ErrorInfo.from_exception(exc).detail == "timed out"
    detail = ErrorInfo.from_exception(exc, trace=True).detail
    assert detail.startswith("timed out\n\nTraceback")
