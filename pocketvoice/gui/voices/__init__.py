"""The user's own voices: coordinator, library model, preview. May import its wings, `gui.controllers` and `gui.widgets`."""
