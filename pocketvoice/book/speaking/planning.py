"""A script in the model's segments. Reads no sound and speaks nothing."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from pocketvoice.book.pieces import Passaged
from pocketvoice.book.script import Role, Script
from pocketvoice.engine.reading import Reading
from pocketvoice.engine.tts_model import TTSModel
from pocketvoice.errors import EmptyTextError
from pocketvoice.text.segment import Segment

_CHAPTER_END_S = 1.5


def segments_of(
    model: TTSModel, script: Script, readings: Mapping[Role, Reading], max_tokens: int | None
) -> Iterator[Passaged]:
    """All segments in order; behind the last one of a passage, and of a chapter, stands its silence."""
    for number, chapter in enumerate(script.chapters):
        of_chapter: list[Passaged] = []
        for at, passage in enumerate(chapter.passages):
            try:
                segments = list(
                    model.segments(passage.text, max_tokens=max_tokens, reading=readings[passage.role])
                )
            except EmptyTextError:
                continue  # a line of asterisks, a formula: nothing in it is spoken
            segments[-1] = _with_pause(segments[-1], passage.pause_after_s)
            of_chapter += (Passaged(number, passage.role, passage.text, segment, at) for segment in segments)
        if of_chapter:
            last = of_chapter[-1]
            of_chapter[-1] = replace(last, segment=_with_pause(last.segment, _CHAPTER_END_S))
        yield from of_chapter


def _with_pause(segment: Segment, seconds: float) -> Segment:
    return replace(segment, pause_after_s=max(segment.pause_after_s, seconds))
