"""The command line: what the user typed -> one command. Errors become one sentence and an exit code; Ctrl-C is 130.

Parsing imports nothing heavy; each command imports what it needs when it runs. Exit codes: 0 done, 2 the input or the
environment is at fault (bad option, missing file, full disk, no network), 1 our own failure, 128 + N stopped by signal N
(Ctrl-C: 130), 141 whoever read our output has gone.
"""

import errno
import logging
import sys
from collections.abc import Sequence
from contextlib import suppress

from pocketvoice import log
from pocketvoice.cli import process
from pocketvoice.cli.parser import build_parser
from pocketvoice.errors import Cancelled, EnvironmentFault, InputError, PocketVoiceError, from_os_error

EXIT_FAILED, EXIT_INPUT, EXIT_READER_GONE = 1, 2, 141

_logger = logging.getLogger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code. Without `arguments` it is this process's own command line."""
    if arguments is not None:
        return _guarded(list(arguments))
    process.take_over()
    code = _guarded(sys.argv[1:])
    process.leave_if_stopped(code)
    return code


def _guarded(given: Sequence[str]) -> int:
    debug = "--debug" in given  # counts too where the line can't be parsed
    try:
        return _told(lambda: _run(given, debug), debug)
    except BrokenPipeError:
        return _reader_gone()


def _run(given: Sequence[str], debug: bool) -> int:
    options = build_parser().parse_args(given)
    log.configure(logging.DEBUG if debug else logging.ERROR if options.quiet else logging.WARNING)
    code = int(options.run(options) or 0)
    _flush_output()
    return code


def _told(run: "process.Run", debug: bool) -> int:
    """The exit code of `run`; what it raises is told on standard error."""
    try:
        return run()
    except SystemExit as end:  # --help and --version
        _flush_output()
        return int(end.code or 0)
    except (KeyboardInterrupt, Cancelled):
        return process.exit_code_of_stop()
    except BrokenPipeError:
        raise
    except PocketVoiceError as error:
        return _explain(error, debug)
    except Exception as error:  # the outermost loop of the process
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):  # from a print
            process.drop_output()
            return _explain(from_os_error(error, error.filename or "standard output"), debug)
        return _apologise(error, debug)


def _flush_output() -> None:
    """Here and not when Python ends: what can't be written is told as everything else is."""
    if sys.stdout is not None:
        sys.stdout.flush()


def _explain(error: PocketVoiceError, debug: bool) -> int:
    print(f"pocketvoice: {error.message}", file=sys.stderr)
    if debug:
        log.configure(logging.DEBUG)
        _logger.debug("%s: %s", type(error).__name__, error.detail, exc_info=error)
    return EXIT_INPUT if isinstance(error, InputError | EnvironmentFault) else EXIT_FAILED


def _apologise(error: Exception, debug: bool) -> int:
    """A defect of ours."""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    remedy = "" if debug else " Run it again with --debug to see where."
    print(f"pocketvoice: Something went wrong inside ({what}).{remedy}", file=sys.stderr)
    if debug:
        log.configure(logging.DEBUG)
        _logger.debug("unexpected error", exc_info=error)
    return EXIT_FAILED


def _reader_gone() -> int:
    """Whoever read our output has closed it: end without a word, also at the interpreter's last flush."""
    process.drop_output()
    with suppress(OSError, AttributeError):
        sys.stderr.flush()
    return EXIT_READER_GONE
