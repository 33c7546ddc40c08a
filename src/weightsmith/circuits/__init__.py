"""Circuit discovery: models with known circuits, methods that look for circuits, and their scores."""

from weightsmith.circuits.finding import find, method_of
from weightsmith.circuits.folder import Entry, read_benchmark
from weightsmith.circuits.making import make
from weightsmith.circuits.pairs import Method, Pair
from weightsmith.circuits.results import Scores, read_results, write_results
from weightsmith.circuits.scoring import BenchmarkScore, ModelScore, score
from weightsmith.circuits.tasks import TASKS, Task

__all__ = [
    "TASKS",
    "BenchmarkScore",
    "Entry",
    "Method",
    "ModelScore",
    "Pair",
    "Scores",
    "Task",
    "find",
    "make",
    "method_of",
    "read_benchmark",
    "read_results",
    "score",
    "write_results",
]
