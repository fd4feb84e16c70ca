"""The window of the user's voices. May import what `gui.voices` shares, `gui.controllers` and `gui.widgets`."""
