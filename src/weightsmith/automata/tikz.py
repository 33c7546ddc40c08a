"""An automaton as a picture in TikZ, with the arrangement of the SVG picture."""

from typing import TYPE_CHECKING

from weightsmith.automata.drawing import arrows, centres, check_size
from weightsmith.tables.latex import NEEDS, document, escaped

if TYPE_CHECKING:
    from weightsmith.automata.automaton import Automaton

SCALE = 1 / 48  # centimetres for each point of the SVG picture


def tikz(automaton: "Automaton", whole: bool = False) -> str:
    """Return an automaton as a TikZ picture, for LaTeX; `whole` puts it into a document of its own."""
    check_size(automaton)
    at = centres(automaton)
    lines = ["\\begin{tikzpicture}[->, >=Stealth, auto, initial text=, every state/.style={draw, minimum size=9mm}]"]
    for state, (x, y) in enumerate(at):
        style = ["state"] + ["initial"] * (state == automaton.start) + ["accepting"] * bool(automaton.accepting[state])
        label = escaped(automaton.outcome(state))
        lines.append(f"  \\node[{', '.join(style)}] (q{state}) at ({x * SCALE:.2f}, {-y * SCALE:.2f}) {{{label}}};")
    for here in range(len(at)):
        for there, label in arrows(automaton, here).items():
            how = "loop above" if here == there else "bend left=15"
            lines.append(f"  \\path (q{here}) edge[{how}] node {{{escaped(label)}}} (q{there});")
    picture = NEEDS + "\n".join([*lines, "\\end{tikzpicture}"]) + "\n"
    return document(picture) if whole else picture
