"""The dialog that makes a voice, one file a page. May import `gui.controllers`, `gui.widgets` and the library model beside it."""
