"""Short utterances for the training: single words, greetings, numbers, times, dates, letters, and parts of longer sentences.

A model that only ever heard whole sentences garbles "Yes." and "At noon.". Parts of sentences that end with a comma are here
because the engine cuts a sentence that is too long for one segment there, and puts a comma at the cut.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator

from phonemes import LETTER_NAMES, in_dictionary
from spoken_numbers import number_words


def _bank(text: str) -> list[str]:
    return text.split("|")


DAYS = _bank("Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday")
MONTHS = _bank("January|February|March|April|May|June|July|August|September|October|November|December")
ORDINALS = _bank(
    "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|"
    "sixteenth|seventeenth|eighteenth|nineteenth|twentieth|thirtieth"
)
GREETINGS = _bank(
    "Hello|Hi|Hey|Hi there|Hey there|Good morning|Good afternoon|Good evening|Good night|Goodbye|Bye|Bye for now|Welcome|"
    "Welcome back|Thanks|Thank you|Thank you very much|Many thanks|You're welcome|Please|Yes please|No thanks|No thank you|Sorry|"
    "I'm sorry|Excuse me|Pardon me|Congratulations|Cheers|Good job|Well done|Nice to meet you|See you soon|See you later|Take care|"
    "Have fun|Sleep well|Happy new year|Merry Christmas|Of course|Sure|Certainly|Absolutely|Exactly|Maybe|Perhaps|Probably|Yes|No|"
    "Not yet|Not now|Not really|Never|Never mind|Always|Sometimes|Okay|All right|Fine|Great|Wonderful|Perfect|Really|Indeed|"
    "Stop|Wait|Go|Go on|Go away|Come in|Come here|Come on|Look|Look out|Listen|Help|Help me|Hurry up|Quiet|Enough|Be careful|"
    "Sit down|Stand up|Let's go|Let me see|Let me know|Here you are|Here we go|There it is|That's it|That's all|That's fine|"
    "I see|I know|I think so|I hope so|I don't know|I'm fine|I'm here|I'm ready|It's me|It's fine|It's over|It works|It's late|"
    "Try again|One more time|Once again|So what|No way|No idea|No doubt|Next|Next please|Done|Back|Start|Open|Closed|Yesterday|"
    "Today|Tonight|Tomorrow|Now|Later|Soon|At once|At home|At noon|In a minute|Right away|On the left|On the right|Up|Down"
)
ASKED = _bank(
    "How are you|Where are you|Who are you|Who is it|What is it|What is this|What is that|What now|What time is it|What happened|"
    "What do you mean|What's your name|Where is it|Where are we|Where to|When|Why|How|How come|How much|How many|How far|How long|"
    "How old are you|Really|Is that so|Are you sure|Are you there|Can I help|Can you hear me|Do you know|Is it far|Is it true|"
    "Anything else|Any questions|And you|And then|Now what|Which one|Which way|Who knows|Who said that|May I|Shall we|Ready"
)
NOUNS = _bank(
    "house|car|book|water|coffee|door|apple|dog|cat|letter|phone|idea|answer|coat|bag|hat|money|key|story|picture|box|paper|ticket|"
    "egg|table|shoe|radio|bread|garden|bird|river|mountain|street|city|train|plane|bus|school|teacher|doctor|mother|father|sister|"
    "brother|child|friend|window|kitchen|chair|bed|lamp|clock|knife|spoon|glass|cup|milk|sugar|salt|butter|cheese|soup|rice|fish"
)
ADJECTIVES = _bank(
    "big|small|old|new|young|good|bad|red|green|yellow|black|white|brown|long|short|high|low|hot|cold|warm|cool|fast|slow|clean|"
    "dirty|happy|sad|rich|poor|strong|weak|heavy|light|dark|bright|early|late|easy|hard|cheap|empty|full|quiet|loud|sweet|fresh"
)
CLOSERS = "....!?"


def numbers(rng: random.Random) -> Iterator[str]:
    """Counts, years, amounts, times and dates, in words."""
    for n in [*range(101), *(rng.randrange(101, 1000) for _ in range(60)), *range(1900, 2030, 3)]:
        yield " ".join(number_words(n)).capitalize() + "."
    for n in range(1, 13):
        yield f"{number_words(n)[0].capitalize()} o'clock."
        yield f"At {number_words(n)[0]} {rng.choice(['fifteen', 'thirty', 'forty five', 'ten', 'twenty'])}."
        yield f"{rng.choice(['Half past', 'Quarter past', 'Quarter to', 'Ten to'])} {number_words(n)[0]}."
    for _ in range(60):
        unit = rng.choice(
            ["dollars", "minutes", "hours", "days", "years", "people", "miles", "percent", "times", "degrees"]
        )
        yield f"{' '.join(number_words(rng.randrange(2, 100))).capitalize()} {unit}."
    for month in MONTHS:
        yield f"{month}."
        yield f"In {month}."
        yield f"The {rng.choice(ORDINALS)} of {month}."
        yield f"{month} {rng.choice(ORDINALS)}."
    for day in DAYS:
        yield from (
            f"{day}.",
            f"On {day}.",
            f"{day} {rng.choice(['afternoon', 'evening', 'night'])}.",
            f"Next {day}.",
            f"Every {day}?",
        )
    yield from (f"The {ordinal}." for ordinal in ORDINALS)


def letters(rng: random.Random, count: int) -> Iterator[str]:
    """Letters one by one, as in a spelled name; not "a", which alone is the article."""
    names = [letter.upper() for letter in LETTER_NAMES if letter != "a"]
    yield from (f"{name}." for name in names)
    for _ in range(count):
        yield ", ".join(rng.sample(names, 3)) + "."


def phrases(rng: random.Random, count: int) -> Iterator[str]:
    """Greetings, questions, and an article with one or two words."""
    for text in GREETINGS:
        yield f"{text}."
        yield f"{text}{rng.choice('.!!?')}"
    for text in ASKED:
        yield f"{text}?"
    for _ in range(count):
        noun, adjective = rng.choice(NOUNS), rng.choice(ADJECTIVES)
        start = rng.choice(
            ["The", "My", "Your", "His", "Her", "This", "That", "No", "Some", "In the", "With the", "For my"]
        )
        kind = rng.randrange(4)
        parts = [f"{start} {noun}", f"{start} {adjective} {noun}", f"{adjective} {noun}", f"Very {adjective}"]
        yield parts[kind].capitalize() + rng.choice(CLOSERS)


def common_words(sentences: list[str], count: int) -> Iterator[str]:
    """The words used most, each alone."""
    counted = Counter(word for s in sentences for word in re.findall(r"[a-z]{3,}", s.lower()))
    yield from (f"{word.capitalize()}." for word, _ in counted.most_common(count))


def parts_of_sentences(sentences: list[str], rng: random.Random, count: int) -> Iterator[str]:
    """Clauses of sentences, and sentences cut between two words; all but the last part of a sentence end with a comma."""
    long = [sentence for sentence in sentences if len(sentence.split()) > 2]
    for sentence in rng.sample(long, count):
        clauses = re.split(r"(?<=[,;:]) ", sentence)
        if len(clauses) > 1:
            at = rng.randrange(1, len(clauses))
            first, last = " ".join(clauses[:at]), " ".join(clauses[at:])
        else:
            words = sentence.split()
            at = rng.randrange(1, len(words))
            first, last = " ".join(words[:at]), " ".join(words[at:])
        yield rng.choice([first.rstrip(",;:") + ",", first.rstrip(",;:") + ",", last.capitalize()])


def short_utterances(sentences: list[str], seed: int) -> list[str]:
    """All of the above, shuffled, each once."""
    rng = random.Random(seed)
    found = {
        *numbers(rng), *letters(rng, 80), *phrases(rng, 350), *common_words(sentences, 900),
        *parts_of_sentences(sentences, rng, 1100),
    }  # fmt: skip
    made = sorted(text for text in found if in_dictionary(text))
    rng.shuffle(made)
    return made
