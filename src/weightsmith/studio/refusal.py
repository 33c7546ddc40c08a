"""What the studio answers when it does not do what was asked."""

from weightsmith.errors import cut

MAX_MESSAGE = 1000  # characters; of what was given, errors repeat 200 at most


class StudioError(Exception):
    """A refusal with the status of its answer."""

    def __init__(self, status: int, message: str) -> None:
        """Keep both, the message cut."""
        super().__init__(cut(message, MAX_MESSAGE))
        self.status = status
