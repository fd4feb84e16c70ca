"""WORKAROUND for PySide6 wheels that are built with Python 3.12's headers and run on 3.10 and 3.11.

From 3.12 on None, True and False are immortal (PEP 683), and `Py_RETURN_NONE` does not count references. In a wheel for the
stable ABI that is wrong on older interpreters: each call into Qt takes one reference to None away, and after some ten thousand
calls, a minute of speech, Python ends with "Fatal Python error: none_dealloc". Measured with PySide6 6.12.0 on Python 3.11.7;
the same defect in another library: https://github.com/vllm-project/vllm/pull/49950
"""

import ctypes
import sys

_MANY = 1 << 40  # calls: ten thousand a second for three years


def keep_singletons_alive() -> None:
    """Gives the constants so many references that they are never used up. Called once, before Qt is; does nothing from 3.12 on."""
    if sys.version_info >= (3, 12) or sys.implementation.name != "cpython":
        return
    for constant in (None, True, False, NotImplemented, Ellipsis):
        # The count is an object's first field, but for debugging builds of Python, which nobody is given.
        if sys.getrefcount(constant) < _MANY and not hasattr(sys, "gettotalrefcount"):
            ctypes.c_ssize_t.from_address(id(constant)).value += _MANY
