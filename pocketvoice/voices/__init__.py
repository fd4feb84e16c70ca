"""The voices on disk. No torch."""
