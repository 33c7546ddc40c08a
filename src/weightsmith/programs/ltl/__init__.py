"""Past-time linear temporal logic: formulas as text, what they mean, as automata, and as the weights of transformers.

The words used here, besides those of the glossary:

- **formula**: says something of a position of an input and of those before it; an input satisfies it if it holds at the
  last position. **Letters** are a set of tokens: what a formula without temporal operators says of one position.
- **literal**: a lane that holds a truth as 0 or 1, or its opposite.
- **cube**: literals that must all hold. Of *disjoint* cubes no two hold together.
"""
