"""SSML as the text that is spoken of it: its words, and its breaks as the pauses that any text may hold.

What asks for another voice, pitch or speed is left out: one voice speaks.
"""

import re
from html import unescape

_NOTHING = re.compile(r"<\?[^<>]{0,500}\?>|<!--.{0,4000}?-->|<!DOCTYPE[^<>]{0,500}>", re.DOTALL)
_BLOCK = re.compile(r"</(?:p|s|speak)\s*>|<(?:p|s)(?:\s[^<>]{0,300})?/?>")
_SUBSTITUTE = re.compile(
    r"<sub\s[^<>]{0,60}?alias\s?=\s?([\"'])([^\"'<>]{1,300})\1[^<>]{0,60}>[^<>]{0,300}</sub\s*>"
)
_BREAK = re.compile(r"<break(?:\s[^<>]{0,100}|/)?>(?:\s{0,9}</break\s*>)?")
_TIMED = re.compile(r"\btime\s?=\s?[\"'][^\"'<>]{1,20}[\"']")
_STRENGTHS = {"none": 0.0, "x-weak": 0.1, "weak": 0.25, "medium": 0.5, "strong": 0.75, "x-strong": 1.0}
"""Seconds."""
_STRENGTH = re.compile(r"\bstrength\s?=\s?[\"']([a-z-]{1,10})[\"']")
_TAG = re.compile(r"<(?!break\s)/?[A-Za-z][^<>]{0,500}>")


def plain(text: str) -> str:
    """A document, or a piece of one that was cut between its sentences."""
    text = _SUBSTITUTE.sub(lambda match: match[2], _NOTHING.sub("", text))
    text = _BREAK.sub(_timed, _BLOCK.sub("\n", text))
    return unescape(_TAG.sub("", text)).strip()


def _timed(match: re.Match[str]) -> str:
    """A break by strength as one by time; without either it is one of medium strength."""
    if _TIMED.search(match[0]):
        return match[0]
    strength = _STRENGTH.search(match[0])
    seconds = _STRENGTHS.get(strength[1] if strength else "medium", _STRENGTHS["medium"])
    return f'<break time="{seconds:g}s"/>' if seconds else ""
