"""Regular expressions as weights: transformers without positions that decide a language at every length.

    language   an expression or an automaton over a vocabulary, as the smallest automaton
    images     image sets, their classes, the tiles of each
    witness    the word that permutes states, where a language is not star-free; the refusal
    levels     in which order the cascade finds out in which tile the state is
    covers     tables as disjoint products of value sets
    cascade    variables that are set or kept at each token, and then give the state
    plan       the cascade as a circuit of heads and neurons
    lanes      as few lanes as are read
    weights    the circuit as a transformer in an arithmetic
    compiled   compile_regex: the smallest arithmetic, the transformer, its proof

The proof is that of `weightsmith.check.recognizes`: it reads the weights alone, and `verify.py` accepts it.
"""
