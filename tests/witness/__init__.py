"""An independent witness: arithmetics and runs evaluated from the definition with exact rationals.

Nothing here imports anything of Weightsmith; a test holds it to that.
"""
