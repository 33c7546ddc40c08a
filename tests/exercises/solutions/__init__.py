"""Solutions of the exercises; the package does not have them."""
