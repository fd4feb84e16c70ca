"""Fetches what a model is loaded from, without loading it: another model may go on speaking meanwhile. From any thread."""

import threading
from pathlib import Path

from pocketvoice.engine.loading import Fetcher, config_source
from pocketvoice.hub.progress import ProgressCallback
from pocketvoice.model.config import load_config


def fetch_model(
    language: str | None,
    config: str | Path | None,
    progress: ProgressCallback | None = None,
    cancel: threading.Event | None = None,
) -> None:
    """Downloads the files of a model that are not on this computer; loading it needs no network afterwards.

    Raises what `TTSModel.load_model` raises for them: InputError, ConfigError, HubError, DiskFullError, Cancelled.
    """
    fetcher = Fetcher(progress, cancel)
    _, address = config_source(language, config)
    found = load_config(fetcher.path(address))
    lm_source, mimi_source = found.flow_lm.weights_path, found.mimi.weights_path
    if found.weights_path is not None:
        fetcher.weights(found)
    elif lm_source is not None:
        fetcher.path(lm_source)
    for source in (mimi_source, found.flow_lm.lookup_table.tokenizer_path):
        if source is not None:
            fetcher.path(source)
