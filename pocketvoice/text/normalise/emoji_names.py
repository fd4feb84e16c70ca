"""Emoji by their names, where the listener wants them: `emoji` has the names, and is loaded when the first one comes.

The colour of the skin is not told; one that is repeated is said once.
"""

import re
from functools import lru_cache

from pocketvoice.text.traced import TracedText

_MAY_BE = re.compile("[\u2600-\u27bf\u2934-\u2b55\u3030-\u3299\U0001f000-\U0001faff]")
_NO_NAME = re.compile("[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]")
"""The choice of a picture or a sign, and colours of the skin."""


def named(traced: TracedText, language: str) -> TracedText:
    """The text with a name in place of each emoji; those without one in this language stay."""
    if not _MAY_BE.search(traced.text):
        return traced
    from emoji import emoji_list

    present = {str(found["emoji"]) for found in emoji_list(traced.text) if _MAY_BE.match(str(found["emoji"]))}
    names = {sign: name for sign in present if (name := name_of(sign, language))}
    if not names:
        return traced
    signs = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    pattern = re.compile(f"({signs})(?:[ \ufe0f]*\\1)*")
    return traced.sub(pattern, lambda match: (f" {names[match[1]]} ",), covering=True, whole=True)


@lru_cache(maxsize=4096)
def name_of(sign: str, language: str) -> str:
    """What an emoji is called, "" if that is not known."""
    plain = _NO_NAME.sub("", sign)
    if language == "nl":
        from pocketvoice.text.normalise.emoji_dutch import NAMES

        return NAMES.get(plain, "")
    from emoji import demojize

    for form in (plain, plain + "\ufe0f", sign):
        name = demojize(form, delimiters=("", ""), language=language)
        if name != form:
            return name.replace("_", " ")
    return ""
