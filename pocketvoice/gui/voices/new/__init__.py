"""The dialog that makes a voice, one file a page. May import what `gui.voices` shares, `gui.controllers` and `gui.widgets`."""
