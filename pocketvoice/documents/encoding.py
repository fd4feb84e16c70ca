"""Bytes to text, whatever encoding they are in: by byte order mark, by form, by the letters that come out.

UTF-8 and UTF-16 show themselves by their form. For the old encodings charset-normalizer names candidates, and the
reading that looks most like the writing of some language wins: a text in the wrong encoding has capitals inside words,
letters of three scripts and signs nobody writes.
"""

import codecs
import re

from pocketvoice.documents.faults import DocumentError
from pocketvoice.documents.letters import is_east_asian, latin_fit, strangeness

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16: its mark begins with that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE_BYTES = 1 << 16
_CONTROLS = re.compile("[\x00-\x08\x0e-\x19\x1c-\x1f]")


def decode(data: bytes, name: str, *, declared: str = "") -> str:
    """The text of these bytes, its lines ended by `\\n`; `declared` is what the file itself names as its encoding.

    Raises DocumentError if they are no text.
    """
    text = _decoded(data, declared)
    if _looks_binary(text):
        raise DocumentError(
            f"{name} holds no text: choose a document such as EPUB, PDF, DOCX, HTML or plain text.",
            detail="it holds control characters",
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decoded(data: bytes, declared: str) -> str:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    if declared and (text := _in_declared(data, declared)) is not None:
        return text
    if wide := _wide(data[:_SAMPLE_BYTES]):
        return data.decode(wide, "replace")
    if b"\x1b$" in data[:_SAMPLE_BYTES] and data.isascii():  # seven bits and escapes: old Japanese mail
        return data.decode("iso2022_jp", "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as exc:
        if exc.start > 4096 or exc.start >= len(data) - 3:  # cut off, or a few bad bytes in a long text
            return _mostly_utf8(data) or data.decode(detect(data), "replace")
    return data.decode(_wide_east_asian(data[:2000]) or detect(data), "replace")


def _in_declared(data: bytes, declared: str) -> str | None:
    """The text in the encoding that is declared, if it is one and the bytes agree but for a few."""
    try:
        encoding = codecs.lookup(
            "cp1252" if declared.lower() in ("iso-8859-1", "latin-1", "us-ascii") else declared
        )
        if encoding.name.startswith("utf-16") or not encoding._is_text_encoding:
            return None  # it was read from the bytes as if they were ASCII, so they can't be UTF-16
        text = data.decode(encoding.name, "replace")
    except (LookupError, UnicodeError, ValueError):
        return None
    return text if text.count("\ufffd") <= len(text) // 500 else None


def _mostly_utf8(data: bytes) -> str | None:
    text = data.decode("utf-8", "replace")
    good = sum(1 for letter in text[:_SAMPLE_BYTES] if letter > "\x7f" and letter != "\ufffd")
    return (
        text if good > 20 * text[:_SAMPLE_BYTES].count("\ufffd") or text.count("\ufffd") < 3 < good else None
    )


def _wide(sample: bytes) -> str:
    """UTF-16 or UTF-32 without a mark, by where the zeros and the spaces stand; empty if it is neither."""
    if len(sample) < 4:
        return ""
    zeros = [sample[at::4].count(0) for at in range(4)]
    quarter = max(len(sample) // 4, 1)
    if zeros[2] >= 0.95 * quarter and zeros[3] >= 0.95 * quarter:
        return "utf-32-le"
    if zeros[0] >= 0.95 * quarter and zeros[1] >= 0.95 * quarter:
        return "utf-32-be"
    even, odd = zeros[0] + zeros[2], zeros[1] + zeros[3]
    if max(even, odd) > quarter // 2 and max(even, odd) > 4 * min(even, odd):  # Latin letters
        return "utf-16-be" if even > odd else "utf-16-le"
    return _wide_by_spaces(sample)


def _wide_by_spaces(sample: bytes) -> str:
    """UTF-16 in a script without Latin letters: only its spaces, digits and line ends show zeros."""
    if not 0 < sample.count(0) < len(sample) // 2:
        return ""
    big = sum(
        sample[at : at + 2] in (b"\0 ", b"\0\n", b"\0\r", b"\0\t") for at in range(0, len(sample) - 1, 2)
    )
    little = sum(sample[at : at + 2] in (b" \0", b"\n\0", b"\r\0") for at in range(0, len(sample) - 1, 2))
    for count, encoding in ((little, "utf-16-le"), (big, "utf-16-be")):
        if count > 3 * (big + little - count) and _plausible_wide(sample, encoding):
            return encoding
    return ""


def _plausible_wide(sample: bytes, encoding: str) -> bool:
    text = sample[: len(sample) & ~1].decode(encoding, "replace")
    letters = sum(map(str.isalpha, text))
    return letters > len(text) // 2 and text.count("\ufffd") < 3


def _wide_east_asian(sample: bytes) -> str:
    """UTF-16 of ideographs alone, in which no byte needs to be zero; empty if it is none."""
    for encoding in ("utf-16-le", "utf-16-be"):
        try:
            if is_east_asian(sample[: len(sample) & ~1].decode(encoding)):
                return encoding
        except UnicodeDecodeError:
            continue
    return ""


def detect(data: bytes) -> str:
    """The name of the old encoding that these bytes are in: the one whose text looks most like writing.

    Between encodings whose texts look equally well (all Latin letters, but other accents), charset-normalizer decides.
    """
    sample = _sample(data)
    scores = {
        encoding: score for encoding in _COMMON if (score := _strangeness(sample, encoding)) is not None
    }
    if not scores:
        return "cp1252"
    best = min(scores, key=scores.__getitem__)
    equal = [encoding for encoding in _LATIN if scores.get(encoding, 99.0) <= scores[best] + _EQUAL]
    return _latin(sample, equal, best) if best in _LATIN and len(equal) > 1 else best


def _latin(sample: bytes, among: list[str], best: str) -> str:
    """The encoding in which the accents are those of one language; charset-normalizer says which of several."""
    from charset_normalizer import from_bytes

    fits = {encoding: round(latin_fit(sample.decode(encoding, "replace")), 2) for encoding in among}
    fitting = [encoding for encoding in among if fits[encoding] == max(fits.values())]
    if len({sample.decode(encoding, "replace") for encoding in fitting}) == 1:
        return fitting[0]
    matches = from_bytes(sample[: 1 << 14], cp_isolation=fitting, preemptive_behaviour=False)
    return next((match.encoding for match in matches if match.encoding in fitting), best)


def _sample(data: bytes) -> bytes:
    """Lines with bytes above ASCII, from all over: those decide."""
    if len(data) <= _SAMPLE_BYTES:
        return data
    lines = (line for line in re.split(rb"(?<=\n)", data[: 64 * _SAMPLE_BYTES]) if not line.isascii())
    picked, size = [], 0
    for line in lines:
        picked.append(line)
        size += len(line)
        if size > _SAMPLE_BYTES:
            break
    return b"".join(picked)


_COMMON = (
    "cp1252", "cp1251", "koi8_u", "cp866", "cp932", "gb18030", "big5", "euc_jp", "cp949", "cp1250", "iso8859_2",
    "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp874", "mac_roman", "cp437", "cp850", "mac_cyrillic",
)  # fmt: skip


_LATIN = ("cp1252", "cp1250", "iso8859_2", "cp1254", "cp1257", "mac_roman", "cp437", "cp850")
_EQUAL = 0.1
"""Strangeness per byte above ASCII: readings that differ by less look equally well."""


def _strangeness(sample: bytes, encoding: str) -> float | None:
    """How little the sample looks like writing in this encoding, per character above ASCII; None if it can't be it."""
    text = sample.decode(encoding, "replace")
    high = sum(1 for byte in sample if byte > 0x7F)
    if text.count("\ufffd") > high // 40 + 1:
        return None
    return strangeness(text, encoding) / max(high, 1)


def _looks_binary(text: str) -> bool:
    start = text[:4000]
    return "\0" in start or len(_CONTROLS.findall(start)) > len(start) // 50
