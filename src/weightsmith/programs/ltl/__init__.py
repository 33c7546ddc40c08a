"""Past-time linear temporal logic: formulas as text, their meaning, as automata, and as the weights of transformers.

The words used here, besides those of the glossary:

- **formula**: says something of a position of an input and of those before it; an input satisfies it if it holds at the
  last position. **Letters** are a set of tokens: a formula without temporal operators is true at just these.
- **literal**: a cell that holds a truth as 0 or 1, or its opposite.
- **cube**: literals that must all hold. Of *disjoint* cubes no two hold together.
"""
