"""Circuit discovery: models with known circuits, methods that look for circuits, and their scores."""
