"""Downloads shown on standard error, for the command line and for programs that use the library. One thread at a time."""

import sys
from types import TracebackType
from typing import Any, Self

from pocketvoice.hub.progress import DownloadProgress
from pocketvoice.log import visible

_WORTH_A_LINE = 10e6  # bytes: a silence of some seconds


def on_terminal() -> bool:
    """Whether standard error is looked at; a program without a console has none."""
    return sys.stderr is not None and sys.stderr.isatty()


class DownloadBar:
    """One bar a file, or one line for a large one where there is no terminal; its `update` is a download's callback."""

    def __init__(self, quiet: bool = False) -> None:
        self._quiet = quiet
        self._is_terminal = on_terminal()
        self._bar: Any = None
        self._file = ""

    def update(self, progress: DownloadProgress) -> None:
        """Shows the newest state."""
        if self._quiet:
            return
        is_whole = progress.done_bytes == progress.total_bytes
        if progress.file != self._file or (self._bar is None and self._is_terminal and not is_whole):
            self.close()
            self._begin(progress)
        if self._bar is not None:
            self._bar.total = progress.total_bytes
            self._bar.n = progress.done_bytes
            self._bar.refresh()
            if progress.done_bytes == progress.total_bytes:
                self.close()

    def _begin(self, progress: DownloadProgress) -> None:
        self._file = progress.file
        size = progress.total_bytes or 0
        if self._is_terminal:
            self._bar = _new_bar(progress)
        elif size - progress.done_bytes > _WORTH_A_LINE:
            print(f"Downloading {visible(progress.file)}, {size / 1e6:.0f} MB.", file=sys.stderr)

    def close(self) -> None:
        """Takes the bar away."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _new_bar(progress: DownloadProgress) -> Any:
    from tqdm import tqdm

    return tqdm(
        total=progress.total_bytes, initial=progress.done_bytes, desc=visible(progress.file), unit="B", unit_scale=True, leave=False
    )  # fmt: skip
