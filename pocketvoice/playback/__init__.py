"""From chunks of audio to the loudspeaker. No Qt, no torch."""
