"""The voices on disk: `VoiceLibrary` and what belongs to it. No torch, no Qt."""
