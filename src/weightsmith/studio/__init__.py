"""The page, and the engine in it that runs models without Python."""
