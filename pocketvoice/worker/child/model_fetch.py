"""The files of a model are fetched, on a thread of its own: the engine goes on speaking with the model that it has."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

from pocketvoice.errors import PocketVoiceError
from pocketvoice.hub import catalogue
from pocketvoice.hub.progress import DownloadProgress, ProgressCallback
from pocketvoice.worker.messages import ErrorInfo, Loading, LoadModel

log = logging.getLogger(__name__)

FetchModel = Callable[[str | None, str | None, ProgressCallback, threading.Event], None]
"""Language, config, progress, cancel: returns when every file is there; raises what stands in the way."""


@dataclass(frozen=True)
class Fetched:
    """A fetch has ended; with an error if the files can't be had."""

    request_id: str
    error: ErrorInfo | None


class ModelFetch:
    """One load's fetch; begins when it is made."""

    def __init__(
        self,
        request: LoadModel,
        fetch: FetchModel,
        tell: Callable[[Loading], None],
        done: Callable[[Fetched], None],
    ) -> None:
        """`tell` and `done` are called on the thread of the fetch."""
        self.request = request  # set once
        self._fetch = fetch  # set once
        self._tell = tell  # set once
        self._done = done  # set once
        self._cancel = threading.Event()
        threading.Thread(target=self._run, name="model-fetch", daemon=True).start()

    def cancel(self) -> None:
        """Ends the download; `done` is called all the same."""
        self._cancel.set()

    def _run(self) -> None:
        error = None
        try:
            language = catalogue.language_to_load(self.request.language, self.request.config)
            self._fetch(language, self.request.config, self._on_progress, self._cancel)
        except Exception as exc:  # outermost loop of a thread
            if not isinstance(exc, PocketVoiceError):
                log.exception("the files of a model could not be fetched")
            error = ErrorInfo.from_exception(exc)
        self._done(Fetched(self.request.request_id, error))

    def _on_progress(self, download: DownloadProgress) -> None:
        if not self._cancel.is_set():
            done, total = download.done_bytes, download.total_bytes
            request_id = self.request.request_id
            self._tell(Loading(request_id, download.file, done, total, download.bytes_per_second))
