"""Proofs that weights carry out the steps of a machine: a checker that imports nothing of the compiler.

places       block 0: sums of moves, and which counters are positive
tapes        the heads of block 1: the content of the cell under a tape's head
steps        block 1 and the output: the token of the rule; the whole proof
certificate  the lemmas, the model's digest, and the machine's table
data         a table as data, and back
replay       a certificate, derived again for a model
"""
