"""When each sentence of a book is heard, as SRT, WebVTT or LRC. Pure functions; times are those of the file beside."""

from collections.abc import Sequence

from pocketvoice.book.durations import timestamp
from pocketvoice.book.timeline import Cue


def subtitles(kind: str, cues: Sequence[Cue], sample_rate: int, title: str = "", author: str = "") -> str:
    """The text of a file of `kind` (`srt`, `vtt`, `lrc`)."""
    if kind == "lrc":
        return _lrc(cues, sample_rate, title, author)
    mark = "," if kind == "srt" else "."
    parts = ["WEBVTT\n"] if kind == "vtt" else []
    for number, cue in enumerate(cues, 1):
        times = f"{timestamp(cue.start, sample_rate, mark)} --> {timestamp(cue.stop, sample_rate, mark)}"
        # An arrow would end the text for a reader; WebVTT has markup of its own.
        text = cue.text.replace("-->", "->")
        if kind == "vtt":
            text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        parts.append(f"{number}\n{times}\n{text}\n")
    return "\n".join(parts)


def _lrc(cues: Sequence[Cue], sample_rate: int, title: str, author: str) -> str:
    lines = [f"[ti:{_plain(title)}]", f"[ar:{_plain(author)}]"]
    for cue in cues:
        hundredths = cue.start * 100 // sample_rate
        minutes, rest = divmod(hundredths, 6000)
        lines.append(f"[{minutes:02}:{rest // 100:02}.{rest % 100:02}]{cue.text}")
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    return text.replace("[", "(").replace("]", ")")
