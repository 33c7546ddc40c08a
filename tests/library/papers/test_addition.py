"""Addition by a chain: every case of a place, and the different weights."""

import json
import os
from pathlib import Path
from random import Random

import numpy as np
import pytest

import weightsmith as ws
from tests.command_line import run_command
from weightsmith.library.papers import addition, number_pair, sum_digits


def test_ten_digits_are_added_with_eleven_different_weights() -> None:
    C = addition(10)
    assert C.transformer.distinct_weights == 11
    draw = Random(3)
    numbers = [(draw.randrange(10**10), draw.randrange(10**10)) for _ in range(50)]
    numbers += [(0, 0), (10**10 - 1, 1), (10**10 - 1, 10**10 - 1), (5555555555, 4444444445)]
    for a, b in numbers:
        assert int("".join(C(number_pair(a, b, 10)))[::-1]) == a + b


def test_a_digit_depends_on_five_tokens_only() -> None:
    """So the cases of one place are all cases: the weight of every other position is 0."""
    T = addition(10).transformer
    text = number_pair(1234567890, 9876543210, 10)
    r = ws.run(T, text + "".join(sum_digits(text)[:4]))
    last = len(r.tokens) - 1
    seen = {last - int(j) for head in r.attention[0] for j in np.flatnonzero(head[last])}
    assert seen == {0, 10, 11, 21, 22}
    assert T.blocks[1].attention is None


def test_info_counts_different_weights(tmp_path: Path) -> None:
    ws.save(addition(10), tmp_path / "adder.safetensors")
    result = run_command("info", "adder.safetensors", "--json", folder=tmp_path, environment=os.environ)
    assert json.loads(result.stdout)["distinct_weights"] == 11


def test_numbers_that_are_too_long_are_refused() -> None:
    with pytest.raises(ws.InputError, match="at most 2 digits"):
        number_pair(100, 1, 2)
    with pytest.raises(ws.InputError, match="is no pair of numbers"):
        sum_digits("123")
