"""The command line: what the user typed -> one command. Errors become one sentence and an exit code; Ctrl-C is 130.

Parsing imports nothing heavy; each command imports what it needs when it runs. Exit codes: 0 done, 2 the input or the
environment is at fault (bad option, missing file, full disk, no network), 1 our own failure, 128 + N stopped by signal N
(Ctrl-C: 130), 141 whoever read our output has gone.
"""

import errno
import logging
import os
import sys
import warnings
from collections.abc import Container, Sequence
from contextlib import suppress

from pocketvoice import log
from pocketvoice.cli import signals, streams
from pocketvoice.cli.parser import build_parser
from pocketvoice.errors import Cancelled, EnvironmentFault, InputError, PocketVoiceError, from_os_error

EXIT_FAILED, EXIT_INPUT, EXIT_READER_GONE = 1, 2, 141
_FULL = (errno.ENOSPC, errno.EDQUOT)

_logger = logging.getLogger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code. Without `arguments` it is this process's own command line."""
    if arguments is not None:
        return _run_to_code(list(arguments))
    _take_over_process()
    code = _run_to_code(sys.argv[1:])
    signals.leave_if_stopped(code)
    return code


def _take_over_process() -> None:
    streams.take_over()
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # libraries' notes to programmers are none of the user's
    signals.take_over()


def _run_to_code(given: Sequence[str]) -> int:
    """The exit code of a command line; what it raises is told on standard error."""
    debug = "--debug" in given  # counts too where the line can't be parsed
    try:
        try:
            return _run(given, debug)
        except Exception as error:  # the outermost loop of the process
            return _code_of_error(error, debug)
        except SystemExit as end:  # --help and --version
            streams.flush_output()
            return int(end.code or 0)
        except KeyboardInterrupt:
            return signals.exit_code_of_stop()
    except BrokenPipeError:
        return _code_of_reader_gone()


def _run(given: Sequence[str], debug: bool) -> int:
    parser = build_parser()
    parsed = parser.parse_args(_with_command(given, parser.commands))
    log.configure(logging.DEBUG if debug else logging.ERROR if parsed.quiet else logging.WARNING)
    code = int(parsed.run(parsed) or 0)
    streams.flush_output()
    return code


def _with_command(given: Sequence[str], commands: Container[str]) -> Sequence[str]:
    """The line with `gui` in front where it names a file and no command: files are opened."""
    first = next((word for word in given if not word.startswith("-")), "")
    is_file = first not in commands and (any(mark in first for mark in "/\\.") or os.path.exists(first))  # noqa: PTH110
    return ["gui", *given] if is_file else given


def _code_of_error(error: Exception, debug: bool) -> int:
    if isinstance(error, BrokenPipeError):
        raise error
    if isinstance(error, Cancelled):
        return signals.exit_code_of_stop()
    if isinstance(error, PocketVoiceError):
        return _explain(error, debug)
    if isinstance(error, OSError) and error.errno in _FULL:  # from a print
        streams.drop_output()
        return _explain(from_os_error(error, error.filename or "standard output"), debug)
    return _apologise(error, debug)


def _explain(error: PocketVoiceError, debug: bool) -> int:
    """Tells what the user or the environment did, in the error's own sentence."""
    streams.show(f"pocketvoice: {error.message}", error=True)
    if debug:
        log.configure(logging.DEBUG)
        _logger.debug("%s: %s", type(error).__name__, error.detail, exc_info=error)
    return EXIT_INPUT if isinstance(error, InputError | EnvironmentFault) else EXIT_FAILED


def _apologise(error: Exception, debug: bool) -> int:
    """Tells a defect of ours."""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    remedy = "" if debug else " Run it again with --debug to see where."
    streams.show(f"pocketvoice: Something went wrong inside ({what}).{remedy}", error=True)
    if debug:
        log.configure(logging.DEBUG)
        _logger.debug("unexpected error", exc_info=error)
    return EXIT_FAILED


def _code_of_reader_gone() -> int:
    """Whoever read our output has closed it: end without a word, also at the interpreter's last flush."""
    streams.drop_output()
    with suppress(OSError, AttributeError):
        sys.stderr.flush()
    return EXIT_READER_GONE
