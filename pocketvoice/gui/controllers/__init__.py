"""What the window does, without widgets: speech, models, export, settings, messages. May import nothing of the other wings."""
