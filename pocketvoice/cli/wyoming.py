"""`wyoming`: the server for Home Assistant in the foreground, until Ctrl-C."""

import asyncio
from urllib.parse import urlsplit

from pocketvoice.cli.options import WyomingOptions
from pocketvoice.cli.progress import tell
from pocketvoice.cli.serve import check_engine, check_extra, describe, run_until_stopped, served_model

_NO_KEYS = "Everyone who can reach this address can use it: the protocol knows no keys."


def wyoming(options: WyomingOptions) -> int:
    """Answers until it is stopped."""
    check_extra()
    check_engine(options.engine, quiet=options.quiet)
    run_until_stopped(_serve(options))
    return 0


async def _serve(options: WyomingOptions) -> None:
    from pocketvoice.cli.voices import library
    from pocketvoice.server.options import Limits, is_loopback, most_body_bytes
    from pocketvoice.server.pool import EnginePool
    from pocketvoice.server.service import engines
    from pocketvoice.server.voice_resolver import VoiceResolver
    from pocketvoice.server.wyoming import WyomingServer

    engine, quiet = options.engine, options.quiet
    limits = Limits(
        text_characters=engine.max_text,
        body_bytes=most_body_bytes(engine.max_text),
        requests=engine.max_requests,
        sound_s=60.0 * engine.max_sound,
    )
    async with engines(served_model(engine), engine.workers) as clients:
        pool = EnginePool(clients, limits.requests, sound_s=limits.sound_s)
        server = WyomingServer(pool, VoiceResolver(pool, library()), limits)
        try:
            uri = await server.listen(options.uri)
            place = urlsplit(uri)
            if place.scheme == "tcp" and not is_loopback(place.hostname or ""):
                tell(_NO_KEYS, quiet=quiet)
            tell(f"Speaking at {uri} ({describe(clients)}). Ctrl-C ends it.", quiet=quiet)
            await asyncio.Event().wait()
        finally:
            await server.close()
