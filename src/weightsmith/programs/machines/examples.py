"""Machines that everybody knows: busy beavers, palindromes, increment, Rule 110, aⁿbⁿ, parity, word problems."""

from itertools import permutations, product

from weightsmith.errors import InputError, brief, whole_number
from weightsmith.programs.machines.counters import CounterMachine
from weightsmith.programs.machines.finite import FiniteAutomaton
from weightsmith.programs.machines.turing import TuringMachine

BEAVERS = {  # for each state, what it does on 0 and on 1
    2: ("1RB1LB", "1LA1RH"),
    3: ("1RB1RH", "1LB0RC", "1LC1LA"),
    4: ("1RB1LB", "1LA0LC", "1RH1LD", "1RD0RA"),
}
MOST_GENERATIONS = 16
MOST_PERMUTED = 6


def busy_beaver(states: int = 2) -> TuringMachine:
    """Return the machine with 2, 3 or 4 states that runs longest on an empty tape before it halts.

    They run 6, 21 and 107 steps (Radó 1962, Lin and Radó 1965, Brady 1983).
    """
    if states not in BEAVERS:
        raise InputError(f"states={brief(states)}: write 2, 3 or 4")
    rules = {
        (state, symbol): (done[2], done[0], {"L": -1, "R": 1}[done[1]])
        for state, line in zip("ABCD", BEAVERS[states], strict=False)
        for symbol, done in (("0", line[:3]), ("1", line[3:]))
    }
    return TuringMachine(rules, start="A", blank="0", halt="H")


def palindromes(symbols: str = "ab") -> TuringMachine:
    """Return a machine that accepts palindromes: it erases equal symbols at both ends."""
    blank = "_"
    if not isinstance(symbols, str) or not symbols or blank in symbols or len(set(symbols)) < len(symbols):
        raise InputError(f"symbols={brief(symbols)}: write different characters other than {blank}, such as 'ab'")
    rules = {("first", blank): ("yes", blank, 0), ("back", blank): ("first", blank, 1)}
    for one in symbols:
        rules["first", one] = (f"keep-{one}", blank, 1)
        rules["back", one] = ("back", one, -1)
        rules[f"keep-{one}", blank] = (f"last-{one}", blank, -1)
        rules[f"last-{one}", blank] = ("yes", blank, 0)
        for other in symbols:
            rules[f"keep-{one}", other] = (f"keep-{one}", other, 1)
            rules[f"last-{one}", other] = ("back", blank, -1) if one == other else ("no", other, 0)
    return TuringMachine(rules, start="first", blank=blank, accept="yes", reject="no" if len(symbols) > 1 else ())


def increment() -> TuringMachine:
    """Return a machine that adds 1 to a binary number on its tape."""
    rules = {
        ("right", "0"): ("right", "0", 1),
        ("right", "1"): ("right", "1", 1),
        ("right", "_"): ("carry", "_", -1),
        ("carry", "1"): ("carry", "0", -1),
        ("carry", "0"): ("done", "1", 0),
        ("carry", "_"): ("done", "1", 0),
    }
    return TuringMachine(rules, start="right", halt="done", inputs="01")


def rule_110(generations: int = 1) -> TuringMachine:
    """Return a machine that computes generations of Rule 110, with 0 around the cells of its input.

    A generation is one walk to the right: the new value of a cell is written one cell further, where its right
    neighbour has been read. So the cells 0 to n then hold those from −1 to n − 1; Rule 110 grows to the left only.
    """
    count = whole_number(generations, "generations", 1, MOST_GENERATIONS, f"1 to {MOST_GENERATIONS}")
    rules = {}
    for g in range(count):
        for left, here, right in product("01", "01", "01_"):
            new = str(110 >> int(left + here + right.replace("_", "0"), 2) & 1)
            after = f"{here}{right}{g}" if right != "_" else "done" if g == count - 1 else f"back{g}"
            rules[f"{left}{here}{g}", right] = (after, new, -1 if after.startswith("back") else 1)
        if g < count - 1:
            rules |= {(f"back{g}", one): (f"back{g}", one, -1) for one in "01"}
            rules[f"back{g}", "_"] = (f"00{g + 1}", "_", 1)
    return TuringMachine(rules, start="000", halt="done", inputs="01")


def equal_numbers() -> CounterMachine:
    """Return a machine with two counters that accepts aⁿbⁿ: one counts the a, the other the b."""
    rules = {
        ("a", "a", ("*", "*")): ("a", 1, (1, 0)),
        ("a", "b", ("*", "*")): ("b", 1, (0, 1)),
        ("b", "b", ("*", "*")): ("b", 1, (0, 1)),
        ("b", "a", ("*", "*")): ("no", 0, (0, 0)),
    }
    for state in "ab":
        rules[state, "=", ("+", "+")] = ("b", 0, (-1, -1))
        rules[state, "=", ("0", "0")] = ("yes", 0, (0, 0))
        rules[state, "=", ("+", "0")] = ("no", 0, (0, 0))
        rules[state, "=", ("0", "+")] = ("no", 0, (0, 0))
    return CounterMachine(rules, start="a", accept="yes", reject="no")


def parity() -> FiniteAutomaton:
    """Return the automaton of inputs with an odd number of 1."""
    rules = {("even", "0"): "even", ("even", "1"): "odd", ("odd", "0"): "odd", ("odd", "1"): "even"}
    return FiniteAutomaton(rules, start="even", accept="odd")


def word_problem(size: int = 5) -> FiniteAutomaton:
    """Return the automaton of words that give the identity in the group of all permutations of `size` things.

    `a` swaps the first two, `b` moves each thing to the next place. From 5 things on the group is not solvable.
    """
    n = whole_number(size, "size", 2, MOST_PERMUTED, f"2 to {MOST_PERMUTED}")
    names = {order: "".join(map(str, order)) for order in permutations(range(n))}
    rules = {}
    for order, name in names.items():
        rules[name, "a"] = names[order[1], order[0], *order[2:]]
        rules[name, "b"] = names[*order[1:], order[0]]
    identity = names[tuple(range(n))]
    return FiniteAutomaton(rules, start=identity, accept=identity)
