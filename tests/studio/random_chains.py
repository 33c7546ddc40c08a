"""Chains drawn at random: every arithmetic, mask, weighting and scheme; every way to say when they end."""

from dataclasses import replace
from random import Random
from typing import Any

import weightsmith as ws
from tests.kernels.kinds import ACTIVATIONS, FULL, RULES, kind_of_model
from tests.kernels.models import LENGTH, random_model

FORMS = (
    "fixed(4,4)", "fixed(2,3,ties=even)", "fixed(3,1,ties=away)", "fixed(1,1)", "fixed(12,13)", "float(3,3)",
    "float(4,3,ties=even)", "float(10,25)", "bfloat16", "e4m3(ties=away)",
)  # fmt: skip
FORMULAS = ("n + 3", "2*n", "(n + 1)//2 + 1", "2**n", "3*n - 2", "7 - n")


def random_chain(seed: int) -> tuple[ws.Chain, list[tuple[str, ...]]]:
    """Return a chain, and inputs: also one that is empty, one that is too long, and one with a foreign token."""
    random = Random(seed)
    A: Any = ws.parse_arithmetic(FORMS[seed % len(FORMS)])
    if seed % 2:
        T = random_model(A, seed)
    else:
        mask = random.choice(("causal", "causal", "full"))
        rule = random.choice(RULES if mask == "causal" else FULL)
        T = kind_of_model(A, seed, rule, random.choice(ACTIVATIONS), heads=random.randint(1, 2), mask=mask)
    T = _writing_tokens(T, random)
    while True:
        try:
            C = ws.Chain(T, **_rules(T, random))
            break
        except ws.WeightsmithError:
            continue  # the table is too short for these steps
    inputs = [tuple(random.choices(C.vocabulary, k=length)) for length in (1, 2, random.randint(3, 5))]
    too_long = [inputs[0] * (C.max_length + 1)] if C.max_length is not None else []
    return C, [*inputs, (), ("?", *inputs[0]), *too_long]


def _writing_tokens(T: ws.Transformer, random: Random) -> ws.Transformer:
    """Let its classes be tokens; some tokens are words."""
    names = tuple(f"t{n}" if random.random() < 0.5 else chr(97 + n) for n in range(max(len(T.vocabulary), 2)))
    names = names[: len(T.vocabulary)]
    if T.tied:
        return replace(T, vocabulary=names, classes=names)
    count = min(len(T.classes), len(names))
    bias = None if T.output_bias is None else T.output_bias[:count]
    classes = tuple(random.sample(names, count))
    return replace(T, vocabulary=names, classes=classes, output=T.output[:count], output_bias=bias)


def _rules(T: ws.Transformer, random: Random) -> dict[str, Any]:
    written, kind = list(T.classes), random.randrange(5)
    until = random.sample(written, random.randint(1, len(written))) if kind == 0 or random.random() < 0.2 else []
    most = 12 if T.max_length is None else max(1, LENGTH // 2)
    steps: Any = random.randint(1, most)
    if kind == 0:
        steps = None if random.random() < 0.3 and T.max_length is not None else random.randint(2, 40)
    elif kind == 1:
        steps = random.choice(FORMULAS)
    elif kind == 2:
        steps = [0, *(random.randint(1, most) for _ in range(random.randint(3, 6)))]
    rules = {"prompt": random.choices(T.vocabulary, k=random.randrange(3)), "steps": steps, "until": until}
    last = [token for token in written if not until or token in until]
    if random.random() < 0.5:
        rules["answers"] = {token: random.choice(("YES", "NO", "a word")) for token in last}
    rules["inputs"] = random.sample(T.vocabulary, random.randint(1, len(T.vocabulary)))
    if not until and random.random() < 0.3:
        rules["outputs"] = 2
    if random.random() < 0.3:
        rules |= {"max_length": 5, "min_length": random.choice((None, 2))}
    return rules
