"""A studio that listens: on this machine only, until Ctrl-C."""

import os
import socket
from collections.abc import Sequence
from types import TracebackType
from typing import Self

import uvicorn

from weightsmith.errors import InputError, reason
from weightsmith.studio.connections import connection_class
from weightsmith.studio.folder import Folder
from weightsmith.studio.limits import Limits
from weightsmith.studio.security import ADDRESS, new_token
from weightsmith.studio.server import application


class Serving:
    """A studio with its socket, which listens from the start: early requests wait."""

    def __init__(
        self,
        port: int = 0,
        files: Sequence[tuple[str, bytes]] = (),
        folder: str | os.PathLike[str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        """Listen on a port, or on any that is free; the files are names and bytes of models."""
        limits = limits or Limits()
        place = None if folder is None else Folder(folder, limits.files_listed)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self.socket.bind((ADDRESS, port))
        except OSError as error:
            self.socket.close()
            raise InputError(f"cannot listen on port {port}: {reason(error)}; write --port 0 for a free one") from None
        self.socket.listen(64)
        self.port: int = self.socket.getsockname()[1]
        self.token = new_token()
        self.server = uvicorn.Server(
            uvicorn.Config(
                application(self.port, self.token, files=files, folder=place, limits=limits),
                http=connection_class(limits),
                ws="none",
                lifespan="on",
                log_level="warning",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_keep_alive=5,
                timeout_graceful_shutdown=2,
            )
        )

    @property
    def address(self) -> str:
        """The address to open; its token is in the fragment, which browsers do not send."""
        return f"http://{ADDRESS}:{self.port}/#token={self.token}"

    def run(self) -> None:
        """Serve until Ctrl-C, or until `stop`."""
        try:
            self.server.run(sockets=[self.socket])
        except KeyboardInterrupt:  # which the server passes on when it has ended
            return

    def stop(self) -> None:
        """Let `run` come to its end, from another thread."""
        self.server.should_exit = True

    def __enter__(self) -> Self:
        """Use it in a with statement."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Stop listening."""
        self.socket.close()
