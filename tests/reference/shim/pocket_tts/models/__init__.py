"""Speaking."""
