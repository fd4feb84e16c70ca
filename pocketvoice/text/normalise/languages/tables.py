"""The tables of a language: words, names and small patterns. Data and its types; the ways of speaking are in `base`."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Noun:
    """A unit of measure or money."""

    one: str
    many: str
    gender: str = "m"


@dataclass(frozen=True)
class Currency:
    """Money: the unit, and its hundredth if it has one."""

    unit: Noun
    cent: Noun | None = None


@dataclass(frozen=True)
class Phrases:
    """Short words of a language, as they are spoken."""

    to: str
    """Between the ends of a range."""
    and_: str
    minus: str
    plus: str
    point: str
    """For a point between digits or in an address."""
    comma: str
    percent: str
    permille: str
    per: str
    degrees: Noun
    by: str
    """Between the sides of an area: 3 x 4."""
    number: str
    """#1, No. 1."""
    at: str
    slash: str
    colon: str
    dash: str
    underscore: str
    hash: str
    """In front of a hashtag."""
    equals: str
    not_equal: str
    times: str
    divided: str
    less: str
    greater: str
    less_equal: str
    greater_equal: str
    about: str
    plus_minus: str
    root: str
    infinity: str
    squared: str
    cubed: str
    power: str
    over: str
    """In a fraction that has no words of its own."""
    section: str
    """For §."""
    sections: str
    question: str
    exclamation: str
    ampersand: str
    star: str
    extension: str
    dollar: str
    euro: str
    pound: str
    yen: str
    arcminute: Noun
    foot: Noun
    inch: Noun


def nouns(table: str) -> dict[str, Noun]:
    """A line each: `sign[,sign] | one | many | gender`; the last two may be left out."""
    found = {}
    for line in filter(None, map(str.strip, table.splitlines())):
        signs, one, *rest = (part.strip() for part in line.split("|"))
        noun = Noun(one, rest[0] if rest and rest[0] else one, rest[1] if len(rest) > 1 else "m")
        found.update(dict.fromkeys((sign.strip() for sign in signs.split(",")), noun))
    return found


def pairs(table: str) -> dict[str, str]:
    """A line each: `written[,written] | spoken`."""
    found = {}
    for line in filter(None, map(str.strip, table.splitlines())):
        written, spoken = (part.strip() for part in line.rsplit("|", 1))
        found.update(dict.fromkeys((part.strip() for part in written.split(",")), spoken))
    return found


def words(*lines: str) -> frozenset[str]:
    """The words between the spaces."""
    return frozenset(" ".join(lines).split())


COMMON_ACRONYMS = words(
    "NASA UNESCO UNICEF FIFA UEFA COVID CERN IKEA LEGO RAM ROM PIN SIM GIF JPEG WIFI RADAR LASER SONAR SARS MERS NASDAQ DARPA "
    "CAPTCHA JSON YAML ASCII BIOS "
    "SCUBA BREXIT INTERPOL EUROPOL APEC MERCOSUR NAFTA ERASMUS COVAX CRISPR TOEFL YOLO BAFTA OSCAR"
)
"""Initialisms read as words in every language."""


class Tables:
    """What a language says of itself. The defaults fit most."""

    code: str
    decimal: str = ","
    groups: str = ". '"
    phrases: Phrases
    months: tuple[str, ...]
    """January to December."""
    month_abbreviations: Mapping[str, int]
    """Without points, small letters -> 1 to 12."""
    weekdays: Mapping[str, str]
    """Short names without points, small letters -> the whole name."""
    weekday_joints: str
    """Words between two of them, an expression without groups."""
    date_words: frozenset[str] = frozenset()
    """In front of 12/3 they make it a date."""
    dash_date_words: frozenset[str] = frozenset()
    """In front of 12-3 they make it a date."""
    out_of: str = ""
    """Between the figures of a rating: 4.5/5."""
    scales: Mapping[str, Noun]
    """Magnitudes as they are written behind a number, small letters -> the word."""
    units: Mapping[str, Noun]
    currencies: Mapping[str, Currency]
    """By code; `signs` has what is written for them."""
    abbreviations: Mapping[str, str]
    """Written form with its points, small letters -> spoken, whatever stands around it."""
    titles: Mapping[str, str]
    """The same, only before a name."""
    before_number: Mapping[str, str]
    """The same, only before a number."""
    letters: Mapping[str, str]
    """Greek letters by name."""
    acronyms: frozenset[str]
    """Initialisms read as words."""
    spelled_words: frozenset[str] = frozenset()
    """Initialisms spelled although they could be read."""
    shouted: frozenset[str] = frozenset()
    """Short words that stand in capitals for emphasis."""
    regnal_after: frozenset[str] = frozenset()
    """Words that may stand between a name and its Roman number, or are no name."""
    numbered: frozenset[str] = frozenset()
    """Words that a Roman cardinal follows: chapter, volume."""
    read_domains: frozenset[str] = frozenset(
        {"com", "net", "info", "gov", "edu", "mil", "biz", "app", "dev", "blog", "shop", "online"}
    )
    """Ends of addresses that are read as words."""
    default_scales: Mapping[int, Noun] = {}
    """Powers of ten from LIMIT on."""
    day_month_slash: bool = True
    """3/4/2026 is the third of April."""
    word_endings: Mapping[str, str] = {}
    """Ends of words that are short for more: Hauptstr."""
    after_name: Mapping[str, str] = {}
    """Abbreviations behind a name: St., Dr., Ave."""
    rates: Mapping[str, Noun] = {}
    """Behind an amount of money and a stroke: month, hour."""
    loose_units: frozenset[str] = words("m g l s h d t A V W K J N F C M a in min cd")
    """Units that may be something else."""
    lone_signs: Mapping[str, str] = {}
    date_of: str = "(?!)"
    """Between the day, the month and the year."""
    day_mark: str = ""
    """Behind the day of a date, an expression without groups."""
    month_comes_first: bool = False
    short_date_marks: str = "/"
    """Marks of dates with two figures for the year."""
    keeps_date_point: bool = False
    """The point of `3.10.` belongs to the date."""
    decade_pattern: str = ""
    """Groups hold the figures."""
    ambiguous_months: frozenset[str] = frozenset()
    """Months' names that are words of their own."""
    time_suffixes: str = "(?!)"
    time_to: str = ""
    """Between two times."""
    has_letter_times: bool = True
    """14h30."""
    hour_letters: str = "hH"
    """What stands between hours and minutes in 14h30."""
    point_time_words: frozenset[str] = frozenset()
    """In front of 14.30 they make it a time."""
    phone_words: frozenset[str] = words(
        "tel tel. phone telephone telefon fon mobil handy téléphone tél telefono cell teléfono móvil fax telefone telemóvel "
        "celular "
        "call calling llame llamar llama ligue ligar bel bellen chiama chiamare appelez appeler composez anrufen ruf rufen "
        "cell. cel"
    )
    version_words: frozenset[str] = words(
        "version versione versión versão versie v python java ios android firefox linux windows macos ubuntu debian php "
        "release update kernel node django rails"
    )
    version: str
    address_point: str
    """The point in an address."""
    backslash: str
    tilde: str
    caret: str
    ordinal_pattern: str = "(?!)"
    digit_words: frozenset[str] = words("pin code otp pnr id isbn ean iban imei")
    """In front of a number they mean its digits."""
    room_words: frozenset[str] = frozenset()
    score_words: frozenset[str] = frozenset()
    ratio_words: frozenset[str] = words("ratio odds scale")
    """Shortly in front of 3:1 they make it a ratio."""
    slash_words: frozenset[str] = frozenset()
    """In front of 1/2 they mean no fraction."""
    long_are_digits: bool = False
    roman_suffix: str = ""
    century_words: frozenset[str] = frozenset()
    century_before_noun: bool = False
    regnal_names: frozenset[str] = frozenset()
    """Names that even a single letter numbers."""
    not_names: frozenset[str] = frozenset()
    roman_articles: frozenset[str] = frozenset()
    """In front of a Roman number with a noun behind it: el XI apóstol."""
    roman_takes_point: bool = False
    address_signs: Mapping[str, str] = {}
    """Signs called otherwise in an address than in a sentence."""
    known_labels: Mapping[str, str] = {}
    """Parts of addresses with a way of their own."""
    titles_have_capitals: bool = True
    may_end_sentence: frozenset[str] = frozenset()
    """Spoken forms of abbreviations behind which a sentence may end."""
    openers: frozenset[str] = frozenset()
    """Words that open sentences far more often than they follow an abbreviation, small letters."""
    lettered: frozenset[str] = words(
        "an vitamin plan type class section grade group hepatitis appendix option team vitamine plan typ klasse gruppe vitamina "
        "clase grupo classe gruppo groep klas"
    )
    """Words that a single letter follows."""
    plural_of_initials: str = "s"
    says_slash: bool = True
