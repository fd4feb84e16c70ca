"""E-mail and web addresses, file paths, hashtags and handles, in the short form that a person says."""

import re

from pocketvoice.text.normalise.context import Context, Reading
from pocketvoice.text.normalise.languages.base import Language
from pocketvoice.text.normalise.spoken import Kind

_LABEL = r"[^\W_](?:[\w-]{0,62}[^\W_])?"
_HOST = rf"{_LABEL}(?:\.{_LABEL}){{1,6}}"
_TLDS = (
    "com|org|net|edu|gov|mil|int|info|biz|io|ai|app|dev|co|me|tv|eu|uk|us|de|fr|it|es|pt|br|nl|be|ch|at|ca|au|nz|ie|mx|ar|cl|jp|cn|"
    "ru|in|pl|se|no|dk|fi|cz|gr|lu|sm|abc|blog|shop|online|site|tech|cloud|museum|name|pro|fm|gg|ly|cat|eus|gal"
)
_EMAIL = re.compile(rf"[^\W_][\w.+&!-]{{0,63}}@{_HOST}(?:/[\w./~-]{{0,200}}[\w/])?|[^\W_]@{_HOST}")
_URL = re.compile(r"(?:https?|ftps?|file)://[^\s<>\"'»”]{1,2000}|www\.[^\s<>\"'»”]{2,2000}", re.IGNORECASE)
_DOMAIN = re.compile(
    rf"(?:{_LABEL}\.){{1,5}}(?:{_TLDS})(?![\w@-]|\.\w)(?::\d{{2,5}})?(?:/[^\s<>\"'»”]{{0,500}})?",
    re.IGNORECASE,
)
_WINDOWS = re.compile(r"[A-Za-z]:\\(?:[^\s\\/:*?\"<>|]{1,100}\\){0,20}[^\s\\/:*?\"<>|,;]{0,100}")
_UNIX = re.compile(
    r"~?/(?:[\w.@+-]{1,100}/){1,20}[\w.@+-]{0,100}|~/[\w.@+-]{1,100}|\.{1,2}/(?:[\w.@+-]{1,100}/){0,20}[\w.@+-]{1,100}"
)
_FILE = re.compile(
    r"[\w-]{1,80}\.(?:txt|pdf|docx?|xlsx?|pptx?|csv|tsv|json|ya?ml|toml|xml|html?|py|js|ts|c|cpp|h|rs|go|sh|md|png|jpe?g|gif|svg|mp[34]|wav|ogg|flac|zip|tar|gz|exe|dll|ini|log|cfg|epub)(?![\w.]\w)"
)
_HANDLE = re.compile(r"@(?P<name>[^\W\d][\w]{0,38}(?:\.\w{1,30})?)")
_HASHTAG = re.compile(r"#(?P<tag>\w{0,80}[^\W\d_]\w{0,80})")
_SIGNS = frozenset(".:@\\")
"""Each address and path has one of them."""
_TRAIL = ".,;:!?)]}'’*_"
_PIECES = re.compile(r"[A-ZÀ-Þ]{2,}(?![a-zà-ÿ])|[A-ZÀ-Þ]?[a-zà-ÿ]+|[A-ZÀ-Þ]|[^\W\d_]+|\d+|[^\w\s]|_")
_VOWELS = frozenset("aeiouyàáâãäåæèéêëìíîïòóôõöøœùúûüÿ")


class Addresses:
    """Addresses, paths, handles and hashtags of one language."""

    def __init__(self, language: Language) -> None:
        self._language = language
        phrases = language.phrases
        self._signs = {
            ".": language.address_point, "@": phrases.at, "/": phrases.slash, "-": phrases.dash, "_": phrases.underscore,
            ":": phrases.colon,
            "\\": language.backslash, "+": phrases.plus, "&": phrases.ampersand, "=": phrases.equals, "?": phrases.question,
            "!": phrases.exclamation,
            "#": phrases.hash, "~": language.tilde, "%": phrases.percent, "*": phrases.star, "^": language.caret,
        } | dict(language.address_signs)  # fmt: skip

    def read(self, context: Context, at: int) -> Reading | None:
        """An address or a file's path or name that begins with a letter or a digit."""
        if not context.starts_word(at):
            return None
        text = context.text
        if _SIGNS.isdisjoint(text[at : at + 80].partition(" ")[0]):
            return None
        match = _URL.match(text, at)
        if match:
            stop = _trimmed(match)
            is_all = not any(map(str.isalnum, text[:at] + text[stop:]))
            return Reading(
                self._said(text[at:stop]) if is_all else self._url(text[at:stop]), stop, Kind.ADDRESS
            )
        match = _EMAIL.match(text, at)
        if match:
            return Reading(self._said(match[0]), match.end(), Kind.ADDRESS)
        match = _DOMAIN.match(text, at)
        if match and self._is_domain(match[0]):
            stop = _trimmed(match)
            return Reading(self._url(text[at:stop]), stop, Kind.ADDRESS)
        match = _WINDOWS.match(text, at) or _FILE.match(text, at)
        if match:
            stop = _trimmed(match)
            return Reading(self._said(text[at:stop]), stop, Kind.PATH)
        return None

    def _is_domain(self, text: str) -> bool:
        """`end.In` is a missing space, `is.it` too: a short ending counts in small letters and behind a name."""
        host = text.split("/")[0].split(":")[0]
        *labels, end = host.split(".")
        if end in self._language.read_domains or "/" in text or labels[0].lower() == "www":
            return True
        return (
            host.islower()
            and not (len(labels) == 1 and len(labels[0]) <= 2)
            and not self._language.is_word(labels[-1], end)
        )

    def read_path(self, context: Context, at: int) -> Reading | None:
        """A path that begins with a slash, a tilde or a point."""
        match = _UNIX.match(context.text, at) if context.starts_word(at) else None
        if match is None:
            return None
        stop = _trimmed(match)
        return Reading(self._said(context.text[at:stop]), stop, Kind.PATH)

    def read_social(self, context: Context, at: int) -> Reading | None:
        """@name, #tag."""
        if not context.starts_word(at):
            return None
        match = _HANDLE.match(context.text, at)
        if match:
            name = match["name"]
            spoken = self._spelled(name) if self._language.style.addresses == "spelled" else self._name(name)
            return Reading(f"{self._language.phrases.at} {spoken}", match.end(), Kind.SOCIAL)
        match = _HASHTAG.match(context.text, at)
        if match is None or context.char(match.end()) == "#":
            return None
        return Reading(f"{self._language.phrases.hash} {self._name(match['tag'])}", match.end(), Kind.SOCIAL)

    def _url(self, text: str) -> str:
        """What a sentence says of it: without its scheme and `www.`, and without what no one would type: long paths and queries."""
        if self._language.style.addresses == "spelled":
            return self._said(text)
        short = re.sub(r"(?i)^[a-z]+://|^mailto:", "", text)
        short = re.sub(r"(?i)^www\.", "", short).split("?")[0].split("#")[0].rstrip("/")
        host, slash, path = short.partition("/")
        if len(path) > 40 or path.count("/") > 3:
            path = slash = ""
        return self._said(host + slash + path)

    def _said(self, text: str) -> str:
        pieces = _PIECES.findall(text)
        words = []
        for i, piece in enumerate(pieces):
            is_end = (
                i > 0 and pieces[i - 1] == "." and (i + 1 == len(pieces) or pieces[i + 1] in ("/", ".", ":"))
            )
            words.append(self._piece(piece, is_end))
        return " ".join(filter(None, words))

    def _piece(self, piece: str, is_end: bool) -> str:
        language = self._language
        if piece.isdecimal():
            return (
                language.digits(piece)
                if language.style.addresses == "spelled"
                else language.address_number(piece)
            )
        if not piece[0].isalpha():
            return self._signs.get(piece, "")
        known = language.known_labels.get(piece.lower())
        if known:
            return known
        if language.style.addresses == "spelled":
            return self._spelled(piece)
        if is_end and len(piece) <= 3 and piece.lower() not in language.read_domains:
            return language.initials(piece.upper())
        return self._readable(piece)

    def _readable(self, piece: str) -> str:
        """A word, or its letters if no one could read it."""
        lower = piece.lower()
        if (
            len(piece) == 1
            or not _VOWELS.intersection(lower)
            or (piece.isupper() and len(piece) <= 4)
            or lower in ("abc", "html", "url")
        ):
            return self._language.initials(piece.upper()) if piece.isalpha() else piece
        return lower

    def _spelled(self, text: str) -> str:
        known = self._language.known_labels.get(text.lower())
        if known:
            return known
        return " ".join(self._language.digit(c) if c.isdecimal() else c for c in text if c.isalnum())

    def _name(self, text: str) -> str:
        """goodNews_2024 as words."""
        words = [
            self._language.address_number(p) if p.isdecimal() else p
            for p in _PIECES.findall(text)
            if p != "_"
        ]
        return " ".join(self._language.split_words(words))


def _trimmed(match: re.Match[str]) -> int:
    """The end without the punctuation of the sentence; a closing bracket belongs to the address if it opened in it."""
    text = match[0]
    while text and text[-1] in _TRAIL and not (text[-1] == ")" and "(" in text):
        text = text[:-1]
    return match.start() + len(text)
