"""The process that runs the file of a student: confined, it writes the answer, or a report of what went wrong.

Nothing that it writes is trusted: after the first line of the file this process belongs to the student.
"""

import contextlib
import json
import os
import sys
import types
from pathlib import Path
from typing import Any

from weightsmith.exercises.confinement import Confined, confine

SOURCE, ANSWER, REPORT = "submission.py", "answer", "report.json"  # files of its folder
NOT_CONFINED = 97  # exit code: the file was not run


def main(order: str) -> None:
    """Run the file in a folder; the order names the folder, its limits, and the kind of answer."""
    given: dict[str, Any] = json.loads(order)
    folder = Path(given["folder"])
    readable = [Path(path) for path in given["readable"]]
    try:
        confine(Confined(folder, readable, given["seconds"], given["memory"], given["file_size"]), given["layers"])
    except OSError as error:
        sys.stderr.write(f"cannot confine the process: {error}\n")
        os._exit(NOT_CONFINED)
    try:
        (folder / ANSWER).write_bytes(_answer(folder / SOURCE, given["kind"]))
    except BaseException as error:  # also SystemExit, KeyboardInterrupt and errors of the student's own
        with contextlib.suppress(BaseException):
            (folder / REPORT).write_text(
                json.dumps({"line": _line(error, str(folder / SOURCE)), "error": _said(error)}), encoding="utf-8"
            )
    with contextlib.suppress(BaseException):
        sys.stdout.flush()
    os._exit(0)  # without what the file has registered for the end


def _answer(path: Path, kind: str) -> bytes:
    """Run the file and return its answer as bytes: a model file, or JSON."""
    module = types.ModuleType("submission")
    module.__file__ = str(path)
    sys.modules["submission"] = module
    sys.argv = [str(path)]
    exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)
    if "answer" not in module.__dict__:
        raise _WrongAnswerError("it defines no answer: write answer = … at the end")
    answer = module.__dict__["answer"]
    if kind == "input":
        tokens = list(answer) if isinstance(answer, tuple) else answer
        if not isinstance(tokens, str | list):
            raise _WrongAnswerError(f"answer is {_kind(answer)}: write an input, such as answer = '0110'")
        return json.dumps({"tokens": tokens}).encode()
    from weightsmith.files import model_bytes
    from weightsmith.model import Transformer

    if not isinstance(answer, Transformer):
        raise _WrongAnswerError(f"answer is {_kind(answer)}: write answer = ws.Transformer(…)")
    return model_bytes(answer)


class _WrongAnswerError(Exception):
    """The answer is missing, or of a wrong kind."""


def _kind(thing: object) -> str:
    name = type(thing).__name__
    return "nothing" if thing is None else f"{'an' if name[:1] in 'AEIOUaeiou' else 'a'} {name}"


def _line(error: BaseException, file: str) -> int | None:
    """Return the line of the file on which an error happened."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _said(error: BaseException) -> str:
    """Return the name and the text of an error."""
    if isinstance(error, MemoryError):
        return "it needs more memory than it may use"
    if isinstance(error, SystemExit):
        return "it ends itself with sys.exit: leave that out"
    text = ""
    with contextlib.suppress(BaseException):
        text = error.msg if isinstance(error, SyntaxError) else str(error)
    if isinstance(error, _WrongAnswerError):
        return text
    return f"{type(error).__name__}: {text}"[:2000]
