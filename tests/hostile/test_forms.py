"""Forms from anyone: no request decides on a codec, and what is odd is refused in no time."""

import os
import random
import time
from contextlib import suppress

import pytest

from pocketvoice.server.forms import read_form
from pocketvoice.server.refusals import Refusal

SEED = int(os.environ.get("POCKETVOICE_FUZZ_SEED", "14"))
CODECS = ("idna", "punycode", "utf-7", "zlib", "rot13", "utf-16", "unicode_escape")


def multipart(*parts: tuple[bytes, bytes], boundary: bytes = b"x") -> bytes:
    """Parts of a head and a body each."""
    whole = b"".join(b"--" + boundary + b"\r\n" + head + b"\r\n\r\n" + body + b"\r\n" for head, body in parts)
    return whole + b"--" + boundary + b"--\r\n"


def a_field(name: bytes, *more: bytes) -> bytes:
    return b"; ".join([b'Content-Disposition: form-data; name="' + name + b'"', *more])


@pytest.mark.parametrize("codec", CODECS)
def test_no_request_decides_on_a_codec(codec: str) -> None:
    """`idna` takes 21 s for this field."""
    text = b"xn--aaa" * 150_000
    start = time.process_time()
    form = read_form(f"multipart/form-data; charset={codec}; boundary=x", multipart((a_field(b"text"), text)))
    assert form.fields == {"text": text.decode()}
    assert time.process_time() - start < 1


def test_both_encodings_are_read() -> None:
    body = multipart(
        (a_field(b"text"), "Grüße\r\n--y".encode()),
        (a_field(b"voice_wav", b'filename="a.wav"'), b"RIFF\0\xff"),
    )
    form = read_form("multipart/form-data; boundary=x", body)
    assert form.fields == {"text": "Grüße\r\n--y"}
    assert form.files == {"voice_wav": b"RIFF\0\xff"}
    assert read_form("application/x-www-form-urlencoded", b"text=Gr%C3%BC%C3%9Fe+%26&a=").fields == {
        "text": "Grüße &",
        "a": "",
    }
    assert read_form("text/plain", b"text=x").fields == {}


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data", b"--x--"),
        ("multipart/form-data; boundary=" + "x" * 71, b""),
        ("multipart/form-data; boundary=x", b"not at all"),
        ("multipart/form-data; boundary=x", multipart((b"Content-Disposition: form-data", b"a"))),
        ("multipart/form-data; boundary=x", multipart((a_field(b"text"), b"\xff\xfe"))),
        ("multipart/form-data; boundary=x", multipart((b"A: " + b"b" * 100_000, b"a"))),
        ("multipart/form-data; boundary=x", multipart(*[(a_field(b"text"), b"a")] * 21)),
        ("application/x-www-form-urlencoded", b"&".join([b"a=b"] * 21)),
        ("application/x-www-form-urlencoded", b"text=%ff"),
    ],
    ids=str,
)  # fmt: skip
def test_odd_forms_are_refused(kind: str, body: bytes) -> None:
    with pytest.raises(Refusal, match="form can't be read") as caught:
        read_form(kind, body)
    assert caught.value.status == 400


def test_mutated_forms_are_read_or_refused() -> None:
    rng = random.Random(SEED)
    whole = multipart(
        (a_field(b"text"), b"Hello there."), (a_field(b"voice_wav", b'filename="a"'), bytes(range(256)))
    )
    start = time.process_time()
    for _ in range(300):
        body = bytearray(whole)
        for _ in range(rng.randint(1, 6)):
            body[rng.randrange(len(body))] = rng.randrange(256)
        with suppress(Refusal):
            read_form("multipart/form-data; boundary=x", bytes(body[: rng.randint(0, len(body))]))
    assert time.process_time() - start < 5
