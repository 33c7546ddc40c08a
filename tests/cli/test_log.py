"""What the library logs is shown on stderr, by the command line alone."""

import logging

import pytest

from weightsmith.cli.output import show_log


def test_what_the_library_logs_is_shown_once_and_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    show_log()
    show_log()
    logging.getLogger("weightsmith.kernels").info("compiling [once], about %d s", 7)
    assert capsys.readouterr() == ("", "compiling [once], about 7 s\n")
