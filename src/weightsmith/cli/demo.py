"""weightsmith demo."""

import re

from rich.text import Text

import weightsmith as ws
from weightsmith.cli.consoles import results
from weightsmith.cli.output import say
from weightsmith.tables import Table, number

NEXT = """
Now try:
   weightsmith library
   weightsmith new contains --symbol 1 -o one.safetensors
   weightsmith rewrite one.safetensors --form infinity -o loud.safetensors
   weightsmith check same-decisions one.safetensors loud.safetensors --up-to 20
   weightsmith run loud.safetensors 0010 --trace"""


def demo() -> None:
    """Build two recognisers, compose them, take the ∞ form, and check it on every input up to length 10."""

    def step(number: int, text: str) -> None:
        results().print(Text(f"{number}. {text}", "bold cyan"))

    A = ws.Fixed(4, 4)
    held = ws.laws(A)
    step(1, f"An arithmetic in which every bit is defined: {A}")
    say(f"   ∞ = {A.infinity}, and {sum(law.holds for law in held)} of {len(held)} laws hold, such as")
    say(f"   {held[1].statement}, decided by {held[1].decided}.")
    failing = [law for law in ws.laws(ws.Float(2, 4)) if not law.holds]
    say(f"   In float(2,4) one fails: {failing[0].counterexample}, not 0.\n")

    step(2, 'Two recognisers written by hand: is there an "a"? is there a "b"?')
    S, T = ws.library.contains("a", "abc", A), ws.library.contains("b", "abc", A)
    results().print(ws.run(S, "bac").table())

    step(3, "Composed: S & ~T says YES where there is an a and no b")
    both = S & ~T
    say(f"   {len(both.blocks)} blocks, {len(both.lanes)} lanes, {both.nonzero_weights} weights that are not 0\n")

    step(4, "In ∞ form the last vector is the answer: (1, ∞, 0 …) or (1, 0, 0 …)")
    loud = ws.infinity_form(both)
    vectors = Table("input", "decision", *loud.lanes[:2], "other lanes", right=[1, 2, 3, 4])
    for tokens in ("a", "ca", "cab", "ccc"):
        r = ws.run(loud, tokens)
        last = [float(x) for x in r.stream[-1, -1]]
        rest = "all 0" if not any(last[2:]) else "not 0"
        vectors.add(tokens, r.decision, *(number(x, A.infinity) for x in last[:2]), rest)
    results().print(vectors)

    step(5, "Claims, checked for every input up to length 10")
    verdicts = [
        ws.check.same_decisions(both, loud, up_to=10),
        ws.check.recognizes(loud, re.compile("[ac]*a[ac]*"), up_to=10),
        ws.check.recognizes(loud, re.compile("a[ac]*"), up_to=10),
    ]
    for claim, verdict in zip(("same as before", "[ac]*a[ac]*", "a[ac]*"), verdicts, strict=True):
        say("\n".join(f"   {line}" for line in f"{claim:14} {verdict}".splitlines()))
    say(NEXT)
