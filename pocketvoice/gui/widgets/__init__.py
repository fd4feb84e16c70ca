"""Widgets and colours that any wing may use. May import `gui.controllers`, and no other wing."""
