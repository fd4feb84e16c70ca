"""Files from the hub and the web."""

import requests

from pocketvoice.hub.download import fetch as download_if_necessary

__all__ = ["download_if_necessary", "requests"]
