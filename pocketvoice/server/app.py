"""The HTTP application: endpoints, the guard before them, and the shape of every error. Any ASGI server can run it."""

import logging
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pocketvoice.server.endpoints import Endpoints
from pocketvoice.server.guard import Guard
from pocketvoice.server.options import ServerOptions
from pocketvoice.server.pool import EnginePool
from pocketvoice.server.refusals import Refusal, response_of
from pocketvoice.server.uploads import Uploads
from pocketvoice.server.voice_resolver import VoiceResolver

log = logging.getLogger(__name__)


def make_app(pool: EnginePool, voices: VoiceResolver, uploads: Uploads, options: ServerOptions) -> Starlette:
    """The application; whoever made its parts closes them."""
    endpoints = Endpoints(pool, voices, uploads, options)
    routes = [
        Route("/", endpoints.root),
        Route("/health", endpoints.health),
        Route("/voices", endpoints.voices),
        Route("/docs", endpoints.docs),
        Route("/openapi.json", endpoints.openapi),
        Route("/v1/models", endpoints.models),
        Route("/v1/models/{name:path}", endpoints.model),
        Route("/v1/audio/speech", endpoints.speech, methods=["POST"]),
        Route("/tts", endpoints.tts, methods=["POST"]),
        Route("/generate", endpoints.generate, methods=["POST"]),
        Route("/stream", endpoints.stream, methods=["POST"]),
    ]
    middleware = [Middleware(Guard, options=options)]
    if options.origins:
        listed: Any = {
            "allow_origins": options.origins,
            "allow_methods": ["GET", "POST"],
            "allow_headers": ["*"],
            "expose_headers": ["retry-after"],
            "allow_private_network": True,  # a browser asks this of a page elsewhere before it reaches loopback
        }
        middleware.insert(0, Middleware(CORSMiddleware, **listed))
    handlers: Any = {HTTPException: _on_http, Exception: _on_failure}
    return Starlette(routes=routes, middleware=middleware, exception_handlers=handlers)


async def _on_http(request: Request, exc: HTTPException) -> Response:
    """Answers what the router refuses: an unknown path, a wrong method."""
    sentence = {404: "There is nothing at this path.", 405: "This path does not take that method."}
    message = sentence.get(exc.status_code, exc.detail)
    return response_of(Refusal(exc.status_code, message, headers=exc.headers), request.url.path)


async def _on_failure(request: Request, exc: Exception) -> Response:
    """Answers a defect of ours; the traceback is logged by whoever runs the application."""
    refusal = Refusal(
        500, "Something went wrong inside: try again, or look at the log.", code="internal_error"
    )
    return response_of(refusal, request.url.path)
