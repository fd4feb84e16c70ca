"""Keeps ALSA, the sound system of Linux, from printing to the user's terminal. Does nothing elsewhere.

Called once, by whoever is about to load PortAudio; it knows nothing of PortAudio itself.
"""

import atexit
import ctypes
import logging
import sys
from typing import Any

log = logging.getLogger(__name__)

_handler: Any = None  # kept alive as long as ALSA may call it


def quiet_alsa() -> None:
    """WORKAROUND: ALSA prints every device it can't open to stderr while PortAudio looks around; it is told not to.

    See `snd_lib_error_set_handler` in alsa-lib's error.h.
    """
    global _handler
    if _handler is not None or not sys.platform.startswith("linux"):
        return
    try:
        alsa = ctypes.CDLL("libasound.so.2")
        kind = ctypes.CFUNCTYPE(
            None, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p
        )
        _handler = kind(lambda *_: None)
        alsa.snd_lib_error_set_handler(_handler)
        # Runs after PortAudio's own exit: ALSA must not call into a Python that has ended.
        atexit.register(alsa.snd_lib_error_set_handler, None)
    except (OSError, AttributeError) as exc:
        log.debug("ALSA can't be quieted: %s", exc)
