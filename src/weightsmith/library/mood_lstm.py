"""An LSTM written by hand: one of its two cells is the mood of the sentence."""

from math import tanh

import numpy as np

from weightsmith.inspect.recurrent import LSTM
from weightsmith.model import matrix

GOOD, BAD, NOT = ("glad", "fine", "sunny"), ("sad", "grim", "rainy"), "not"
WORDS = ("the", "dog", "walks", "home", "and", "then", "she", *GOOD, *BAD, NOT)
CELLS = ("not", "mood")
INPUTS = ("sign", "mood word", "not")
SHARP = 40.0  # so that a gate is open or closed, 1 or 0 in float64
SEEN = 2 / tanh(1)  # times the hidden state of the cell `not`, which is tanh(1) after "not": 2


def mood_lstm() -> LSTM:
    """Say after each word whether the mood is good, by one cell of an LSTM.

    The mood is as the last word of mood said, or the opposite if "not" came directly before it, as in
    `ws.train.moods`. The cell `not` remembers the previous word: 1 after "not". The cell `mood` forgets at a word of
    mood and takes a new value: 0.5 for a good mood, 0 or −1 for a bad one. At other words its input gate is closed and
    its forget gate open. So this one number tells the mood by a threshold, 0.25, after every word.

    Whether the mood is good is an exclusive or of two things, the word and "not". The candidate alone cannot tell it;
    the product of input gate and candidate can.
    """
    known = {(word, "sign"): 1.0 for word in GOOD} | {(word, "sign"): -1.0 for word in BAD}
    known |= {(word, "mood word"): 1.0 for word in (*GOOD, *BAD)} | {(NOT, "not"): 1.0}
    rows = [f"{gate} {cell}" for gate in ("i", "f", "g", "o") for cell in CELLS]
    # with d = sign − 1, and 2 more after "not": 0 for a good mood, 2 for "not glad", −2 for "sad"
    W_x = {("g not", "not"): SHARP, ("f mood", "mood word"): -2 * SHARP, ("g mood", "sign"): -SHARP}
    W_x |= {("i mood", "sign"): SHARP, ("i mood", "mood word"): 4 * SHARP}
    W_h = {("i mood", "not"): SHARP * SEEN, ("g mood", "not"): -SHARP * SEEN}
    b = {"i not": SHARP, "f not": -SHARP, "o not": SHARP, "o mood": SHARP, "f mood": SHARP}
    b |= {"i mood": -5 * SHARP, "g mood": 2 * SHARP}
    return LSTM(
        vocabulary=WORDS,
        embedding=matrix(WORDS, INPUTS, known),
        W_x=matrix(rows, INPUTS, W_x),
        W_h=matrix(rows, CELLS, W_h),
        b=np.array([b.get(row, 0.0) for row in rows]),
        output=matrix(["bad", "good"], CELLS, {("good", "mood"): 4.0}),
        output_bias=np.array([0.0, -1.0]),
        classes=("bad", "good"),
        cells=CELLS,
        name="mood_lstm",
    )
