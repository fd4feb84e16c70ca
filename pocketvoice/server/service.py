"""Puts the parts of a server together: engines with a model, voices, application, address. For the command line and the window."""

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from pocketvoice.server.app import make_app
from pocketvoice.server.listener import Listener
from pocketvoice.server.options import ServerOptions, check
from pocketvoice.server.pool import EnginePool
from pocketvoice.server.uploads import Uploads
from pocketvoice.server.voice_resolver import VoiceResolver
from pocketvoice.voices.library import VoiceLibrary
from pocketvoice.worker.messages import Failed, LoadModel, OutputKind, SamplingOptions, WorkerOptions
from pocketvoice.worker.parent.client import WorkerClient

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ServedModel:
    """Which model the engines load; None is the engine's own choice."""

    language: str | None = None
    config: str | None = None
    precision: str | None = None
    voice: str | None = None
    temp: float | None = None
    sampler_decode_steps: int = 1
    eos_threshold: float | None = None


@asynccontextmanager
async def engines(choice: ServedModel, workers: int) -> AsyncIterator[list[WorkerClient]]:
    """So many workers with the model loaded, one after the other; raises what went wrong with the model."""
    async with AsyncExitStack() as stack:
        clients = []
        for _ in range(workers):
            client = await stack.enter_async_context(
                WorkerClient(WorkerOptions(output=OutputKind.NULL, nice=0))
            )
            sampling = SamplingOptions(
                choice.temp, choice.eos_threshold, sampler_decode_steps=choice.sampler_decode_steps
            )
            handle = await client.send(
                LoadModel(choice.language, choice.config, choice.precision, choice.voice, sampling)
            )
            end = await handle.result()
            if isinstance(end, Failed):
                raise end.error.to_exception()
            clients.append(client)
        yield clients


@asynccontextmanager
async def http_server(
    clients: Sequence[WorkerClient], options: ServerOptions, library: VoiceLibrary | None = None
) -> AsyncIterator[Listener]:
    """Answers at the address of the options while the block runs; raises InputError if it can't."""
    pool = EnginePool(clients, check(options).limits.requests, sound_s=options.limits.sound_s)
    voices = VoiceResolver(
        pool,
        library,
        addresses=options.limits.upload_bytes * options.voice_addresses,
        public_only=not options.private_voice_addresses,
    )
    uploads = Uploads()
    try:
        async with Listener(make_app(pool, voices, uploads, options), options) as listener:
            yield listener
    finally:
        pool.close()
        uploads.close()
