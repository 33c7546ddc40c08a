"""Run the command line: `weightsmith`, or `python -m weightsmith`."""

import gc
import sys

MANY_OBJECTS = 50_000  # made between two looks for garbage: to load modules makes none, and looking takes time


def main() -> None:
    """Load the command line and run it."""
    gc.set_threshold(MANY_OBJECTS)
    try:
        from weightsmith.cli import main as run  # here, so that a failure has its message
    except Exception as error:  # Python itself would exit with 1, which means that a claim is refuted
        sys.stderr.write(f"error: weightsmith is not whole: {type(error).__name__}: {error}; install it again\n")
        sys.exit(70)
    try:
        run()
    finally:
        gc.freeze()  # or Python, as it ends, looks for garbage among all that was loaded


if __name__ == "__main__":
    main()
