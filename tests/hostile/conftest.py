"""The real server's fixtures, shared with the tests of the server."""

from tests.server.conftest import loop, served, worker

__all__ = ["loop", "served", "worker"]
