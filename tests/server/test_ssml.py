"""SSML as plain text with pauses."""

import pytest

from pocketvoice.server.ssml import plain


@pytest.mark.parametrize(
    ("ssml", "text"),
    [
        ("<speak>Hello.</speak>", "Hello."),
        ('<?xml version="1.0"?>\n<speak version="1.0" xml:lang="en">A &amp; B &lt; C</speak>', "A & B < C"),
        ("<speak><p><s>One.</s><s>Two.</s></p></speak>", "One.\n\nTwo."),
        ('Wait<break time="2s"/> here', 'Wait<break time="2s"/> here'),
        ('Wait<break strength="strong"/> and<break/> go', 'Wait<break time="0.75s"/> and<break time="0.5s"/> go'),
        ('Not<break strength="none"/> here', "Not here"),
        ('<voice name="x"><prosody rate="slow">Slow <emphasis>now</emphasis></prosody></voice>', "Slow now"),
        ('The <sub alias="World Wide Web">WWW</sub>', "The World Wide Web"),
        ("<!-- not this -->5 < 6", "5 < 6"),
        ("<speak/>", ""),
    ],
)  # fmt: skip
def test_only_words_and_pauses_stay(ssml: str, text: str) -> None:
    assert plain(ssml) == text
