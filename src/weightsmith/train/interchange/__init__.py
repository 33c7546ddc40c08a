"""Training by interchange interventions: heads and layers of a dense transformer take the parts of a program."""
