"""Run the command line: `python -m weightsmith`."""

from weightsmith.cli import main

main()
