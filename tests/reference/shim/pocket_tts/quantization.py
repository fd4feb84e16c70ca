"""Who multiplies int8."""

from pocketvoice.model import native


def _get_backend() -> str:
    return "torch.ao" if native.library() is None else "pocketvoice"
