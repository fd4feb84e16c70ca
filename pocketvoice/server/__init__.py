"""The engine for other programs: an HTTP server with drop-in endpoints, and the Wyoming protocol. Needs the extra `server`."""
