"""The window: PySide6 widgets that show what the presenter says and tell it what the user did. No torch, no sound, no model."""
