"""The worker process: it owns the engine and the player, decides whose turn it is, and answers with events."""
