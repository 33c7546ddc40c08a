"""A program that executes a notebook in a real kernel and writes it with its outputs: execute.py IN OUT."""

import sys
import warnings

warnings.simplefilter("ignore")  # those of Jupyter are its own

import nbformat  # noqa: E402
from nbclient import NotebookClient  # noqa: E402

notebook = nbformat.read(sys.argv[1], as_version=4)  # type: ignore[no-untyped-call]
nbformat.validate(notebook)
NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
nbformat.write(notebook, sys.argv[2])  # type: ignore[no-untyped-call]
