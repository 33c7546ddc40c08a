"""Feed-forward layers as key–value memories: facts written, read, edited and undone."""

from weightsmith.memory.edit import ablate, delete, edit, scale, undo, write, write_many
from weightsmith.memory.facts import Fact, facts
from weightsmith.memory.measure import Asked, Measurement, Question, Share, measure
from weightsmith.memory.phrasing import write_phrased
from weightsmith.memory.read import Firing, Promoted, Trigger, pattern, promoted, read, triggers
from weightsmith.memory.report import Report, report

__all__ = [
    "Asked",
    "Fact",
    "Firing",
    "Measurement",
    "Promoted",
    "Question",
    "Report",
    "Share",
    "Trigger",
    "ablate",
    "delete",
    "edit",
    "facts",
    "measure",
    "pattern",
    "promoted",
    "read",
    "report",
    "scale",
    "triggers",
    "undo",
    "write",
    "write_many",
    "write_phrased",
]
