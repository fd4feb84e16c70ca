"""The command line: what the user typed -> one command. Errors become one sentence and an exit code; Ctrl-C is 130.

Parsing imports nothing heavy; each command imports what it needs when it runs. Exit codes: 0 done, 2 the input or the
environment is at fault (bad option, missing file, full disk, no network), 1 our own failure, 130 stopped by the user.
"""

import argparse
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence

from pocketvoice import __version__, log
from pocketvoice.errors import Cancelled, EnvironmentFault, InputError, PocketVoiceError

EXIT_FAILED, EXIT_INPUT, EXIT_STOPPED = 1, 2, 130

_logger = logging.getLogger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    options = build_parser().parse_args(arguments)
    log.configure(logging.DEBUG if options.debug else logging.ERROR if options.quiet else logging.WARNING)
    try:
        return int(options.run(options) or 0)
    except (KeyboardInterrupt, Cancelled):
        return EXIT_STOPPED
    except BrokenPipeError:
        return _reader_gone()
    except PocketVoiceError as error:
        return _explain(error, options.debug)
    except (
        Exception
    ) as error:  # the outermost loop of the process: a defect of ours, told without a traceback
        return _apologise(error, options.debug)


def _explain(error: PocketVoiceError, debug: bool) -> int:
    print(f"pocketvoice: {error.message}", file=sys.stderr)
    _logger.debug("%s: %s", type(error).__name__, error.detail, exc_info=debug)
    return EXIT_INPUT if isinstance(error, InputError | EnvironmentFault) else EXIT_FAILED


def _apologise(error: Exception, debug: bool) -> int:
    print(
        f"pocketvoice: Something went wrong inside ({type(error).__name__}: {error}). Run it again with --debug to see where.",
        file=sys.stderr,
    )
    _logger.debug("unexpected error", exc_info=debug)
    return EXIT_FAILED


def _reader_gone() -> int:
    """Whoever read our output has closed it: end without a word, also at the interpreter's last flush."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return EXIT_FAILED


def build_parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--debug", action="store_true", help="show the log and tracebacks")
    common.add_argument("-q", "--quiet", action="store_true", help="say nothing but errors")
    parser = argparse.ArgumentParser(
        prog="pocketvoice",
        description="Reads any text aloud in a voice you choose, on your own computer, offline.",
    )
    parser.add_argument("--version", action="version", version=f"pocketvoice {__version__}")
    parser.set_defaults(run=lambda _: parser.print_help(), debug=False, quiet=False)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    def command(
        name: str, run: Callable[[argparse.Namespace], int | None], about: str
    ) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=about, description=about, parents=[common])
        added.set_defaults(run=run)
        return added

    _add_say(command("say", _say, "speak a text through the loudspeaker"))
    _add_generate(command("generate", _generate, "write a spoken text to a WAV file"))
    _add_export_voice(command("export-voice", _export_voice, "make a voice file from a recording"))
    _add_models(command("models", _models, "list, download and find models"))
    _add_voices(command("voices", _voices, "list the voices of the catalogue"))
    _add_doctor(command("doctor", _doctor, "show what this installation has and can do"))
    _add_bench(command("bench", _bench, "measure the speed on this machine"))
    return parser


def _add_model_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--language", "--variant", help="a model of `pocketvoice models list`")
    parser.add_argument(
        "--config", help="a model config of your own: a path, https:// or hf://owner/repo/file.yaml@revision"
    )
    parser.add_argument("--device", default="cpu", help="cpu")
    parser.add_argument(
        "--quantize", action="store_true", help="int8 weights: less memory, faster on most machines"
    )
    parser.add_argument(
        "--precision", choices=("float32", "bf16", "int8"), help="arithmetic of the model (float32)"
    )


def _add_speech_options(parser: argparse.ArgumentParser) -> None:
    _add_model_options(parser)
    parser.add_argument(
        "-v", "--voice", help="a voice name, an audio file or a .safetensors voice (path or address)"
    )
    parser.add_argument(
        "--truncate", action="store_true", help="use the start of a recording of more than five minutes"
    )
    parser.add_argument("--checkpoint", help="a training checkpoint (.pt) instead of the config's weights")
    parser.add_argument("--sampler-decode-steps", type=int, default=1, help="steps of the flow head (1)")
    parser.add_argument("--lsd-decode-steps", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--temperature", type=float, help="variance of the noise (the model's own: 0.3)")
    parser.add_argument("--noise-clamp", type=float, help="largest noise value (none)")
    parser.add_argument("--eos-threshold", type=float, help="end-of-speech threshold (the model's own: -4)")
    parser.add_argument("--frames-after-eos", type=int, help="80 ms frames after the end of speech")
    parser.add_argument("--max-tokens", type=int, default=50, help="most tokens spoken at once (50)")
    parser.add_argument("--seed", type=int, help="repeats the sound exactly")
    parser.add_argument(
        "--strict", action="store_true", help="split and prepare the text exactly as the reference does"
    )


def _add_say(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", help="the text, or - to read it from standard input")
    _add_speech_options(parser)
    parser.add_argument("--output-device", help="a sound device by name or number (see `pocketvoice doctor`)")
    parser.add_argument(
        "-o",
        "--output-path",
        default="pocketvoice.wav",
        help="the file that is written when there is no sound device",
    )


def _add_generate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-t", "--text", help="the text, or - to read it from standard input (a short demo text)"
    )
    _add_speech_options(parser)
    parser.add_argument(
        "-o",
        "--output-path",
        "--output",
        default="./tts_output.wav",
        help="a WAV file, or - for standard output",
    )
    parser.add_argument("--json", action="store_true", help="print what was made as JSON")


def _add_export_voice(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("audio_path", help="a recording, or a folder of recordings")
    parser.add_argument("export_path", help="the .safetensors file to write, or the folder to write them to")
    _add_model_options(parser)
    parser.add_argument(
        "--truncate", action="store_true", help="use the start of a recording of more than five minutes"
    )


def _add_models(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True, dest="action")
    listing = actions.add_parser("list", help="all models, with sizes and what is installed")
    listing.add_argument("--json", action="store_true", help="as JSON")
    download = actions.add_parser("download", help="fetch a model now, to be used offline later")
    download.add_argument("name", help="a model of `pocketvoice models list`")
    where = actions.add_parser("path", help="where a model's files lie")
    where.add_argument("name", help="a model of `pocketvoice models list`")
    where.add_argument("--json", action="store_true", help="as JSON")


def _add_voices(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True, dest="action")
    listing = actions.add_parser("list", help="all voices, with the languages whose default they are")
    listing.add_argument("--json", action="store_true", help="as JSON")


def _add_doctor(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="as JSON")


def _add_bench(parser: argparse.ArgumentParser) -> None:
    _add_model_options(parser)
    parser.add_argument("--model", help="a folder with a config of the same name and voice.safetensors")
    parser.add_argument(
        "-v", "--voice", help="the voice to measure with (DIR/voice.safetensors, or the default voice)"
    )
    parser.add_argument(
        "--against", choices=("reference",), help="run the reference package beside it, in turn"
    )
    parser.add_argument(
        "--rounds", type=int, default=7, help="measurements of each, of which the median counts (7)"
    )
    parser.add_argument("--threads", type=int, default=1, help="torch threads of each (1)")
    parser.add_argument("--json", action="store_true", help="as JSON")


def _say(options: argparse.Namespace) -> int:
    from pocketvoice.cli import speak

    return speak.say(options)


def _generate(options: argparse.Namespace) -> int:
    from pocketvoice.cli import speak

    return speak.generate(options)


def _export_voice(options: argparse.Namespace) -> int:
    from pocketvoice.cli import speak

    return speak.export_voice(options)


def _models(options: argparse.Namespace) -> int:
    from pocketvoice.cli import listings

    return listings.models(options)


def _voices(options: argparse.Namespace) -> int:
    from pocketvoice.cli import listings

    return listings.voices(options)


def _doctor(options: argparse.Namespace) -> int:
    from pocketvoice.cli import doctor

    return doctor.doctor(options)


def _bench(options: argparse.Namespace) -> int:
    from pocketvoice.cli import bench

    return bench.bench(options)


def restore_interrupt() -> None:
    """Ctrl-C raises KeyboardInterrupt even where the parent (a script's background job) had it ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
