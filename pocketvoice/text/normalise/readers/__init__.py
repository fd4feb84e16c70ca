"""The readers, one module a kind. None knows another; the scanner asks them in turn."""
