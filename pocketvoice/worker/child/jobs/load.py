"""A model is loaded. On the engine's thread."""

from pocketvoice.hub.progress import DownloadProgress
from pocketvoice.worker.child.jobs.job import Job, Send
from pocketvoice.worker.child.model_host import ModelHost
from pocketvoice.worker.child.scheduler import Kind
from pocketvoice.worker.messages import Loading, LoadModel, Ready


class Load(Job):
    """Loads a model in place of the present one, telling how much was downloaded."""

    kind = Kind.LOAD

    def __init__(self, request: LoadModel, send: Send) -> None:
        super().__init__(request.request_id)
        self.ready: Ready | None = None
        """The result; written by the engine's thread."""
        self._request = request
        self._send = send

    def run(self, host: ModelHost) -> None:
        self.ready = host.load(self._request, self._on_progress, self.stop)

    def _on_progress(self, download: DownloadProgress) -> None:
        done, total = download.done_bytes, download.total_bytes
        self._send(Loading(self.request_id, download.file, done, total, download.bytes_per_second))
