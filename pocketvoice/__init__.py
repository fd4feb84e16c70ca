"""pocketvoice: reads any text aloud in a voice you choose, offline.

Only light names live here. `TTSModel` and `export_model_state` (the Python API) are loaded on first use, so that
`import pocketvoice` pulls in neither torch nor Qt.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["TTSModel", "export_model_state", "__version__"]

if TYPE_CHECKING:
    from pocketvoice.engine.tts_model import TTSModel
    from pocketvoice.engine.voice_state import export_model_state


def __getattr__(name: str) -> Any:
    if name == "TTSModel":
        from pocketvoice.engine.tts_model import TTSModel

        return TTSModel
    if name == "export_model_state":
        from pocketvoice.engine.voice_state import export_model_state

        return export_model_state
    raise AttributeError(f"module 'pocketvoice' has no attribute {name!r}")
