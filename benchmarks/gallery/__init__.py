"""The tables of the gallery: each is computed from the constructions, and stands in a page of `docs/gallery/`.

`make gallery` computes all of them and writes the pages; `python -m benchmarks.gallery NAME…` computes some and says
whether the pages have them, bit for bit.
"""
