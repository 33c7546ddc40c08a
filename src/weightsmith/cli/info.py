"""weightsmith info."""

from weightsmith.cli.output import AsJson, ModelFile, print_json, say


def info(
    file: ModelFile,
    as_json: AsJson = False,
) -> None:
    """Show what is in a model file."""
    from weightsmith.files import load
    from weightsmith.files.codec import encode

    T = load(file)
    if as_json:
        tensors, metadata = encode(T)
        shapes = {name: list(array.shape) for name, array in tensors.items()}
        print_json({**metadata, "tensors": shapes, "weights": T.weights, "nonzero_weights": T.nonzero_weights})
        return
    say(repr(T))
    for line in T.provenance:
        say(f"  made by     {line}")
