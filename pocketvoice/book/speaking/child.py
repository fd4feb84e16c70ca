"""The other side of `EngineProcess`: reads a set-up and tasks as JSON lines, answers each. Ends when its input does."""

import json
from collections.abc import Callable
from typing import IO

from pocketvoice.book.pieces import Task
from pocketvoice.book.speaking.crew import told
from pocketvoice.book.speaking.speaker import PieceSpeaker
from pocketvoice.errors import PocketVoiceError

Load = Callable[[dict[str, object]], PieceSpeaker]
"""From the set-up to what speaks."""


def serve(lines: IO[str], answers: IO[str], load: Load) -> None:
    """Answers every line until the input ends; an error is an answer, too."""
    speaker: PieceSpeaker | None = None
    for line in lines:
        try:
            if speaker is None:
                speaker = load(json.loads(line))
                answer: dict[str, object] = {}
            else:
                answer = dict(vars(speaker.speak(Task.of_json(line))))
        except PocketVoiceError as error:
            answer = dict(told(error))
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
