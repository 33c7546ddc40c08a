"""A transformer as a TransformerLens model."""
