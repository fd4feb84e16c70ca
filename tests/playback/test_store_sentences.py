"""Sentences in the store: several in a segment, one in several segments, and what begins inside a segment."""

import numpy as np

from pocketvoice.playback.store import Cursor, SpeechStore

RATE = 24_000
# Of the text: [0, 60) is a segment of two sentences; the second one goes on in [61, 90), where a third begins at 80.
SEGMENTS = [(0, 60), (61, 90)]
FIRST, SECOND, THIRD = (0, 29), (30, 79), (80, 90)


def store() -> SpeechStore:
    made = SpeechStore(RATE, [(0, 90)], rough=True)
    made.refine(made.segment_at(0), SEGMENTS, [FIRST, SECOND, THIRD])
    return made


def speech(*seconds: float) -> np.ndarray:
    """Loud parts with a quarter of a second between."""
    rng = np.random.default_rng(1)
    parts = []
    for one in seconds:
        parts += [rng.uniform(-0.5, 0.5, int(one * RATE)), np.zeros(RATE // 4)]
    return np.concatenate(parts).astype(np.float32)


def fill(made: SpeechStore) -> None:
    for span, sound in zip(SEGMENTS, (speech(2.0, 2.0), speech(1.2, 0.8)), strict=True):
        made.begin(span)
        made.add(sound)
        made.end()


def test_places_belong_to_sentences() -> None:
    made = store()
    fill(made)
    assert made.sentences == (FIRST, SECOND, THIRD)
    first, second = (made.segment_at(start) for start, _ in SEGMENTS)
    places = [Cursor(first, first.take, int(at * RATE)) for at in (0, 1.9, 2.4, 4.2)]
    assert [made.sentence(place) for place in places] == [FIRST, FIRST, SECOND, SECOND]
    places = [Cursor(second, second.take, int(at * RATE)) for at in (0, 1.0, 1.6)]
    assert [made.sentence(place) for place in places] == [SECOND, SECOND, THIRD]
    sources = [made.source(Cursor(first, first.take, at)) for at in range(0, first.length, RATE // 10)]
    assert sources == sorted(sources)
    assert sources[0] == 0
    assert sources[-1] < 60


def test_sentence_begins_behind_the_pause() -> None:
    made = store()
    fill(made)
    cursor = made.open_at(35)
    assert cursor.segment.span == (0, 60)
    assert 2.0 * RATE < cursor.offset <= 2.25 * RATE
    assert made.source(cursor) == 30
    assert made.sentence_beside(FIRST, 1) == SECOND
    assert made.sentence_beside(THIRD, 1) is None
    assert made.sentence_beside(FIRST, -1) == FIRST
    assert made.spans == tuple(SEGMENTS)


def test_what_is_missing_begins_at_the_sentence() -> None:
    """Nothing is made yet: the segment is cut, and its other half is there to be made when it is wanted."""
    made = store()
    cursor = made.open_at(31)
    assert (cursor.segment.span, cursor.offset) == ((30, 60), 0)
    assert made.spans == ((0, 30), (30, 60), (61, 90))
    missing = made.missing_from(cursor.segment)
    assert missing is cursor.segment
    made.begin((30, 75))  # the splitter puts other words together from there
    made.add(speech(1.0))
    made.end()
    assert made.spans == ((0, 30), (30, 75), (75, 90))
    following = made.missing_from(made.segment_at(30))
    assert following is not None
    assert following.span == (75, 90)  # nothing is lost
    assert made.to_plan(made.segment_at(0), 90, 800) == 30  # as far as nothing was made


def test_a_sentence_that_was_cut_off_is_planned_with_what_follows() -> None:
    made = store()
    here = made.open_at(31).segment
    assert here.needs_plan
    assert made.unmade(here, 90) == []
    assert made.to_plan(here, 90, 800) == 90  # nothing was made behind it
    assert made.to_plan(here, 90, 10) == 90  # no sentence begins where a segment does
    made.refine(here, [(30, 79), (80, 90)], [SECOND, THIRD], 90)
    assert made.spans == ((0, 30), (30, 79), (80, 90))
    assert made.sentences == (FIRST, SECOND, THIRD)  # each once
    assert [one.span for one in made.unmade(made.segment_at(30), 90)] == [(30, 79), (80, 90)]
    assert [one.span for one in made.unmade(made.segment_at(30), 80)] == [(30, 79)]
    assert (
        made.to_plan(made.segment_at(0), 90, 10) == 30
    )  # a sentence begins there: what follows stays as it is


def test_parts_of_a_failed_segment_take_its_place() -> None:
    """The engine tells of the parts one after the other; what of them is lost again is planned anew."""
    made = store()
    whole = made.segment_at(0)
    part = made.begin((0, 60), whole)
    assert part is whole
    for span in [(0, 20), (20, 60)]:
        part = made.begin(span, part)
        assert part is not None
        made.add(speech(0.5))
        made.end()
    assert made.spans == ((0, 20), (20, 60), (61, 90))
    assert not part.needs_plan  # it is made
    assert made.to_plan(made.segment_at(61), 90, 800) == 90
    made._parts.clear(part)
    assert part.needs_plan


def test_what_a_seek_has_cut_is_not_begun() -> None:
    made = store()
    planned = made.segment_at(0)
    made.open_at(31)
    assert made.begin((0, 60), planned) is None
    assert made.writing() is None
    assert made.spans == ((0, 30), (30, 60), (61, 90))


def test_a_part_that_was_cut_may_hold_nothing_to_speak() -> None:
    made = store()
    here = made.open_at(31).segment
    made.refine(here, [], [], 90)
    assert made.spans == ((0, 30), (30, 60))
    assert here.complete
    assert made.sentences == (FIRST, SECOND, THIRD)


def test_cut_while_it_is_made() -> None:
    """What the engine still brings of it is not kept."""
    made = store()
    made.begin((0, 60))
    made.add(speech(0.5))
    made.open_at(30)
    made.add(speech(0.5))
    made.end()
    assert made.spans == ((0, 30), (30, 60), (61, 90))
    assert made._parts.total == 0
    assert made.missing_from(made.segment_at(0)) is made.segment_at(0)


def test_part_without_words() -> None:
    made = SpeechStore(RATE, [(0, 90), (91, 95)], rough=True)
    made.refine(made.segment_at(93), [], [])
    made.refine(made.segment_at(0), SEGMENTS, [FIRST, SECOND, THIRD])
    assert made.sentences == (FIRST, SECOND, THIRD)
    fill(made)
    assert made.is_complete_from(made.at(0))


def test_places_follow_what_is_spoken() -> None:
    """A number is long for its place: at first as much is said for six signs as for thirty behind them."""
    made = SpeechStore(RATE, [(0, 60)], rough=True)
    words = [(0, 6, 60), *((start, start + 5, 6) for start in range(8, 56, 6))]
    made.refine(made.segment_at(0), [(0, 60)], [(0, 6), (8, 60)], words=[words])
    made.begin((0, 60))
    made.add(
        speech(1.0, 0.9, 1.1, 1.0)
    )  # pauses everywhere: which one parts the sentences is told by what is spoken
    made.end()
    (segment,) = (made.segment_at(0),)
    second = made.open_at(20)
    assert 2.1 * RATE < second.offset <= 2.4 * RATE
    sources = [made.source(Cursor(segment, segment.take, at)) for at in range(0, segment.length, RATE // 20)]
    assert sources == sorted(sources)
    middle = made.source(Cursor(segment, segment.take, second.offset // 2))
    assert 2 <= middle <= 4
