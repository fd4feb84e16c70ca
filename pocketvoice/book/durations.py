"""Lengths of time, for people and as files write them. Pure functions."""


def time_left(seconds: float) -> str:
    """`40 seconds`, `12 minutes`, `2 h 5 min`."""
    if seconds < 90:
        return f"{max(1, round(seconds / 5)) * 5} seconds"
    minutes = round(seconds / 60)
    return f"{minutes} minutes" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def clock(seconds: float) -> str:
    """`2:31:04`, or `3:09`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def timestamp(sample: int, sample_rate: int, mark: str = ".") -> str:
    """`02:31:04.120`, as chapters and subtitles have it; `mark` stands before the milliseconds."""
    seconds, milliseconds = divmod(sample * 1000 // sample_rate, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{seconds:02}{mark}{milliseconds:03}"
