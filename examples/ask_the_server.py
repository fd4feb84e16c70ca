"""Asks `pocketvoice serve` for speech over HTTP: `python ask_the_server.py "Hello there." answer.wav`.

Needs nothing but Python's own library. The endpoint is OpenAI's, so its clients work as well.
"""

import argparse
import json
import os
import urllib.error
import urllib.request
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text")
    parser.add_argument(
        "target", type=Path, help="the sound file; its ending is the format: wav, mp3, opus, flac"
    )
    parser.add_argument("--server", default="http://127.0.0.1:8000", help="where `pocketvoice serve` answers")
    parser.add_argument("--voice", default="slt", help="a name of GET /voices")
    options = parser.parse_args()

    asked = {
        "model": "tts-1", "voice": options.voice, "input": options.text,
        "response_format": options.target.suffix.removeprefix("."),
    }  # fmt: skip
    headers = {"Content-Type": "application/json"}
    if key := os.environ.get("POCKETVOICE_API_KEY"):
        headers["Authorization"] = f"Bearer {key}"
    request = urllib.request.Request(
        f"{options.server}/v1/audio/speech", json.dumps(asked).encode(), headers, method="POST"
    )
    # The answer streams: the first bytes are here long before the last ones are made.
    with urllib.request.urlopen(request) as answer, options.target.open("wb") as file:
        while piece := answer.read1(1 << 16):
            file.write(piece)
    print(f"{options.target.stat().st_size} bytes in {options.target}")


if __name__ == "__main__":
    try:
        main()
    except urllib.error.HTTPError as error:  # its body says what to do
        raise SystemExit(error.read().decode()) from error
    except urllib.error.URLError as error:
        raise SystemExit(
            f"The server does not answer ({error.reason}): start `pocketvoice serve`."
        ) from error
