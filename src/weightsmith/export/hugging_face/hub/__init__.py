"""What is written beside exported weights: the model as Hugging Face's library opens it, with nothing of ours.

`network_weightsmith` is the model itself and needs torch only; the other two say to transformers what it is.
"""
