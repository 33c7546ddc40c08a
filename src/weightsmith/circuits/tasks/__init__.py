"""The tasks of the benchmark, in files by subject, from easy to hard."""

from collections.abc import Sequence

from weightsmith.circuits.tasks import comparing, counting, logic, matching, positions
from weightsmith.circuits.tasks.task import DIFFICULTIES, Difficulty, Task
from weightsmith.errors import InputError, brief, listed, nearest_names

_UNORDERED = (*positions.TASKS, *counting.TASKS, *logic.TASKS, *comparing.TASKS, *matching.TASKS)
TASKS: tuple[Task, ...] = tuple(sorted(_UNORDERED, key=lambda task: DIFFICULTIES.index(task.difficulty)))

__all__ = ["DIFFICULTIES", "TASKS", "Difficulty", "Task", "chosen_tasks"]


def chosen_tasks(programs: str | int | Sequence[str] | None = None) -> tuple[Task, ...]:
    """Return tasks by name, by difficulty or by number; all by default.

    Names and difficulties may be mixed, in a sequence or in a text with commas. `chosen_tasks(10)` returns ten tasks,
    evenly spaced from easy to hard.
    """
    if programs is None or programs == "all":
        return TASKS
    if isinstance(programs, str) and programs.strip().isdecimal() and programs.isascii():
        programs = int(programs) if len(programs) < 10 else 10**9
    if type(programs) is int:
        if not 1 <= programs <= len(TASKS):
            raise InputError(f"programs={brief(programs)}: write a number from 1 to {len(TASKS)}")
        return tuple(TASKS[i * len(TASKS) // programs] for i in range(programs))
    names = programs.split(",") if isinstance(programs, str) else programs
    if not isinstance(names, Sequence) or not names or not all(isinstance(name, str) for name in names):
        raise InputError(
            f"programs={brief(programs)}: write names of programs, {listed(DIFFICULTIES)}, or a number of programs"
        )
    wanted = {name.strip() for name in names}
    known = {task.name for task in TASKS} | set(DIFFICULTIES)
    for name in names:
        if name.strip() not in known:
            near = nearest_names(name.strip(), sorted(known))
            raise InputError(
                f"{brief(name)} is no program of the benchmark: {near}write names (weightsmith circuits programs lists "
                f"them), {listed(DIFFICULTIES)}, or a number from 1 to {len(TASKS)}"
            )
    return tuple(task for task in TASKS if task.name in wanted or task.difficulty in wanted)
