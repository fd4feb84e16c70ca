"""How strange a text looks: the measure by which the right one of several readings of the same bytes is found.

A text in the wrong encoding has capitals after small letters, several scripts in a word, signs inside words, rows of
accented letters and ideographs that nobody uses. Knows no languages; charset-normalizer does.
"""

import re
import unicodedata
from functools import lru_cache

_SCRIPTS = (
    (0x41, 0x24F, "latin"),
    (0x370, 0x3FF, "greek"),
    (0x400, 0x52F, "cyrillic"),
    (0x590, 0x5FF, "hebrew"),
    (0x600, 0x6FF, "arabic"),
    (0xE00, 0xE7F, "thai"),
    (0x1E00, 0x1EFF, "latin"),
    (0x3040, 0x30FF, "kana"),
    (0x3400, 0x9FFF, "han"),
    (0xAC00, 0xD7A3, "hangul"),
    (0xFF61, 0xFF9F, "half kana"),
)
_USUAL_SIGNS = set("’‘“”„‚–—…«»‹›°§©®™€£¥±·•½¼¾¿¡ªº№\xa0、。「」『』・ー！？：；，（）〈〉《》【】　․˙")
_ODD_LETTERS = set("ÿŸþÞðÐƒˆªºµ¦¬¨¯¸´ћђґѓѕјљњќўџЂЃЌЎЏŕĺŔĹ")
_RARE_LETTERS = set("щъэфцюшжхйΰϊϋ")
_ALPHABETS = (
    "äöüß", "àâæçéèêëîïôœùûü", "áéíñóúü", "ãõáàâçéêíóôú", "àèéìíîòóùú", "éëïóèüêáö", "åäöé", "æøåé", "áðéíóúýþæö",
    "ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "ăâîșțşţ", "čćđšž", "âçğıîöşüû", "ąčęėįšųūž",
    "āčēģīķļņšūž", "äõöüšž", "àèéíïòóúüç",
)  # fmt: skip
"""Small letters beside a to z that one language writes."""
_WORD = re.compile(r"[^\W\d_]+")


def strangeness(text: str, encoding: str) -> float:
    """Penalties summed over the text; 0 for plain writing. `encoding` tells which ideographs are common."""
    total = sum(_sign_cost(letter, encoding) for letter in text if letter > "\x7f")
    return total + sum(_word_cost(word) for word in _WORD.findall(text) if not word.isascii())


@lru_cache(maxsize=30_000)
def _sign_cost(letter: str, encoding: str) -> float:
    category = unicodedata.category(letter)
    if category[0] in "C":
        return 20.0
    if letter in _USUAL_SIGNS:
        return 0.2
    if letter in _ODD_LETTERS:
        return 1.5
    if category[0] in "SPNZ":
        return 4.0
    script = _script(letter)
    if script in ("han", "kana", "hangul", "half kana"):
        return _ideograph_cost(letter, script, encoding)
    if letter in _RARE_LETTERS:
        return 0.35
    return 0.0 if script else 3.0


def _ideograph_cost(letter: str, script: str, encoding: str) -> float:
    """Cheap for what stands in the first half of its character set: that half is sorted by use."""
    if script == "kana":
        return 0.0 if encoding in ("cp932", "euc_jp", "iso2022_jp") else 2.0
    if script == "half kana":
        return 2.5
    plain, first_rare = {
        "gb18030": ("gb2312", 0xD8),
        "big5": ("big5", 0xC9),
        "cp932": ("euc_jp", 0xD0),
        "euc_jp": ("euc_jp", 0xD0),
        "cp949": ("euc_kr", 0xC9),
    }.get(encoding, ("gb2312", 0))
    try:
        lead = letter.encode(plain)[0]
    except UnicodeEncodeError:
        return 4.0
    if lead >= first_rare or (script == "hangul" and lead < 0xB0):  # below: hangul written letter by letter
        return 2.0
    return 0.1 if script == "hangul" else 0.3


def _word_cost(word: str) -> float:
    """Small letters before capitals, several scripts, accented letters in a row."""
    if len(word) > 200:
        word = word[:200]
    cost, before, accented = 0.0, "", 0
    was_lower = False
    for letter in word:
        script = _script(letter)
        if before and script != before and {script, before} - {"han", "kana", ""}:
            cost += 5.0
        if before and letter > "\x7f" and letter.isupper():
            cost += 3.0 if was_lower else 0.12
        accented = accented + 1 if script == "latin" and letter > "\x7f" else 0
        if accented > 1:
            cost += 1.5
        before, was_lower = script, letter.islower()
    return cost


@lru_cache(maxsize=30_000)
def _script(letter: str) -> str:
    code = ord(letter)
    return next((name for low, high, name in _SCRIPTS if low <= code <= high), "")


def is_east_asian(text: str) -> bool:
    """True for a text of ideographs, kana or hangul that are in use: what other bytes read as UTF-16 never give."""
    letters = [letter for letter in text if letter > "\x7f" and letter.isalpha()]
    return len(letters) > 0.6 * len(text) and sum(map(_is_in_use, letters)) > 0.85 * len(letters)


def _is_in_use(letter: str) -> bool:
    script = _script(letter)
    if script == "kana":
        return True
    sets = {"han": ("gb18030", "euc_jp", "big5"), "hangul": ("cp949",)}.get(script, ())
    return any(_ideograph_cost(letter, script, encoding) < 1.0 for encoding in sets)


def latin_fit(text: str) -> float:
    """How much of the accented letters belongs to one and the same language: 0 to 1."""
    accented = [letter for letter in text.lower() if "\x7f" < letter < "\u0250" and letter.isalpha()]
    return max(sum(map(alphabet.__contains__, accented)) for alphabet in _ALPHABETS) / max(len(accented), 1)
