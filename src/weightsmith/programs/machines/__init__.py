"""Machines as chains: Turing machines, counter machines, finite automata; every step of the machine is a token.

    turing, counters, finite   machines, as frozen data that is checked
    rules       checks that they share
    table       a machine as a table: which token follows on a state and what is read
    weights     the table as weights in an arithmetic
    proof/      from the weights alone: every step up to a length and a number of steps is right; certificates, replay
    compiled    compile_machine: the smallest arithmetic, the chain, its certificate
    examples    busy beavers, palindromes, increment, Rule 110, aⁿbⁿ, parity, the word problem of a group

A machine has *registers*: tapes and counters. A token records the state that the machine enters, what it writes and how
it moves. A register's *place* is the sum of its moves: the position of a head, or the value of a counter.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
