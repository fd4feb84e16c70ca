"""The user's own voices: the list, the dialog that makes one, the preview. May import `gui.controllers` and `gui.widgets`."""
