"""The config files of models."""

from pocketvoice.model.config import load_config

__all__ = ["load_config"]
