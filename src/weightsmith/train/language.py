"""The exact language of a trained transformer, against the rule that labelled its strings."""

from weightsmith.check import Verdict, recognizes
from weightsmith.model import Transformer
from weightsmith.train.labelled import Labelled
from weightsmith.train.loop import Task
from weightsmith.train.predicates import Rule

EXTRACTION_SECONDS = 60.0  # limit for the automaton of a trained model, compiling included


def exact_language(T: Transformer, task: Task, seconds: float = EXTRACTION_SECONDS) -> Verdict | None:
    """Decide for all lengths whether a transformer says YES as the rule that labelled its strings does.

    Proved, refuted by the shortest input, or unknown; None without a rule, or where no automaton decides it.
    """
    rule = task.rule if isinstance(task, Labelled) else None
    expression = rule.expression(task.vocabulary) if isinstance(rule, Rule) else None
    return None if expression is None else recognizes(T, expression, seconds=seconds)
