"""Model catalogue, downloads and cache, offline rules."""
