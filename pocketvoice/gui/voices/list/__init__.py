"""The window of the user's voices. May import the library model and the preview beside it, `gui.controllers` and `gui.widgets`."""
