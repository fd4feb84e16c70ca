"""The main window: text, transport, menus, keys, help. May import `gui.voices`, `gui.controllers` and `gui.widgets`."""
