"""The same weights in PyTorch, in Hugging Face's models and in Weightsmith must give the same numbers.

Nothing is downloaded: every model is small, made here, with every parameter drawn at random (biases and gains too,
which begin at 0 and 1 and would hide a mistake). `builders` turns their weights into a `Transformer`; where no library
has the rule, the test writes it out in loops.

In float64 both sides add up the same terms in another order, so they differ by rounding alone: some 1e-13 after a few
blocks of a few dozen lanes. `CLOSE` leaves room for other machines, and is far below the 1e-7 of anything that passes
through float32 on the way.
"""
