"""`serve`: the HTTP server in the foreground, until Ctrl-C. Everything that can be wrong is said before the model is loaded."""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pocketvoice.cli import checks
from pocketvoice.cli.process import on_stop
from pocketvoice.cli.progress import tell
from pocketvoice.errors import InputError, MissingFileError

if TYPE_CHECKING:
    from pocketvoice.server.options import ServerOptions
    from pocketvoice.server.service import ServedModel
    from pocketvoice.worker.parent.client import WorkerClient


def serve(options: argparse.Namespace) -> int:
    """Answers requests until it is stopped."""
    check_extra()
    from pocketvoice.server.options import check, open_socket

    server = check(_server_options(options))
    check_engine(options)
    open_socket(server).close()  # a taken port is told at once
    run_until_stopped(_serve(options, server))
    return 0


def run_until_stopped(work: Coroutine[Any, Any, None]) -> None:
    """Runs a server; raises KeyboardInterrupt when it is stopped, wherever the signal strikes (uvicorn swallows some)."""

    async def run() -> None:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None

        def stop() -> None:
            loop.call_soon_threadsafe(task.cancel)

        with on_stop(stop):
            await work

    try:
        asyncio.run(run())
    except asyncio.CancelledError as exc:
        raise KeyboardInterrupt from exc


async def _serve(options: argparse.Namespace, server: ServerOptions) -> None:
    from pocketvoice.cli.voices import library
    from pocketvoice.server.service import engines, http_server

    async with (
        engines(choice_of(options), options.workers) as clients,
        http_server(clients, server, library()) as listener,
    ):
        tell(options, f"Speaking at {listener.address} ({about(clients)}). Ctrl-C ends it.")
        await asyncio.Event().wait()


def check_extra() -> None:
    """The libraries of the extra `server`."""
    try:
        import psutil  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
        import wyoming  # noqa: F401
    except ImportError as exc:
        raise InputError(
            f"The server needs {exc.name}, which is not installed: `pip install 'pocketvoice[server]'`."
        ) from exc


def check_engine(options: argparse.Namespace) -> None:
    """Model and voice, as far as they can be checked; fetches what is missing."""
    from pocketvoice.cli.model import fetch_speaker

    checks.check_model(options)
    checks.check_voice(options)
    fetch_speaker(options)


def choice_of(options: argparse.Namespace) -> ServedModel:
    """The model of the options."""
    from pocketvoice.server.service import ServedModel

    return ServedModel(
        language=options.language,
        config=options.config,
        precision="int8" if options.quantize else options.precision,
        voice=options.voice,
        temp=options.temperature,
        sampler_decode_steps=options.sampler_decode_steps,
        eos_threshold=options.eos_threshold,
    )


def about(clients: list[WorkerClient]) -> str:
    """Model, voice and engines in a few words."""
    ready = clients[0].ready
    assert ready is not None, "the engines are loaded"
    engines = "" if len(clients) == 1 else f", {len(clients)} engines"
    return f"{ready.language or ready.model_id}, {ready.precision}, voice {Path(ready.default_voice).name}{engines}"


def _server_options(options: argparse.Namespace) -> ServerOptions:
    from pocketvoice.server.options import Limits, ServerOptions, most_body_bytes

    return ServerOptions(
        host=options.host,
        port=options.port,
        keys=tuple(_keys(options)),
        hosts=tuple(options.allowed_host),
        origins=tuple(options.cors_origin),
        voice_addresses=options.allow_voice_urls,
        limits=Limits(
            text_characters=options.max_text,
            body_bytes=most_body_bytes(options.max_text),
            upload_bytes=options.max_upload_mb << 20,
            requests=options.max_requests,
        ),
    )


def _keys(options: argparse.Namespace) -> list[str]:
    keys = [options.api_key or os.environ.get("POCKETVOICE_API_KEY", "")]
    if options.api_key_file:
        try:
            keys += Path(options.api_key_file).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as exc:
            raise MissingFileError(
                f"The key file {options.api_key_file} can't be read: check the path."
            ) from exc
        if not any(key.strip() for key in keys[1:]):
            raise InputError(f"The key file {options.api_key_file} holds no key: write one on a line.")
    return [key.strip() for key in keys if key.strip()]
