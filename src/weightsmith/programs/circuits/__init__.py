"""Boolean circuits as chains: every token that is written is the value of one gate.

circuit      a circuit: inputs, gates in order, outputs; and its values
aiger        AIGER files, read and written
tracing      Python functions of bits
sources      what `compile_circuit` takes, as a circuit
addresses    the two heads: how a position finds the wires that its gate reads
lowering     the weights
compiled     `compile_circuit`, and the chain that it returns
proof        the lemmas, derived from the weights alone; imports nothing of the modules above
certificate  the lemmas with the circuit that they are about, as data
"""
