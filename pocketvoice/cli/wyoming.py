"""`wyoming`: the server for Home Assistant in the foreground, until Ctrl-C."""

import argparse
import asyncio
from urllib.parse import urlsplit

from pocketvoice.cli.progress import tell
from pocketvoice.cli.serve import about, check_engine, check_extra, choice_of, run_until_stopped


def wyoming(options: argparse.Namespace) -> int:
    """Answers until it is stopped."""
    check_extra()
    check_engine(options)
    run_until_stopped(_serve(options))
    return 0


async def _serve(options: argparse.Namespace) -> None:
    from pocketvoice.cli.voices import library
    from pocketvoice.server.options import Limits, is_loopback, most_body_bytes
    from pocketvoice.server.pool import EnginePool
    from pocketvoice.server.service import engines
    from pocketvoice.server.voice_resolver import VoiceResolver
    from pocketvoice.server.wyoming import WyomingServer

    limits = Limits(
        text_characters=options.max_text,
        body_bytes=most_body_bytes(options.max_text),
        requests=options.max_requests,
    )
    async with engines(choice_of(options), options.workers) as clients:
        pool = EnginePool(clients, limits.requests)
        server = WyomingServer(pool, VoiceResolver(pool, library()), limits)
        try:
            uri = await server.listen(options.uri)
            place = urlsplit(uri)
            if place.scheme == "tcp" and not is_loopback(place.hostname or ""):
                tell(options, "Everyone who can reach this address can use it: the protocol knows no keys.")
            tell(options, f"Speaking at {uri} ({about(clients)}). Ctrl-C ends it.")
            await asyncio.Event().wait()
        finally:
            await server.close()
