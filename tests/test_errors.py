"""The tree of errors: what each is, for callers who know Python's own, and the sentences made from the system's errors."""

import errno
import inspect

import pytest

from pocketvoice import errors
from pocketvoice.errors import DiskFullError, OutputError, PocketVoiceError, from_os_error


def all_errors() -> list[type[PocketVoiceError]]:
    classes = (value for value in vars(errors).values() if inspect.isclass(value))
    return [value for value in classes if issubclass(value, PocketVoiceError)]


def test_tree_is_the_one_that_is_drawn() -> None:
    """Every class stands in the drawing under its base."""
    drawn: dict[str, str] = {}
    path: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        name = next((cls.__name__ for cls in all_errors() if cls.__name__ in line.split()), None)
        if name is None:
            continue
        column = line.index(name)
        path = [(at, parent) for at, parent in path if at < column]
        drawn[name] = path[-1][1] if path else "Exception"
        path.append((column, name))
    assert drawn == {cls.__name__: cls.__bases__[0].__name__ for cls in all_errors()}


def test_python_callers_catch_what_they_know() -> None:
    assert issubclass(errors.InputError, ValueError)
    assert issubclass(errors.MissingFileError, FileNotFoundError)
    assert issubclass(errors.EnvironmentFault, OSError)
    assert issubclass(errors.GenerationError, RuntimeError)
    assert not issubclass(errors.Cancelled, errors.InputError | errors.EnvironmentFault)


@pytest.mark.parametrize("kind", all_errors())
def test_every_error_is_its_sentence(kind: type[PocketVoiceError]) -> None:
    error = kind("A sentence.", detail="for the log")
    assert (str(error), error.message, error.detail) == ("A sentence.", "A sentence.", "for the log")


@pytest.mark.parametrize(
    ("number", "kind", "words"),
    [
        (errno.ENOSPC, DiskFullError, "No space left to write a.wav"),
        (errno.EDQUOT, DiskFullError, "No space left"),
        (errno.ENOENT, OutputError, "its folder does not exist"),
        (errno.ENOTDIR, OutputError, "its folder does not exist"),
        (errno.EACCES, OutputError, "no permission"),
        (errno.EROFS, OutputError, "no permission"),
        (errno.EISDIR, OutputError, "it is a folder"),
        (errno.ENAMETOOLONG, OutputError, "the name is too long"),
        (errno.EIO, OutputError, "Input/output error"),
    ],
)
def test_sentences_for_the_system(number: int, kind: type[PocketVoiceError], words: str) -> None:
    import os

    error = from_os_error(OSError(number, os.strerror(number)), "a.wav")
    assert type(error) is kind
    assert words in error.message
    assert error.message.endswith(".")
    assert error.detail
