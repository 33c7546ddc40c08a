"""Feed-forward layers as key–value memories: facts written, read, edited and undone."""

from weightsmith.memory.edit import ablate, delete, edit, scale, undo, write, write_many
from weightsmith.memory.facts import Fact, facts
from weightsmith.memory.read import Firing, Promoted, Trigger, pattern, promoted, read, triggers
from weightsmith.memory.report import Report, report

__all__ = [
    "Fact",
    "Firing",
    "Promoted",
    "Report",
    "Trigger",
    "ablate",
    "delete",
    "edit",
    "facts",
    "pattern",
    "promoted",
    "read",
    "report",
    "scale",
    "triggers",
    "undo",
    "write",
    "write_many",
]
