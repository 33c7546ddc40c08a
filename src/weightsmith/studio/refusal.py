"""The error that a request of the page is refused with."""

from weightsmith.errors import cut

MAX_MESSAGE = 1000  # characters


class StudioError(Exception):
    """A refusal with the status of its answer."""

    def __init__(self, status: int, message: str) -> None:
        """Keep both, the message cut."""
        super().__init__(cut(message, MAX_MESSAGE))
        self.status = status
