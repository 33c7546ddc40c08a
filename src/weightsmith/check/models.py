"""The two kinds of models that claims are about, transformers and chains, and how a check runs them."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.automata import TokenIds
from weightsmith.errors import InputError, brief, listed, shown
from weightsmith.inspect.chains import ChainRun, written
from weightsmith.inspect.run import Run
from weightsmith.kernels.engines import engine_for
from weightsmith.kernels.packed import PackedRun
from weightsmith.model import Chain, Transformer, check_length, token_ids, value_text
from weightsmith.semantics.evaluation import Quantity, kept_numbers, numbers_held, products_of_run
from weightsmith.semantics.reference import Reference

Model: TypeAlias = Transformer | Chain
NOT_ENDED = -1  # the answer of a chain that does not end
MAX_NUMBER = 1 << 62  # of answers


class ChainRuns:
    """Answers of a chain on many inputs: an engine as `kernels/engines.py` describes them."""

    def __init__(self, C: Chain, by_definition: bool = False) -> None:
        """Prepare a chain; `by_definition` runs the whole text at every step, with the reference semantics."""
        if len(C.letters) ** C.outputs > MAX_NUMBER:
            raise InputError(f"the chain has {C.outputs} outputs: a check compares answers of at most 62 bits")
        self.chain, self.by_definition = C, by_definition
        self.token_of = np.array(token_ids(C.transformer, C.vocabulary), np.intp)

    def results(self, ids: TokenIds, quantity: Quantity) -> npt.NDArray[Any]:
        """Return the answers of inputs (inputs, positions), as numbers: see `Chain.answer_id`; −1 for unended ones."""
        assert quantity == "decisions"
        generated, ended = written(self.chain, self.token_of[ids], "left", by_definition=self.by_definition)
        return answer_numbers(self.chain, generated, ended)

    def ready(self) -> None:
        """Do nothing: there is no machine code to compile."""

    @property
    def _engine(self) -> Reference | PackedRun:
        return engine_for(self.chain.transformer, "left", every_value=False)

    def bytes_needed(self, positions: int, columns: int) -> int:
        """Return the memory of inputs of a length; there is one column for each, as there is when they take steps."""
        longest, T = text_length(self.chain, positions), self.chain.transformer
        engine, kept = self._engine, kept_numbers(T, longest)
        if isinstance(engine, PackedRun) and T.mask == "causal":
            read = engine.bytes_needed(longest, columns * (positions + len(self.chain.prompt)))
            return read + columns * (2 * kept * engine.carrier.dtype.itemsize + 16 * longest)  # twice, while it grows
        return engine.bytes_needed(longest, columns * longest) + 16 * columns * longest


def text_length(C: Chain, length: int) -> int:
    """Return the longest text that a chain reads on inputs of a length."""
    most = min(length, length if C.max_length is None else C.max_length)
    return max(1, length + len(C.prompt) + C.steps_for(most) - 1)


def answer_numbers(C: Chain, generated: npt.NDArray[np.intp], ended: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """Return the number of the answer of each chain, from its generated tokens (chains, steps), padded with −1."""
    meanings = np.array([C.letter_id(token) for token in map(str, C.transformer.answers)], np.int64)
    last = (generated >= 0).sum(axis=1) - 1
    number, rows = np.zeros(len(generated), np.int64), np.arange(len(generated))
    for back in range(C.outputs - 1, -1, -1):
        number = number * len(C.letters) + meanings[generated[rows, np.maximum(last - back, 0)]]
    number[~ended] = NOT_ENDED
    return number if C.outputs > 1 else number.astype(np.int32)


def engine_of(model: Model) -> Reference | PackedRun | ChainRuns:
    """Return the fastest engine with left folds for a model."""
    return ChainRuns(model) if isinstance(model, Chain) else engine_for(model, "left", every_value=False)


def reference_of(model: Model) -> Reference | ChainRuns:
    """Return the engine of the reference semantics for a model."""
    return ChainRuns(model, by_definition=True) if isinstance(model, Chain) else Reference(model)


def has_readout(model: Model) -> bool:
    """Return whether a model is a transformer with a readout."""
    return isinstance(model, Transformer) and model.readout is not None


def answers_of(model: Model) -> tuple[Any, ...]:
    """Return all answers that a model can give."""
    return model.classes if isinstance(model, Chain) else model.answers


def labels_of(model: Model) -> int:
    """Return how many labels the machines of a model have: its answers and, of a chain, that it does not end."""
    return len(answers_of(model)) + isinstance(model, Chain)


def answer_text(run: Run | ChainRun) -> str:
    """Return the answer of a run as a text; for a chain that has not ended, that."""
    if isinstance(run, ChainRun):
        if not run.halted:
            return f"does not end within {len(run.generated):,} tokens"
        return value_as_text(run.answer)
    return value_as_text(run.decision)


def value_as_text(answer: Any) -> str:
    """Return an answer as a text."""
    if isinstance(answer, tuple):
        return " ".join(map(value_as_text, answer))
    return answer if isinstance(answer, str) else value_text(answer)


def answer_at(model: Model, number: int) -> Any:
    """Return an answer by its number."""
    return model.answer_at(number) if isinstance(model, Chain) else model.answers[number]


def work_of(model: Model, length: int) -> int:
    """Return about how many products a run on an input of a length takes."""
    if isinstance(model, Transformer):
        return products_of_run(model, length)
    return products_of_run(model.transformer, text_length(model, length))


def numbers_of(model: Model, length: int) -> int:
    """Return about how many numbers a run on an input of a length holds."""
    if isinstance(model, Transformer):
        return numbers_held(model, length)
    return numbers_held(model.transformer, text_length(model, length))


def check_input_length(model: Model, length: int) -> None:
    """Refuse a length beyond the position table, or beyond the longest input of a chain."""
    if isinstance(model, Transformer):
        check_length(model, length)
    elif model.max_length is not None and length > model.max_length:
        raise InputError(f"the chain takes inputs of at most {model.max_length} tokens: write up_to={model.max_length}")


def check_shortest(model: Model, length: int | None) -> None:
    """Refuse a claim about inputs that are shorter than those of a chain; `length` is the length of all inputs."""
    least = model.min_length if isinstance(model, Chain) else None
    if least is not None and least > (1 if length is None else length):
        raise InputError(f"the chain takes inputs of at least {least} tokens: write length={least}")


def check_same_vocabulary(mine: Sequence[str], other: Sequence[str]) -> None:
    """Refuse a claim about two models whose inputs have different tokens."""
    if set(mine) != set(other):
        more = tuple(token for token in (*mine, *other) if (token in mine) != (token in other))
        one_has_more = set(mine) < set(other) or set(other) < set(mine)
        hint = f", but for what follows each input: suffix={brief(more)}" if one_has_more else ""
        raise InputError(
            f"the two transformers have different vocabulary: {listed(mine)} and {listed(other)}; "
            f"a claim about both needs the same{hint}"
        )


def refuse_chains(what: str, *models: Model) -> None:
    """Refuse a chain where a claim is about numbers inside a run."""
    if any(isinstance(model, Chain) for model in models):
        raise InputError(f"{what} is about a transformer, and a chain has answers only: write C.transformer")


def answers_line(model: Model) -> str:
    """Return the answers of a model, in a line."""
    if isinstance(model, Chain) and model.outputs > 1:
        return f"tuples of {model.outputs} of {listed(model.letters)}"
    return listed([value_text(value) for value in answers_of(model)])


def named_numbers(names: Sequence[str], values: Array) -> str:
    """Return numbers with their names, in a line."""
    return ", ".join(f"{shown(name)}={x:g}" for name, x in zip(names, values, strict=True))
