"""Headings in plain text: chapters that are called so in the languages of the voices and some others, numbers, capitals."""

import re

_CHAPTER_WORDS = (
    "chapter|book|part|section|act|scene|canto|appendix|volume|"
    "kapitel|teil|abschnitt|buch|band|anhang|akt|szene|"
    "chapitre|livre|partie|tome|acte|scène|annexe|"
    "cap[íi]tulo|parte|libro|livro|secci[óo]n|acto|ato|escena|cena|"
    "capitolo|libro|atto|scena|appendice|"
    "hoofdstuk|deel|boek|rozdzia[łl]|cz[ęe][śs][ćc]|ksi[ęe]ga|kapitola|[čc][áa]st|kapittel|kapitel|del|luku|osa|"
    "глава|часть|книга|том|раздел|частина|розділ|"
    "κεφάλαιο|μέρος|bölüm|kısım|fejezet|rész|capitolul|partea"
)
_NUMBER = r"(?:\d{1,3}|[ivxlcdm]{1,8}|[a-zà-ÿа-яα-ω]{2,14}(?:[ -][a-zà-ÿа-я]{2,10})?)"
_CHAPTER = re.compile(rf"(?:{_CHAPTER_WORDS})\s+{_NUMBER}\s*(?:[.:—–-]\s*.{{0,80}})?", re.I)
_NUMBERED_CHAPTER = re.compile(rf"{_NUMBER}[.:]?\s+(?:fejezet|bölüm|luku|osa|rész|kapitola)\b.{{0,60}}", re.I)
_IDEOGRAPHIC = re.compile(
    r"第\s*[0-9０-９一二三四五六七八九十百千〇零两]{1,8}\s*[章回節节卷部編编篇話话集].{0,40}"
)
_KOREAN = re.compile(r"제\s*\d{1,3}\s*[장부화편].{0,40}")
_ROMAN = re.compile(r"[IVXLC]{1,7}\.?")
_NAMED = re.compile(
    r"(?:prologue|epilogue|preface|foreword|introduction|contents|table of contents|conclusion|bibliography|glossary|index|"
    r"acknowledge?ments|abstract|afterword|prolog|epilog|vorwort|nachwort|einleitung|inhalt|inhaltsverzeichnis|préface|"
    r"avant-propos|épilogue|prólogo|epílogo|prefacio|prefazione|prologo|epilogo|introduzione|пролог|эпилог|предисловие|введение|"
    r"序章|終章|终章|序|後記|后记)[.:]?",
    re.I,
)
_OUTLINE = re.compile(r"(\d{1,2}(?:\.\d{1,3}){0,4})\.?\s+\S.{0,90}")
_MOST_CHARS = 100
_MOST_CAPITALS = 70


def heading_level(text: str) -> int | None:
    """The level of a line that is a heading; None if it is none. Verdicts are careful: a paragraph must not become one."""
    text = " ".join(text.split())
    if not text or len(text) > _MOST_CHARS:
        return None
    if _CHAPTER.fullmatch(text) or _NUMBERED_CHAPTER.fullmatch(text):
        return _chapter_level(text)
    if _IDEOGRAPHIC.fullmatch(text) or _KOREAN.fullmatch(text) or _NAMED.fullmatch(text):
        return 1
    if _ROMAN.fullmatch(text):
        return 2
    if (found := _OUTLINE.fullmatch(text)) and "." in found[1] and text[-1] not in ".,;:":
        return min(1 + found[1].count("."), 6)
    return 2 if _is_in_capitals(text) else None


def is_rule(line: str) -> bool:
    """True for a line that is drawn: `=====`, `-----`, `* * *`."""
    core = line.replace(" ", "")
    return len(core) >= 3 and len(set(core)) == 1 and core[0] in "=-_~*#^+—–"


def _chapter_level(text: str) -> int | None:
    """1, or 2 for what is part of a chapter; None for a sentence that begins so (`Part of it was ...`)."""
    word, _, rest = text.partition(" ")
    number = re.match(r"\w+", rest)
    if number is None:
        return None
    plain = number[0].isdigit() or re.fullmatch("[IVXLCDM]+", number[0]) or text.isupper()
    if not plain and (text[-1] in ",;?!" or len(text) > 40 or not word[0].isupper() or rest[:1].islower()):
        return None
    return (
        2
        if word.lower() in ("section", "scene", "abschnitt", "szene", "scène", "escena", "cena", "scena")
        else 1
    )


def _is_in_capitals(text: str) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    return (
        len(letters) >= 4
        and len(text) <= _MOST_CAPITALS
        and all(letter.isupper() for letter in letters)
        and text[-1] not in ",;"
    )
