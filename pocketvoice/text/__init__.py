"""Text to segments: preparing, splitting and pauses, with spans back to the source. Pure Python."""
