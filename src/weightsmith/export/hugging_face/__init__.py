"""To Hugging Face: a directory that `transformers` opens."""
