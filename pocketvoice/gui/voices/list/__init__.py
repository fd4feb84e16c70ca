"""The window that lists the user's voices. May import `gui.controllers`, `gui.widgets` and the library model beside it."""
