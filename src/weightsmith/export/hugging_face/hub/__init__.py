"""The code that is written beside exported weights: Hugging Face's library opens the model without Weightsmith.

`steps_weightsmith` is the forward pass and needs nothing, `network_weightsmith` the model in PyTorch; the other two
declare it to transformers.
"""
