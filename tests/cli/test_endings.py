"""How a command ends: 1 says that something is refuted and nothing else, 70 that Weightsmith is wrong."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import weightsmith as ws
from tests.cli.commands import WIDE, good, weightsmith


def failing(error: str, at: str = "laws") -> str:
    """Return Python after which a function of the library raises an error."""
    return f"""
import weightsmith
def broken(*arguments, **options):
    raise {error}
weightsmith.{at} = broken
"""


DEFECTS = {
    "ZeroDivisionError('division by zero')": "ZeroDivisionError: division by zero",
    "AssertionError": "AssertionError",
    "KeyError('a')": "KeyError: 'a'",
    "ValueError('two\\nlines')": "ValueError: two lines",
    "RuntimeError('\\x1b[2J')": "RuntimeError: '\\x1b[2J'",
    "TypeError('x' * 1000)": f"TypeError: {'x' * 199}…",
    "UserWarning('careful')": "UserWarning: careful",
    "GeneratorExit('over')": "GeneratorExit: over",
    "__import__('asyncio').CancelledError()": "CancelledError",
}


@pytest.mark.parametrize("error", DEFECTS)
def test_an_error_that_nobody_expected_ends_with_70_and_says_what_to_report(error: str, tmp_path: Path) -> None:
    before = f"import tempfile; tempfile.tempdir = {str(tmp_path)!r}" + failing(error)
    result = weightsmith("laws", "fixed(4,4)", before=before)
    assert (result.returncode, result.stdout) == (70, "")
    (file,) = tmp_path.glob("weightsmith-*.txt")
    assert result.stderr == (
        f"error: this is a defect of Weightsmith: {DEFECTS[error]}; please report it with the command and the "
        f"traceback, which is in {file} (weightsmith --debug … prints it)\n"
    )
    written = file.read_text()
    assert "Traceback (most recent call last)" in written
    assert written.startswith(f"weightsmith {ws.__version__}, Python ")
    assert "['weightsmith', 'laws', 'fixed(4,4)']" in written
    assert file.stat().st_mode & 0o777 == 0o600


def test_an_end_of_file_of_ours_is_no_answer_of_the_user() -> None:
    result = weightsmith("laws", "fixed(4,4)", before=failing("EOFError('the end')"))
    assert (result.returncode, result.stdout) == (70, "")
    assert "error: this is a defect of Weightsmith: EOFError: the end; please" in result.stderr


def test_with_debug_the_traceback_is_printed_and_no_file_is_written(tmp_path: Path) -> None:
    before = f"import tempfile; tempfile.tempdir = {str(tmp_path)!r}" + failing("ZeroDivisionError('zero')")
    result = weightsmith("--debug", "laws", "fixed(4,4)", before=before)
    assert result.returncode == 70
    assert "Traceback (most recent call last)" in result.stderr
    assert "in broken" in result.stderr
    assert result.stderr.endswith("ZeroDivisionError: zero; please report it with the traceback and the command\n")
    assert not list(tmp_path.iterdir())


def test_where_no_file_can_be_written_the_traceback_is_printed() -> None:
    before = "import tempfile; tempfile.tempdir = '/nowhere/at/all'" + failing("ZeroDivisionError('zero')")
    result = weightsmith("laws", "fixed(4,4)", before=before)
    assert result.returncode == 70
    assert "Traceback (most recent call last)" in result.stderr


def test_debug_changes_nothing_where_nothing_is_wrong() -> None:
    assert good("--debug", "laws", "fixed(4,4)") == good("laws", "fixed(4,4)")
    result = weightsmith("--debug", "laws", "fixed(4)")
    assert (result.returncode, len(result.stderr.splitlines())) == (2, 1)


def test_a_check_that_fails_in_a_thread_ends_with_70(folder: Path) -> None:
    before = failing("IndexError('lost')", "check.engine.examine")
    claim = ("check", "recognizes", "contains.safetensors", "--regex", "0", "--up-to", "4", "--workers", "2")
    result = weightsmith(*claim, folder=folder, before="import weightsmith.check.engine" + before)
    assert (result.returncode, result.stdout) == (70, "")
    assert "IndexError: lost" in result.stderr


OTHERS = {
    "RecursionError('deep')": (2, "error: what was given is nested too deeply: write it with fewer parts inside"),
    "MemoryError": (2, "error: this needs more memory than there is"),
    "OSError(28, 'No space left on device')": (2, "error: cannot write the output: No space left on device\n"),
    "OSError(13, 'Permission denied', 'x')": (2, "error: cannot open 'x': Permission denied\n"),
    "weightsmith.InputError('wrong')": (2, "error: wrong\n"),
    "KeyboardInterrupt": (130, ""),
    "BrokenPipeError": (141, ""),
    "SystemExit(1)": (2, ""),
    "SystemExit('text')": (2, ""),
    "__import__('typer').Abort": (2, "Aborted"),
    "__import__('typer').Exit(1)": (2, ""),
}


@pytest.mark.parametrize("error", OTHERS)
def test_whatever_else_happens_1_is_left_to_what_is_refuted(error: str) -> None:
    code, message = OTHERS[error]
    result = weightsmith("laws", "fixed(4,4)", before=failing(error))
    assert (result.returncode, result.stdout) == (code, "")
    assert result.stderr.startswith(message)


INTERRUPTED_LOOP = """
import ctypes, numba, numpy, signal, weightsmith
from weightsmith.kernels.packed.machine_code import uninterrupted
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the tests themselves ignore Ctrl-C
send = ctypes.CDLL(None)["raise"]
send.argtypes, send.restype = [ctypes.c_int], ctypes.c_int
@uninterrupted
@numba.njit
def loop():
    send(2)  # SIGINT, as Ctrl-C sends it while machine code runs
    return numpy.zeros(1), numpy.zeros(1)
weightsmith.laws = lambda *_: loop()
"""


def test_ctrl_c_in_a_compiled_loop_ends_with_130() -> None:
    result = weightsmith("laws", "fixed(4,4)", before=INTERRUPTED_LOOP)
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "")


WRAPPED = {
    "raise SystemError('a loop') from error": 130,
    "raise weightsmith.InputError('wrapped')": 130,
    "raise ValueError('wrapped') from RuntimeError('another')": 70,
}


@pytest.mark.parametrize("after", WRAPPED)
def test_an_error_that_comes_from_ctrl_c_ends_with_130(after: str) -> None:
    before = f"""
import weightsmith
def broken(*arguments):
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt as error:
        {after}
weightsmith.laws = broken
"""
    assert weightsmith("laws", "fixed(4,4)", before=before).returncode == WRAPPED[after]


def test_a_package_that_cannot_be_loaded_ends_with_70() -> None:
    program = "import sys; sys.modules['typer'] = None; from weightsmith.__main__ import main; main()"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, env=WIDE)
    assert (result.returncode, result.stdout) == (70, "")
    assert result.stderr.startswith("error: weightsmith is not whole: ModuleNotFoundError: ")


DEEP = {
    "200 brackets": "(" * 200 + "S" + ")" * 200,
    "499 times not": "~" * 499 + "S",
    "nots and brackets": "~(" * 166 + "S" + ")" * 166,
    "a long chain": "&".join("S" * 250),
    "nested operations": "~(R|" * 99 + "S" + ")" * 99,
    "alternating": "(S&(R|" * 60 + "S" + "))" * 60,
}


@pytest.mark.parametrize("name", DEEP)
def test_deeply_nested_formulas_are_composed(folder: Path, name: str) -> None:
    ws.save(ws.library.contains("0"), folder / "zero.safetensors")
    lets = ("--let", "S=contains.safetensors", "--let", "R=zero.safetensors")
    good("compose", DEEP[name], *lets, "-o", "deep.safetensors", folder=folder)
    S, R = (ws.load(folder / file) for file in ("contains.safetensors", "zero.safetensors"))
    inputs = ["0", "1", "00", "01", "10", "11"]
    given = {"S": [d == "YES" for d in ws.decisions(S, inputs)], "R": [d == "YES" for d in ws.decisions(R, inputs)]}
    text = DEEP[name].replace("~" * 499, "not ") if name == "499 times not" else DEEP[name]
    wanted = [_value(text, {key: values[i] for key, values in given.items()}) for i in range(len(inputs))]
    assert [d == "YES" for d in ws.decisions(ws.load(folder / "deep.safetensors"), inputs)] == wanted


def _value(text: str, values: dict[str, bool]) -> bool:
    """Return what a formula says, by cutting innermost brackets away."""
    text = text.replace("not ", "~")
    for name, value in values.items():
        text = text.replace(name, "01"[value])
    while len(text) > 1:
        before = text
        for short, meant in (("~0", "1"), ("~1", "0"), ("(0)", "0"), ("(1)", "1"), ("0&0", "0"), ("0&1", "0"),
                             ("1&0", "0"), ("1&1", "1"), ("(0|0)", "0"), ("(0|1)", "1"), ("(1|0)", "1"),
                             ("(1|1)", "1")):  # fmt: skip
            text = text.replace(short, meant)
        assert text != before, text
    return text == "1"


@pytest.mark.parametrize("formula", ["(" * 499 + "S", "&".join("S" * 500), "~" * 600 + "S", "(" * 5000, "~(S|" * 100])
def test_formulas_that_are_none_or_too_long_are_refused_at_once(folder: Path, formula: str) -> None:
    with pytest.raises(ws.InputError):
        ws.compose(formula, S=ws.library.contains("1"))
    result = weightsmith("compose", formula, "--let", "S=contains.safetensors", "-o", "none", folder=folder)
    assert result.returncode == 2
    assert not (folder / "none").exists()


def test_every_exit_code_is_the_one_that_is_documented(folder: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "check.md").read_text()
    for code in ("| 0 |", "| 1 |", "| 2 |", "| 70 |", "| 130 |", "| 141 |"):
        assert code in page
    assert os.EX_SOFTWARE == 70
