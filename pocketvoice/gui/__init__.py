"""The desktop program: PySide6 widgets and the controllers behind them. It knows no torch, no sound device and no model."""
