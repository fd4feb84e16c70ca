"""What the planner tells the store of the words that it planned: how long each is when it is spoken."""

from pocketvoice.paths import models_dir
from pocketvoice.text.rules import TextRules
from pocketvoice.text.segment import SplitOptions
from pocketvoice.text.splitter import split
from pocketvoice.text.tokenizer import load_tokenizer
from pocketvoice.worker.child.speech_planner import SpeechPlanner
from pocketvoice.worker.child.speech_queue import speech_of
from pocketvoice.worker.messages import Speak

TEXT = "It cost $1,234,567.89 then. Nobody paid."


def test_the_store_knows_how_much_is_spoken() -> None:
    tokenizer = load_tokenizer(models_dir() / "builtin_en" / "tokenizer.model", "sentencepiece", 374)
    planner = SpeechPlanner(
        lambda text, request: split(
            text, tokenizer, TextRules(), SplitOptions(200, language="en" if request.normalise else None)
        ),
        sample_rate=24_000,
        store_s=60.0,
    )
    lengths = []
    for normalise in (True, False):
        speech = speech_of(Speak(TEXT, normalise=normalise))
        store = planner.store(speech)
        segment = planner.place(speech, store, 0).segment
        lengths.append((segment.letters(8, 21), segment.letters(28, 40)))
    (number, words), (written, same) = lengths
    assert number > 5 * written
    assert words == same
