"""Feed-forward layers as key–value memories: facts written, read, edited and undone."""

from weightsmith.memory.edit import ablate, delete, edit, scale
from weightsmith.memory.facts import Fact, facts
from weightsmith.memory.read import Firing, Promoted, Trigger, promoted, read, triggers
from weightsmith.memory.report import Report, report
from weightsmith.memory.splice import undo
from weightsmith.memory.write import write, write_many

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
    "promoted",
    "read",
    "report",
    "scale",
    "triggers",
    "undo",
    "write",
    "write_many",
]
