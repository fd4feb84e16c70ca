"""Subtitles (SRT and WebVTT) to paragraphs: cues are joined to sentences, each paragraph knows its time."""

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pocketvoice.documents.blocks import Block, BlockKind, Place
from pocketvoice.documents.document import Details, Part
from pocketvoice.documents.encoding import decode
from pocketvoice.documents.faults import NoTextError
from pocketvoice.documents.flow import collapsed
from pocketvoice.documents.positions import ContentsEntry
from pocketvoice.documents.source import Source

_TIMES = re.compile(
    r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[,.](\d{1,3})\s*-->\s*(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[,.](\d{1,3})"
)
_VOICE = re.compile(r"<v(?:\.[\w.]+)?\s+([^>]+)>")
_TAG = re.compile(r"</?[a-zA-Z][^>\n]*>|<\d[\d:.]*>|\{\\[^}\n]*\}")
_ENDED = re.compile(r"""[.!?…。！？♪]["'»”’)\]]*$""")
_LONG_GAP_S = 2.5
_LONG_CHARS = 400


@dataclass(frozen=True)
class _Cue:
    start_s: float
    end_s: float
    speaker: str
    text: str
    line: int


def open_reader(source: Source) -> "SubtitleReader":
    return SubtitleReader(decode(source.data(), source.name), source.name)


class SubtitleReader:
    """Reads the cues of a file of subtitles."""

    parts: Sequence[Part] = (Part(),)
    needs_file = False
    contents: Sequence[ContentsEntry] = ()
    details = Details()

    def __init__(self, text: str, name: str) -> None:
        self._cues = list(_cues(text))
        if not self._cues:
            raise NoTextError(f"{name} holds no subtitles: check that it is a complete SRT or VTT file.")

    def read(self, part: int) -> Iterator[Block]:
        group: list[_Cue] = []
        for cue in self._cues:
            if group and _parts(group, cue):
                yield _paragraph(group)
                group = []
            group.append(cue)
        yield _paragraph(group)

    def cover(self) -> bytes | None:
        return None

    def close(self) -> None:
        pass


def _cues(text: str) -> Iterator[_Cue]:
    """The cues that say something, in order; lines that scroll up over several cues are said once."""
    shown: list[str] = []
    line = 1
    for chunk in re.split(r"\n[ \t]*\n", text):
        times = _TIMES.search(chunk)
        lines_before = chunk[: times.start()].count("\n") if times else 0
        if times and not chunk.lstrip().startswith(("NOTE", "STYLE", "REGION")):
            body = chunk[times.end() :].partition("\n")[2]
            speaker = _VOICE.search(body)
            said = [collapsed(html.unescape(_TAG.sub("", row))) for row in body.split("\n")]
            new = [row for row in said if row and row not in shown]
            shown = [row for row in said if row]
            if new:
                start, end = (_seconds(times.groups()[at : at + 4]) for at in (0, 4))
                yield _Cue(
                    start, end, collapsed(speaker[1]) if speaker else "", " ".join(new), line + lines_before
                )
        line += chunk.count("\n") + 2


def _seconds(fields: Sequence[str | None]) -> float:
    hours, minutes, seconds, fraction = fields
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0) + float(f"0.{fraction}")


def _parts(group: Sequence[_Cue], cue: _Cue) -> bool:
    """True if a new paragraph begins with this cue."""
    last = group[-1]
    if cue.speaker != last.speaker or cue.text[:1] in "-–—":
        return True
    ended = _ENDED.search(last.text) is not None
    length = sum(len(one.text) for one in group)
    return (
        cue.start_s - last.end_s > _LONG_GAP_S or (ended and length > _LONG_CHARS) or length > 4 * _LONG_CHARS
    )


def _paragraph(group: Sequence[_Cue]) -> Block:
    first = group[0]
    text = " ".join(cue.text for cue in group)
    return Block(
        BlockKind.PARAGRAPH, text, label=first.speaker, place=Place(line=first.line, time_s=first.start_s)
    )
