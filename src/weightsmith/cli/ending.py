"""How a command ends.

0 is fine, 1 a refuted claim or certificate and nothing else, 2 a wrong input or usage, 3 a claim or an automaton of
which nothing is known within the budget, 70 an internal error, 130 Ctrl-C, 141 output to a closed pipe.
"""

import contextlib
import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Callable
from typing import NoReturn, TextIO, cast

import typer

from weightsmith._version import __version__
from weightsmith.cli import lazy
from weightsmith.errors import UnknownError, WeightsmithError, cut, reason, shown

REFUTED, WRONG, UNKNOWN, DEFECT, INTERRUPTED, UNREAD = 1, 2, 3, 70, 130, 141
TOO_DEEP = "what was given is nested too deeply: write it with fewer parts inside each other"
TOO_LARGE = "this needs more memory than there is: choose smaller sizes or a shorter input"


class Refuted(typer.Exit):
    """The end of a command whose claim, or certificate, is refuted: nothing else ends with 1."""

    def __init__(self) -> None:
        """Choose the exit code."""
        super().__init__(REFUTED)


class Unknown(typer.Exit):
    """The end of a command whose claim is neither proved nor refuted."""

    def __init__(self) -> None:
        """Choose the exit code."""
        super().__init__(UNKNOWN)


class Tracebacks:
    """Whether tracebacks of defects are printed, as --debug asks, or written to a file."""

    printed = False


def ending(command: Callable[[], None]) -> None:
    """Run a command; whatever happens becomes an exit code and a message."""
    for stream in (sys.stdout, sys.stderr):  # a terminal without ∞ gets an escape, not a traceback
        with contextlib.suppress(AttributeError, OSError, ValueError):  # there is none, or it is no stream of ours
            cast(TextIO, stream).reconfigure(errors="backslashreplace")  # type: ignore[attr-defined]
    try:
        try:
            command()
        except Exception as error:
            if _is_ctrl_c(error):
                raise KeyboardInterrupt from error
            raise
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # here, because at the end of Python no error can be handled any more
    except SystemExit as end:
        _exit(end)
    except BrokenPipeError:
        _unread()
    except UnknownError as error:
        fail(str(error), UNKNOWN)
    except WeightsmithError as error:
        fail(str(error))
    except RecursionError:
        fail(TOO_DEEP)
    except MemoryError:
        fail(TOO_LARGE)
    except OSError as error:
        _silence(sys.stdout)
        what = "the output" if error.filename is None else cut(repr(error.filename))
        fail(f"cannot {'write' if error.filename is None else 'open'} {what}: {reason(error)}")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BaseException as error:
        _defect(error)


def _is_ctrl_c(error: BaseException | None) -> bool:
    """Say whether an error comes from Ctrl-C: Numba makes a SystemError of it in a loop that returns several arrays."""
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.append(error)
        error = error.__cause__ or error.__context__
    return False


def fail(message: str, code: int = WRONG) -> NoReturn:
    """Exit with a message, also if stderr is closed."""
    try:
        lazy.errors().print(f"error: {message}", style="red")
    except SystemExit:  # raised by rich if stderr is closed
        _silence(sys.stderr)
    sys.exit(code)


def _exit(end: SystemExit) -> NoReturn:
    """Exit as typer does, but leave 1 to refuted claims."""
    if isinstance(end.__context__, BrokenPipeError):  # rich and typer have made an exit with 1 of it
        _unread()
    if end.code in (None, 0) or (type(end.code) is int and end.code != REFUTED):
        raise end
    if isinstance(end.__context__, Refuted):
        raise end
    if isinstance(end.__context__, typer.Abort) and end.__context__.__cause__ is not None:
        _defect(end.__context__.__cause__)  # an error of ours that typer takes for an input that ended
    sys.exit(WRONG)


def _defect(error: BaseException) -> NoReturn:
    """Report an internal error; the traceback goes to a file, or is printed."""
    what = f"{type(error).__name__}{_text(error)}"
    whole = "".join(traceback.format_exception(error))
    place = None if Tracebacks.printed else _written(whole)
    if place is None:
        with contextlib.suppress(OSError, AttributeError):
            sys.stderr.write(whole)
        fail(f"this is a defect of Weightsmith: {what}; please report it with the traceback and the command", DEFECT)
    fail(
        f"this is a defect of Weightsmith: {what}; please report it with the command and the traceback, which is in "
        f"{place} (weightsmith --debug … prints it)",
        DEFECT,
    )


def _text(error: BaseException) -> str:
    """Return the beginning of an error's text, in one printable line."""
    try:
        said = " ".join(cut(str(error)).split())
    except Exception:  # the text of an error can fail too, as with a number that Python refuses to write out
        said = ""
    return f": {shown(said)}" if said else ""


def _written(whole: str) -> str | None:
    """Write a traceback to a new file that only its owner can read; return its name, or None where none can be."""
    about = f"weightsmith {__version__}, Python {platform.python_version()}\n{sys.argv!r}\n\n"
    try:
        number, name = tempfile.mkstemp(".txt", "weightsmith-")
        with open(number, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(about + whole)
    except OSError:
        return None
    return name


def _unread() -> NoReturn:
    """Exit as if by SIGPIPE: 0 would say that a claim holds, and 1 that it is refuted."""
    _silence(sys.stdout, sys.stderr)
    sys.exit(UNREAD)


def _silence(*streams: TextIO | None) -> None:
    """Discard the buffers of streams, which Python would write at its end, and fail again."""
    for stream in streams:
        if stream is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
