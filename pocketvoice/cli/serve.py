"""`serve`: the HTTP server in the foreground, until Ctrl-C. Everything that can be wrong is said before the model is loaded."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pocketvoice.cli import checks
from pocketvoice.cli.options import EngineOptions, ServeOptions
from pocketvoice.cli.progress import tell
from pocketvoice.cli.signals import on_stop
from pocketvoice.errors import InputError, MissingFileError

if TYPE_CHECKING:
    from pocketvoice.server.options import ServerOptions
    from pocketvoice.server.service import ServedModel
    from pocketvoice.worker.parent.client import WorkerClient


def serve(options: ServeOptions) -> int:
    """Answers requests until it is stopped."""
    check_extra()
    from pocketvoice.server.options import check, open_socket

    server = check(_server_options(options))
    check_engine(options.engine, quiet=options.quiet)
    open_socket(server).close()  # a taken port is told at once
    run_until_stopped(_serve(options, server))
    return 0


def run_until_stopped(work: Coroutine[Any, Any, None]) -> None:
    """Runs a server; raises KeyboardInterrupt when it is stopped, wherever the signal strikes (uvicorn swallows some)."""

    async def run() -> None:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None, "asyncio.run makes a task of it"

        def stop() -> None:
            loop.call_soon_threadsafe(task.cancel)

        with on_stop(stop):
            await work

    try:
        asyncio.run(run())
    except asyncio.CancelledError as exc:
        raise KeyboardInterrupt from exc


async def _serve(options: ServeOptions, server: ServerOptions) -> None:
    from pocketvoice.cli.voices import library
    from pocketvoice.server.service import engines, http_server

    async with (
        engines(served_model(options.engine), options.engine.workers) as clients,
        http_server(clients, server, library()) as listener,
    ):
        sentence = f"Speaking at {listener.address} ({describe(clients)}). Ctrl-C ends it."
        tell(sentence, quiet=options.quiet)
        await asyncio.Event().wait()


def check_extra() -> None:
    """Raises InputError, with the remedy, if the libraries of the extra `server` are missing."""
    try:
        import psutil  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
        import wyoming  # noqa: F401
    except ImportError as exc:
        raise InputError(
            f"The server needs {exc.name}, which is not installed: `pip install 'pocketvoice[server]'`."
        ) from exc


def check_engine(options: EngineOptions, *, quiet: bool) -> None:
    """Checks model and voice, as far as that goes before they are loaded; fetches what is missing."""
    from pocketvoice.cli.loading import fetch_speaker

    checks.check_model(options.speaker.model)
    checks.check_voice(options.speaker)
    fetch_speaker(options.speaker, quiet=quiet)


def served_model(options: EngineOptions) -> ServedModel:
    """The model and voice of the options, as the server's engines take them."""
    from pocketvoice.server.service import ServedModel

    model = options.speaker.model
    return ServedModel(
        language=model.language,
        config=model.config,
        precision="int8" if model.quantize else model.precision,
        voice=options.speaker.voice,
        temp=model.temperature,
        sampler_decode_steps=model.sampler_decode_steps,
        eos_threshold=model.eos_threshold,
    )


def describe(clients: list[WorkerClient]) -> str:
    """Model, precision, voice and number of engines in a few words."""
    ready = clients[0].ready
    assert ready is not None, "the engines are loaded"
    engines = "" if len(clients) == 1 else f", {len(clients)} engines"
    return f"{ready.language or ready.model_id}, {ready.precision}, voice {Path(ready.default_voice).name}{engines}"


def _server_options(options: ServeOptions) -> ServerOptions:
    from pocketvoice.server.options import Limits, ServerOptions, most_body_bytes

    engine = options.engine
    return ServerOptions(
        host=options.host,
        port=options.port,
        keys=tuple(_keys(options)),
        hosts=options.allowed_host,
        origins=options.cors_origin,
        voice_addresses=options.allow_voice_urls,
        limits=Limits(
            text_characters=engine.max_text,
            body_bytes=most_body_bytes(engine.max_text),
            upload_bytes=options.max_upload_mb << 20,
            requests=engine.max_requests,
            sound_s=60.0 * engine.max_sound,
        ),
    )


def _keys(options: ServeOptions) -> list[str]:
    keys = [options.api_key or os.environ.get("POCKETVOICE_API_KEY", "")]
    if options.api_key_file is not None:
        keys += _keys_of_file(options.api_key_file)
    return [key.strip() for key in keys if key.strip()]


def _keys_of_file(path: Path) -> list[str]:
    try:
        keys = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as exc:
        raise MissingFileError(f"The key file {path} can't be read: check the path.") from exc
    if not any(key.strip() for key in keys):
        raise InputError(f"The key file {path} holds no key: write one on a line.")
    return keys
