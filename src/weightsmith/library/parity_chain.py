"""Parity with a chain of thought: what no fixed precision can do in one step, one bit after another can."""

from collections.abc import Sequence

from weightsmith.arithmetic import Arithmetic, or_default
from weightsmith.errors import InputError, whole_number
from weightsmith.inspect.generate import generate
from weightsmith.inspect.run import decisions
from weightsmith.library.arguments import read_vocabulary, read_word
from weightsmith.model import Attention, Block, Neuron, Relative, Transformer, feed_forward, heads, matrix
from weightsmith.model.positions import MAX_LENGTH


def parity_chain(
    vocabulary: str | Sequence[str] = "01=", arithmetic: Arithmetic | None = None, max_length: int = 16
) -> Transformer:
    """Write the running parity bit by bit: the last of `max_length` generated bits is 1 exactly if the ones are odd.

    The protocol: the prompt is the input, filled up with zeros *in front* to max_length bits, then the separator. The
    bit to be added next then always stands at the distance max_length, where one head looks; two neurons give its
    difference from the bit generated last (the separator counts as 0). `parity_by_chain` follows the protocol. It
    is right for inputs up to max_length, which may be any number: no arithmetic has to count. The vocabulary is zero,
    one and the separator.
    """
    A = or_default(arithmetic)
    zero, one, _ = tokens = read_vocabulary(vocabulary, 3, "for zero, one and the separator")
    lanes = ("bit", "odd")
    look = heads.at_distance(lanes, whole_number(max_length, "max_length", 1, MAX_LENGTH), {"bit": {"bit": -1}}, A)
    differ = feed_forward(lanes, [Neuron({"bit": 1}, {"odd": 1}), Neuron({"bit": -1}, {"odd": 1})])
    return Transformer(
        arithmetic=A,
        vocabulary=tokens,
        lanes=lanes,
        embedding=matrix(tokens, lanes, {(one, "bit"): 1}),
        blocks=(Block(Attention((look,)), differ, origin="add the next bit"),),
        output=matrix([zero, one], lanes, {(one, "odd"): 1}),
        classes=(zero, one),
        provenance=(f"library.parity_chain(max_length={max_length})",),
    )


def parity_by_chain(T: Transformer, tokens: str | Sequence[str]) -> bool:
    """Say whether the input has an odd number of ones, by the chain of thought of `parity_chain`.

    >>> T = parity_chain(max_length=8)
    >>> parity_by_chain(T, "0111"), parity_by_chain(T, "0110")
    (True, False)
    """
    prompt, steps = _prompt(T, tokens)
    *_, last = generate(T, prompt, steps)
    return last == T.classes[1]


def parities_by_chain(T: Transformer, inputs: Sequence[str | Sequence[str]]) -> list[bool]:
    """Say the same of many inputs: each as `parity_by_chain` does, all of them one step at a time."""
    prompts = [_prompt(T, tokens) for tokens in inputs]
    texts = [prompt for prompt, _ in prompts]
    for _ in range(prompts[0][1] if prompts else 0):
        texts = [(*text, token) for text, token in zip(texts, decisions(T, texts), strict=True)]
    return [text[-1] == T.classes[1] for text in texts]


def _prompt(T: Transformer, tokens: str | Sequence[str]) -> tuple[tuple[str, ...], int]:
    """Return the prompt for an input, and how many tokens to generate."""
    schemes = [head.positions for block in T.blocks if block.attention for head in block.attention.heads]
    binary = len(T.vocabulary) == 3 and T.classes == T.vocabulary[:2]
    if not binary or len(schemes) != 1 or not isinstance(schemes[0], Relative):
        raise InputError("the transformer does not follow the protocol: write parity_chain()")
    zero, one, separator = T.vocabulary
    steps = schemes[0].max_distance - 1
    bits = read_word(tokens, (zero, one), "input")
    if len(bits) > steps:
        raise InputError(
            f"the input has {len(bits)} tokens and the chain {steps} steps: "
            f"write at most {steps} tokens, or parity_chain(max_length={len(bits)})"
        )
    return (*[zero] * (steps - len(bits)), *bits, separator), steps
