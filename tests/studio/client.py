"""A page of the studio without a browser: it asks what a page asks."""

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

from starlette.testclient import TestClient

import weightsmith as ws
from weightsmith.files import transformer_from_bytes
from weightsmith.studio.limits import Limits
from weightsmith.studio.server import application

PORT, TOKEN = 8000, "a token"
BASE = f"http://127.0.0.1:{PORT}"


class Page:
    """What a page does: it asks, and shows what comes."""

    def __init__(self, client: TestClient) -> None:
        self.client = client

    def everything(self) -> dict[str, Any]:
        return self.good("GET", "studio")

    def named(self, name: str) -> dict[str, Any]:
        (model,) = [model for model in self.everything()["models"] if model["name"] == name]
        return model  # type: ignore[no-any-return]

    def good(self, method: str, path: str, fields: dict[str, Any] | None = None) -> dict[str, Any]:
        answer = self.client.request(method, f"/api/{path}", json=fields)
        assert answer.status_code == 200, answer.text
        return answer.json()  # type: ignore[no-any-return]

    def change(self, model: dict[str, Any], what: str, **fields: Any) -> dict[str, Any]:
        return self.good("POST", f"models/{model['id']}/{what}", fields)

    def refused(self, path: str, **fields: Any) -> tuple[int, str]:
        answer = self.client.post(f"/api/{path}", json=fields)
        return answer.status_code, answer.json()["error"]

    def model(self, model: dict[str, Any]) -> ws.Transformer:
        return transformer_from_bytes(self.client.get(f"/api/models/{model['id']}/file").content, "model")

    def upload(self, name: str, data: bytes) -> Any:
        kind = {"content-type": "application/octet-stream"}
        return self.client.post(f"/api/models?name={quote(name)}", content=data, headers=kind)

    def check(
        self, claim: str, *models: dict[str, Any], regex: str = "", up_to: int | None = 4, yes: str = "YES"
    ) -> Any:
        numbers = [model["id"] for model in models]
        fields = {"claim": claim, "models": numbers, "regex": regex, "yes": yes, "up_to": up_to}
        return self.good("POST", "checks", fields)

    def ended(self, check: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = until(lambda: self._ended(check["id"]))
        return found

    def _ended(self, number: int) -> dict[str, Any] | None:
        (found,) = [check for check in self.good("GET", "checks")["checks"] if check["id"] == number]
        return None if found["state"] == "running" else found


def until(found: Callable[[], Any]) -> Any:
    """Ask again and again, until there is something."""
    for _ in range(3000):
        answer = found()
        if answer:
            return answer
        time.sleep(0.1)
    raise AssertionError("it did not come")


@contextlib.contextmanager
def opened(limits: Limits | None = None, **given: Any) -> Iterator[Page]:
    headers = {"x-weightsmith-token": TOKEN, "origin": BASE}
    with TestClient(application(PORT, TOKEN, limits=limits, **given), base_url=BASE, headers=headers) as client:
        yield Page(client)
