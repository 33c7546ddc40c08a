"""Whole chains in a target and in the original: the same inputs, and every token compared."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np

from weightsmith.arithmetic import Saturating
from weightsmith.errors import ExportError, ModelError, WeightsmithError, listed
from weightsmith.export.chains.report import ChainAgreement, token_text
from weightsmith.export.exactness import nothing_is_lost, scope
from weightsmith.export.inputs import RANDOM_LENGTH, parts
from weightsmith.export.outputs import Exported, answers
from weightsmith.export.saturation import late_and_exact, relying_on_saturation
from weightsmith.export.tally import says_otherwise
from weightsmith.inspect.chains import ChainRun, Truths, written
from weightsmith.model import Chain, token_ids
from weightsmith.semantics.evaluation import AnswerIds, Ids

MOST_INPUTS = 1_000  # all inputs are run up to the length that has at most this many
RANDOM_LENGTHS, RANDOM_INPUTS = 4, 16  # longer inputs: the number of lengths, and of inputs of each
MOST_PRODUCTS = 2 * 10**9  # multiplications in the target, which runs the whole text at every step
NO_ANSWER = -2  # what a target writes where its output stands for no token
WRITE = "write allow_{0}=True to have it nevertheless{1} (--allow-{0} on the command line)"


def chain_inputs(C: Chain, longest: int | None, up_to: int | None, seed: int) -> Iterator[tuple[Ids, bool]]:
    """Yield inputs of a chain by length, as ids of the transformer's vocabulary, and whether all of a length are there.

    `longest` is the longest text that the target reads.
    """
    known = np.array(token_ids(C.transformer, C.vocabulary), np.intp)
    lengths = [n for n in range(C.min_length or 1, _most(C, up_to) + 1) if _fits(C, n, longest)]
    if not lengths:
        raise ExportError(
            f"no text of the chain fits the {longest} positions of the target: write a larger max_length for it"
            if longest is not None
            else "the chain takes no input"
        )
    total, work, complete = 0, 0, 0
    for n in lengths:
        count = len(known) ** n
        total, work = total + count, work + count * _products(C, n)
        if total > MOST_INPUTS or work > MOST_PRODUCTS:
            break
        complete += 1
        yield from (
            (part, True) for part in parts(C.transformer, known[np.array(list(product(range(len(known)), repeat=n)))])
        )
    generator, rest = np.random.default_rng(seed), lengths[complete:]
    for place in sorted(set(np.linspace(0, len(rest) - 1, RANDOM_LENGTHS).astype(int).tolist())) if rest else ():
        count = int(np.clip(MOST_PRODUCTS // RANDOM_LENGTHS // _products(C, rest[place]), 1, RANDOM_INPUTS))
        yield from ((part, False) for part in parts(C.transformer, generator.choice(known, (count, rest[place]))))


def _most(C: Chain, up_to: int | None) -> int:
    return min(C.max_length or RANDOM_LENGTH, max(RANDOM_LENGTH, C.min_length or 1), up_to or RANDOM_LENGTH * 64)


def _fits(C: Chain, n: int, longest: int | None) -> bool:
    """Return whether the chain takes inputs of a length, and the target all of its text."""
    try:
        most = C.steps_for(n)
    except ModelError:
        return False
    text, table = n + len(C.prompt) + most - 1, C.transformer.max_length
    read = text if table is None else min(text, table)  # beyond its table the chain itself has no run
    return most >= (1 if C.until else C.outputs) and (longest is None or read <= longest)


def _products(C: Chain, n: int) -> int:
    """Return about how many multiplications a target needs for one input of a length."""
    steps = C.steps_for(n)
    return max(1, C.transformer.weights * (n + len(C.prompt) + steps) * steps)


def exported_chain(C: Chain, exported: Exported, ids: Ids) -> tuple[AnswerIds, Truths]:
    """Run an exported chain on inputs of one length: what `inspect.chains.written` returns of the original.

    A target that has a loop of its own runs it. For others each decision is appended to the text, which is run again.
    """
    own: Any = getattr(exported, "generated", None)
    if own is not None:
        generated: AnswerIds = own(ids)
        ends = np.isin(generated, [n for n, value in enumerate(C.transformer.answers) if value in C.until])
        ended: Truths = np.logical_or.reduce(ends, axis=1) if C.until else np.full(len(ids), True)
        return generated, ended & ~(generated == NO_ANSWER).any(1)
    T, most = C.transformer, C.steps_for(ids.shape[1])
    token_of = np.array(token_ids(T, [str(value) for value in T.answers]), np.int64)
    ending = np.array([value in C.until for value in T.answers])
    prompt = np.broadcast_to(np.array(token_ids(T, C.prompt), np.int64), (len(ids), len(C.prompt)))
    texts, running = np.hstack([ids.astype(np.int64), prompt]), np.arange(len(ids))
    halted, columns = np.full(len(ids), not C.until), list[AnswerIds]()
    while len(running) and len(columns) < most:
        said = answers(T, exported.outputs(texts).logits[:, -1:])[:, 0]
        said = np.where(said < 0, NO_ANSWER, said)
        columns.append(np.full(len(ids), -1, np.intp))
        columns[-1][running] = said
        over = (said >= 0) & ending[said]
        halted[running[over]] = True
        halted[running[said < 0]] = False
        left = np.flatnonzero(~over & (said >= 0))
        running, texts = running[left], np.hstack([texts[left], token_of[said[left]][:, np.newaxis]])
    return np.stack(columns, axis=1), halted


def run_exported(C: Chain, exported: Exported, tokens: str | Sequence[str]) -> ChainRun:
    """Return the run of a chain in a target on one input."""
    read = C.read(tokens)
    ids = np.array(token_ids(C.transformer, read), np.intp)[np.newaxis]
    (row,), (halted,) = exported_chain(C, exported, ids)
    if (row == NO_ANSWER).any():
        step = int(np.argmax(row == NO_ANSWER)) + 1
        raise ExportError(f"at step {step} {exported.target} gives nothing that is an answer of the transformer")
    return ChainRun(C, read, tuple(str(C.transformer.answers[i]) for i in row if i >= 0), bool(halted))


@dataclass
class _Tally:
    """What was run so far."""

    inputs: int = 0
    tokens: int = 0
    shortest: int = 0
    complete: int = 0
    longest: int = 0
    random: int = 0
    unended: int = 0
    chains: int = 0
    answers: int = 0
    first: tuple[Ids, AnswerIds, AnswerIds, int] | None = None  # an input, the tokens of both, the step
    differing: list[Ids] = field(default_factory=list)  # texts before a step that differs

    def add(self, C: Chain, exported: Exported, ids: Ids, original: tuple[AnswerIds, Truths], everything: bool) -> None:
        """Run the target on inputs of one length, and compare it with the original."""
        ours, ended = original
        theirs, ended_there = exported_chain(C, exported, ids)
        width = max(ours.shape[1], theirs.shape[1])
        ours, theirs = (np.pad(x, ((0, 0), (0, width - x.shape[1])), constant_values=-1) for x in (ours, theirs))
        self.inputs, self.tokens = self.inputs + len(ids), self.tokens + int((ours >= 0).sum())
        self.shortest, self.longest = self.shortest or ids.shape[1], max(self.longest, ids.shape[1])
        self.complete = ids.shape[1] if everything else self.complete
        self.random += 0 if everything else len(ids)
        self.unended += int((~ended).sum())
        differ = (ours != theirs).any(1)
        self.chains += int(differ.sum())
        self.answers += int(((_last(C, ours, ended) != _last(C, theirs, ended_there)).any(1)).sum())
        for row in np.flatnonzero(differ)[: 5 if len(self.differing) < 5 else 0].tolist():
            step = int(np.argmax(ours[row] != theirs[row]))
            self.first = self.first or (ids[row], ours[row], theirs[row], step)
            token_of = token_ids(C.transformer, [str(C.transformer.answers[i]) for i in ours[row][:step].tolist()])
            self.differing.append(np.array([*ids[row], *token_ids(C.transformer, C.prompt), *token_of]))


def _last(C: Chain, generated: AnswerIds, ended: Truths) -> AnswerIds:
    """Return the meanings of the last tokens, (chains, outputs); −1 for a chain that has not ended."""
    meanings = np.array([C.letter_id(str(token)) for token in C.transformer.answers])
    last, rows = (generated != -1).sum(1) - 1, np.arange(len(generated))
    columns = [generated[rows, np.maximum(last - back, 0)] for back in range(C.outputs - 1, -1, -1)]
    said = np.stack([np.where(column < 0, -1, meanings[column]) for column in columns], axis=1)
    said[~ended] = -1
    return said


def measure_chain(
    C: Chain, exported: Exported, *, up_to: int | None = None, seed: int = 0, fresh: bool = False
) -> ChainAgreement:
    """Run whole chains in the original and in a target on the same inputs, and compare every token.

    Inputs on which the original raises an error are left out. `fresh` says that the target was made just now.
    """
    T, tally = C.transformer, _Tally()
    for ids, everything in chain_inputs(C, getattr(exported, "longest", None), up_to, seed):
        for part, original in _originals(C, ids):
            tally.add(C, exported, part, original, everything)
    found = ChainAgreement(
        target=exported.target,
        dtype=exported.dtype,
        by="generate" if hasattr(exported, "generated") else "a loop",
        inputs=tally.inputs,
        tokens=tally.tokens,
        shortest=tally.shortest,
        up_to=tally.complete,
        longest=tally.longest,
        random=tally.random,
        unended=tally.unended,
        different_chains=tally.chains,
        different_answers=tally.answers,
    )
    if tally.first is not None:
        ids, ours, theirs, step = tally.first
        both = token_text(T.answers, int(ours[step])), token_text(T.answers, int(theirs[step]))
        tokens = tuple(T.vocabulary[i] for i in ids)
        found = replace(found, first_difference=tokens, first_step=step + 1, first_tokens=both)
        return replace(found, midway=_midway(C, exported, tally.differing))
    if fresh and getattr(exported, "steps", False) and nothing_is_lost(T, found.dtype):
        found = replace(found, proved=scope((T.max_length, getattr(exported, "longest", None))))
    return found


def _originals(C: Chain, ids: Ids) -> Iterator[tuple[Ids, tuple[AnswerIds, Truths]]]:
    """Yield inputs with the chain's tokens; a softmax without weight, or a code that is no value, has none."""
    try:
        yield ids, written(C, ids)
    except WeightsmithError:
        half = len(ids) // 2
        for part in (ids[:half], ids[half:]) if half else ():
            yield from _originals(C, part)


def _midway(C: Chain, exported: Exported, texts: Sequence[Ids]) -> tuple[str, ...]:
    """Return the sublayers whose sums saturate or round midway, if that causes the differences after these texts."""
    T, saturates = C.transformer, bool(getattr(exported, "saturates", False))
    if getattr(exported, "rounds", False) or not saturates or not isinstance(T.arithmetic, Saturating):
        return ()
    late = replace(T, arithmetic=late_and_exact(T.arithmetic))
    if not all(says_otherwise(T, late, len(text) - 1, text) for text in texts):
        return ()
    return tuple(relying_on_saturation(T, [texts[0][np.newaxis]], late_and_exact))


def required_chain(found: ChainAgreement, allow_differences: bool, allow_saturation: bool) -> ChainAgreement:
    """Return a report, or refuse an exported chain that writes something else, unless that is allowed."""
    if found.agrees or allow_differences or (allow_saturation and found.midway):
        return found
    text = (
        f"{found.target} in {found.dtype} writes other tokens on {found.different_chains:,} of {found.inputs:,} inputs."
    )
    exact = "to_torch(C, exact=True) folds and rounds as the chain does; or"
    if found.midway:
        line = WRITE.format("saturation", ", with a sentence on that in it")
        raise ExportError(
            f"{text} {found.difference} What was made adds up before it saturates in {listed(found.midway)}: "
            f"{exact} {line}"
        )
    line = WRITE.format("differences", "")
    raise ExportError(f"{text} {found.difference} Nothing rounds there as the arithmetic does: {exact} {line}")
