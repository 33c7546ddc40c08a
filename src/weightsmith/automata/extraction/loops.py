"""The loops over states, for Numba: minimisation, products, folds, distinct rows. See `compiled`.

Long loops work in slices of a number of steps and keep their progress in arrays, so that the caller can check the
budget and handle Ctrl-C in between (`exploring`). Three loops repeat the lines that number a row: as a function they
make products twice as slow.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Counts = npt.NDArray[np.int64]
Truths = npt.NDArray[np.bool_]
DEAD = -1  # in place of a normaliser: the guess is wrong


def by_label(labels: Ints) -> tuple[Ints, int]:
    """Return the initial class of each state, by label, and the number of classes; the start is a class by itself.

    Labels are not negative.
    """
    number = np.full(labels.max() + 1, -1, np.int32)
    classes, count = np.empty(len(labels), np.int32), 0
    for state in range(1, len(labels)):
        label = labels[state]
        if number[label] < 0:
            number[label] = count
            count += 1
        classes[state] = number[label]
    classes[0] = count
    return classes, count + 1


def inverse(table: Ints) -> tuple[Ints, Ints]:
    """Return the predecessors of each state: sources[token, begin[token, state] : begin[token, state + 1]]."""
    states, tokens = table.shape
    begin = np.zeros((tokens, states + 2), np.int32)
    sources = np.empty((tokens, states), np.int32)
    for token in range(tokens):
        for state in range(states):
            begin[token, table[state, token] + 2] += 1
        for state in range(states + 1):
            begin[token, state + 1] += begin[token, state]
        for state in range(states):
            there = table[state, token] + 1
            sources[token, begin[token, there]] = state
            begin[token, there] += 1
    return begin, sources


def refined(begin: Ints, sources: Ints, classes: Ints, work: Ints, progress: Counts, steps: int) -> bool:
    """Refine classes until no token leads from one class to two (Hopcroft 1971); return whether that is done.

    The smaller part of a split class gets the new number, so it alone becomes a splitter. `progress` holds the number
    of classes, the number of waiting splitters, and whether this has begun; `work` has a row of states + 1 numbers for
    each of eight purposes. At most `steps` steps are taken, besides those of the last splitter.
    """
    tokens, states = sources.shape
    first, size, marked, waiting = work[0], work[1], work[2], work[3]  # of each class, its range in `order`
    order, place, touched, splitter = work[4], work[5], work[6], work[7]
    count, left = progress[0], progress[1]
    if progress[2] == 0:
        progress[2] = 1
        for c in range(states + 1):
            first[c], size[c], marked[c] = 0, 0, 0
        for state in range(states):
            size[classes[state]] += 1
        for c in range(1, count):
            first[c] = first[c - 1] + size[c - 1]
        for state in range(states):
            c = classes[state]
            place[state] = first[c] + marked[c]
            order[place[state]] = state
            marked[c] += 1
        for c in range(count):
            marked[c] = 0
            waiting[c] = c
        left = count
    while left > 0 and steps > 0:
        left -= 1
        c = waiting[left]
        members = size[c]
        for i in range(members):
            splitter[i] = order[first[c] + i]
        for token in range(tokens):
            hit = 0
            steps -= 1 + members
            for i in range(members):
                state = splitter[i]
                steps -= begin[token, state + 1] - begin[token, state]
                for j in range(begin[token, state], begin[token, state + 1]):
                    source = sources[token, j]
                    k = classes[source]
                    if marked[k] == 0:
                        touched[hit] = k
                        hit += 1
                    there = first[k] + marked[k]
                    here = place[source]
                    other = order[there]
                    order[here], place[other] = other, here
                    order[there], place[source] = source, there
                    marked[k] += 1
            for i in range(hit):
                k = touched[i]
                part, marked[k] = marked[k], 0
                if part == size[k]:
                    continue
                rest = size[k] - part
                if part <= rest:
                    first[count], size[count] = first[k], part
                    first[k] += part
                    size[k] = rest
                else:
                    first[count], size[count] = first[k] + part, rest
                    size[k] = part
                for j in range(first[count], first[count] + size[count]):
                    classes[order[j]] = count
                waiting[left] = count
                left += 1
                count += 1
    progress[0], progress[1] = count, left
    return bool(left == 0)


def numbered(table: Ints, classes: Ints, count: int) -> tuple[Ints, Ints]:
    """Number classes in breadth-first order from state 0; return a member of each, and their table.

    `classes` is changed to the new numbers; all states are reachable.
    """
    tokens = table.shape[1]
    number = np.full(count, -1, np.int32)
    members = np.empty(count, np.int32)
    result = np.empty((count, tokens), np.int32)
    number[classes[0]], members[0], found = 0, 0, 1
    done = 0
    while done < found:
        for token in range(tokens):
            there = table[members[done], token]
            c = classes[there]
            if number[c] < 0:
                number[c] = found
                members[found] = there
                found += 1
            result[done, token] = number[c]
        done += 1
    for state in range(len(classes)):
        classes[state] = number[classes[state]]
    return members[:found], result[:found]


def minimised(table: Ints, labels: Ints) -> tuple[Ints, Ints]:
    """Return a member of each class of equivalent states, and the table of classes: the four loops above in one call.

    For small machines, where calls take longer than loops.
    """
    classes, count = _BY_LABEL(labels)
    begin, sources = _INVERSE(table)
    work, progress = np.empty((8, len(table) + 1), np.int32), np.array([count, 0, 0], np.int64)
    while not _REFINED(begin, sources, classes, work, progress, 1 << 30):
        pass
    members, merged = _NUMBERED(table, classes, progress[0])
    return members, merged


def leading(table: Ints, wanted: Truths) -> Truths:
    """Return for each state whether some input, perhaps the empty one, leads to a wanted state."""
    states, tokens = table.shape
    begin = np.zeros(states + 1, np.int64)
    for state in range(states):
        for token in range(tokens):
            begin[table[state, token] + 1] += 1
    for state in range(states):
        begin[state + 1] += begin[state]
    place = begin[:-1].copy()
    sources = np.empty(states * tokens, np.int32)
    for state in range(states):
        for token in range(tokens):
            there = table[state, token]
            sources[place[there]] = state
            place[there] += 1
    found, stack, left = wanted.copy(), np.empty(states, np.int32), 0
    for state in range(states):
        if wanted[state]:
            stack[left] = state
            left += 1
    while left > 0:
        left -= 1
        state = stack[left]
        for i in range(begin[state], begin[state + 1]):
            if not found[sources[i]]:
                found[sources[i]] = True
                stack[left] = sources[i]
                left += 1
    return found


def slot_of(rows: Ints, slots: Ints, row: Ints) -> Any:
    """Return the hash slot of a row (open addressing): it holds the number of the row, or −1."""
    mask = len(slots) - 1
    mixed = np.uint64(1469598103934665603)
    for j in range(len(row)):
        mixed = (mixed ^ np.uint64(row[j] + 2)) * np.uint64(1099511628211)
        mixed ^= mixed >> np.uint64(29)
    slot = np.int64(mixed & np.uint64(mask))
    while slots[slot] >= 0:
        same = True
        for j in range(len(row)):
            if rows[slots[slot], j] != row[j]:
                same = False
                break
        if same:
            return slot
        slot = (slot + 1) & mask
    return slot


def copied(source: Ints, target: Ints) -> None:
    """Copy a row; Numba takes long to compile an assignment of slices."""
    for j in range(len(source)):
        target[j] = source[j]


def placed(rows: Ints, slots: Ints, begin: int, end: int) -> None:
    """Fill the slots of new rows with their numbers."""
    for i in range(begin, end):
        slots[_SLOT(rows, slots, rows[i])] = i


def distinct(rows: Ints) -> tuple[Ints, Ints]:
    """Return the index of the first example of each distinct row, and the number of each row."""
    size = 4
    while size < 2 * len(rows):
        size *= 2
    slots = np.full(size, -1, np.int32)  # indices of rows
    numbers, examples, count = np.empty(len(rows), np.int32), np.empty(len(rows), np.int32), 0
    for i in range(len(rows)):
        slot = _SLOT(rows, slots, rows[i])
        if slots[slot] < 0:
            slots[slot] = i
            examples[count] = i
            numbers[i] = count
            count += 1
        else:
            numbers[i] = numbers[slots[slot]]
    return examples[:count].copy(), numbers


def paired(
    A: Ints, B: Ints, dead_a: int, dead_b: int, rows: Ints, table: Ints, slots: Ints, progress: Counts, end: Counts
) -> None:
    """Explore the product of two machines: reachable pairs of states, and their table.

    All pairs with a dead state (−1: none is dead) are one. `progress` holds the number of rows, and how many of them
    are done. The loop ends when all are done, there are more than end[0], `rows` is full, or after end[1] steps.
    """
    tokens = A.shape[1]
    sink_a, sink_b = max(dead_a, 0), max(dead_b, 0)
    row = np.empty(2, np.int32)
    count, done, steps = progress[0], progress[1], end[1]
    while done < count <= end[0] and count + tokens <= len(rows) and steps > 0:
        for token in range(tokens):
            row[0], row[1] = A[rows[done, 0], token], B[rows[done, 1], token]
            if row[0] == dead_a or row[1] == dead_b:
                row[0], row[1] = sink_a, sink_b
            slot = _SLOT(rows, slots, row)
            if slots[slot] < 0:
                slots[slot] = count
                _COPY(row, rows[count])
                count += 1
            table[done, token] = slots[slot]
        done += 1
        steps -= tokens
    progress[0], progress[1] = count, done


def delayed(
    machine: Ints, enters: Ints, becomes: Ints, rows: Ints, table: Ints, slots: Ints, progress: Counts, end: Counts
) -> None:
    """Explore (state of the machine, code of the key at age 1, at age 2, …): reachable rows, and their table.

    The key of the previous state has age 1 and the code becomes[1, enters[state]]; each token makes it older by 1, with
    the code becomes[age, code at the age before]. The start has no key. For progress and end see `paired`.
    """
    tokens, width = machine.shape[1], len(becomes)
    row = np.empty(width, np.int32)
    count, done, steps = progress[0], progress[1], end[1]
    while done < count <= end[0] and count + tokens <= len(rows) and steps > 0:
        for token in range(tokens):
            before = rows[done]
            row[0] = machine[before[0], token]
            row[1] = 0 if done == 0 else becomes[1, enters[before[0]]]
            for age in range(2, width):
                row[age] = becomes[age, before[age - 1]]
            slot = _SLOT(rows, slots, row)
            if slots[slot] < 0:
                slots[slot] = count
                _COPY(row, rows[count])
                count += 1
            table[done, token] = slots[slot]
        done += 1
        steps -= tokens * width
    progress[0], progress[1] = count, done


def folded(
    machine: Ints,
    labels: Ints,
    useful: Truths,
    following: Ints,
    step: Ints,
    sums: Ints,
    rows: Ints,
    table: Ints,
    slots: Ints,
    progress: Counts,
    end: Counts,
) -> None:
    """Explore (state of the machine, normaliser, sum in each coordinate): reachable rows, and their table.

    A token brings the key labels[state, token]. If that is ≥ 0, the normaliser n becomes following[n, label], and the
    sum s in coordinate j becomes sums[step[n, label, j], s]; step has one row if n does not matter. All rows with a
    dead normaliser or a state that is not useful are one dead row. For progress and end see `paired`.
    """
    tokens, width = machine.shape[1], rows.shape[1]
    row = np.empty(width, np.int32)
    count, done, steps = progress[0], progress[1], end[1]
    by_normaliser = step.shape[0] > 1
    while done < count <= end[0] and count + tokens <= len(rows) and steps > 0:
        for token in range(tokens):
            _COPY(rows[done], row)
            n = row[1]
            if n != DEAD:
                state, label = machine[row[0], token], labels[row[0], token]
                row[0] = state
                if label >= 0:
                    row[1] = following[n, label]
                    which = n if by_normaliser else 0
                    for j in range(2, width):
                        row[j] = sums[step[which, label, j - 2], row[j]]
                if row[1] == DEAD or not useful[state]:
                    for j in range(width):
                        row[j] = DEAD
            slot = _SLOT(rows, slots, row)
            if slots[slot] < 0:
                slots[slot] = count
                _COPY(row, rows[count])
                count += 1
            table[done, token] = slots[slot]
        done += 1
        steps -= tokens * width
    progress[0], progress[1] = count, done


def slot_in_python(rows: Ints, slots: Ints, row: Ints) -> int:
    """Return the same slot as `slot_of`, with the whole numbers of Python: those of NumPy are slow one by one."""
    mask, mixed, wanted = len(slots) - 1, 1469598103934665603, row.tolist()
    for number in wanted:
        mixed = ((mixed ^ (number + 2)) * 1099511628211) & 0xFFFFFFFFFFFFFFFF
        mixed ^= mixed >> 29
    slot = mixed & mask
    while slots[slot] >= 0 and rows[slots[slot]].tolist() != wanted:
        slot = (slot + 1) & mask
    return slot


_SLOT: Any = slot_in_python  # `compiled` puts the machine code here
_COPY: Any = copied
_BY_LABEL: Any = by_label
_INVERSE: Any = inverse
_REFINED: Any = refined
_NUMBERED: Any = numbered
