"""The page at `/`: one file, with its style and script inside, and a policy that lets it fetch nothing from anywhere else."""

import base64
import hashlib
import re
from functools import cache
from pathlib import Path


@cache
def page() -> str:
    """The HTML of the page, read once."""
    return Path(__file__).with_name("page.html").read_text(encoding="utf-8")


@cache
def policy() -> dict[str, str]:
    """The headers it is served with: only its own style and script may run, and it may talk only to us."""
    script, style = _digest("script"), _digest("style")
    return {
        "content-security-policy": (
            f"default-src 'none'; script-src '{script}'; style-src '{style}'; connect-src 'self'; "
            "media-src 'self' blob:; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
    }


def _digest(tag: str) -> str:
    found = re.search(rf"<{tag}>(.*?)</{tag}>", page(), re.DOTALL)
    assert found, f"the page has one <{tag}>"
    return "sha256-" + base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode()
