"""The layers of the transformers."""

from pocketvoice.model.transformer import TransformerLayer as StreamingTransformerLayer

__all__ = ["StreamingTransformerLayer"]
