"""Whoever is not the studio's own page gets nothing: each attack is sent to a real studio, byte by byte."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import weightsmith as ws
from tests.studio.serving import Started, request, sent, started
from weightsmith.files import model_bytes

REWRITE = json.dumps({"step": "--pad", "value": "1"}).encode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model, links out of it, a pipe, and a model above it."""
    above = tmp_path_factory.mktemp("above")
    inside = above / "inside"
    (inside / "deeper").mkdir(parents=True)
    T = ws.library.contains("1")
    for place in (above / "secret", inside / "mine", inside / "deeper/one", inside / ".hidden"):
        ws.save(T, f"{place}.safetensors")
    (inside / "link.safetensors").symlink_to(above / "secret.safetensors")
    (inside / "up").symlink_to(above)
    os.mkfifo(inside / "pipe.safetensors")
    (inside / "notes.txt").write_text("private")
    return inside


@pytest.fixture(scope="module")
def studio(folder: Path) -> Iterator[Started]:
    with started("--folder", folder) as running:
        yield running


def test_the_studio_answers_its_own_page(studio: Started) -> None:
    answer = sent(studio.port, request(studio, "GET", "/api/studio"))
    assert answer.status == 200
    assert json.loads(answer.body)["models"][0]["name"] == "eiffel"
    assert sent(studio.port, request(studio, "POST", "/api/models/3/rewrite", REWRITE)).status == 200
    same = request(studio, "GET", "/api/studio", Host=f"localhost:{studio.port}", Sec_Fetch_Site="same-origin")
    assert sent(studio.port, same).status == 200


def test_it_listens_on_one_address_of_this_machine(studio: Started) -> None:
    with pytest.raises(ConnectionRefusedError):  # whoever listens on every address is reached at this one too
        sent(studio.port, request(studio, "GET", "/"), address="127.0.0.2")


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example", "[::1]:80", ""]
)
@pytest.mark.parametrize("path", ["/", "/api/studio", "/studio.js"])
def test_a_foreign_host_is_refused_as_in_dns_rebinding(studio: Started, host: str, path: str) -> None:
    answer = sent(studio.port, request(studio, "GET", path, Host=host))
    assert (answer.status, answer.error[:25]) == (421, "this address is not the s")
    assert "evil" not in answer.error


def test_two_hosts_or_none_are_refused(studio: Started) -> None:
    twice = request(studio, "GET", "/api/studio", X_More="1").replace(b"X-More: 1", b"Host: evil.example")
    assert sent(studio.port, twice).status in (400, 421)
    assert sent(studio.port, request(studio, "GET", "/api/studio", Host=None)).status in (400, 421)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1", ""])
def test_a_foreign_origin_is_refused(studio: Started, origin: str) -> None:
    for method, path, body in (("GET", "/api/studio", b""), ("POST", "/api/models/3/rewrite", REWRITE)):
        answer = sent(studio.port, request(studio, method, path, body, Origin=origin))
        assert (answer.status, answer.error[:37]) == (403, "the request comes from another page: "[:37])


def test_what_changes_something_must_say_where_it_comes_from(studio: Started) -> None:
    assert sent(studio.port, request(studio, "POST", "/api/models/3/rewrite", REWRITE, Origin=None)).status == 403
    cross = request(studio, "GET", "/api/studio", Sec_Fetch_Site="cross-site")
    assert sent(studio.port, cross).status == 403


@pytest.mark.parametrize("token", [None, "", "x", "é"])
def test_without_the_token_nothing_is_told_or_done(studio: Started, token: str | None) -> None:
    for method, path, body in (
        ("GET", "/api/studio", b""),
        ("GET", "/api/models/1/file", b""),
        ("GET", "/api/checks", b""),
        ("POST", "/api/models/3/rewrite", REWRITE),
        ("POST", "/api/models", b"x"),
        ("POST", "/api/nothing", b""),
    ):
        answer = sent(studio.port, request(studio, method, path, body, X_Weightsmith_Token=token))
        assert (answer.status, answer.error[:32]) == (401, "the token is missing or wrong: o")
    almost = studio.token[:-1] + ("a" if studio.token[-1] != "a" else "b")
    assert sent(studio.port, request(studio, "GET", "/api/studio", X_Weightsmith_Token=almost)).status == 401
    assert studio.token not in sent(studio.port, request(studio, "GET", "/", X_Weightsmith_Token=None)).body.decode()


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "x"])
def test_only_json_changes_something(studio: Started, kind: str | None) -> None:
    answer = sent(studio.port, request(studio, "POST", "/api/models/3/rewrite", REWRITE, Content_Type=kind))
    assert answer.status == 415


@pytest.mark.parametrize("path", ["/api/models", "/api/models/3/rewrite", "/api/checks"])
def test_a_huge_body_is_refused_before_it_is_read(studio: Started, path: str) -> None:
    kind = "application/octet-stream" if path == "/api/models" else "application/json"
    head = request(studio, "POST", path, Content_Length=str(10**12), Content_Type=kind)
    answer = sent(studio.port, head)  # not one byte of the body is sent, and the answer is there
    assert answer.status == 413
    assert "1,000,000,000,000 bytes, and at most" in answer.error


def test_a_body_of_unknown_length_is_refused(studio: Started) -> None:
    chunked = request(studio, "POST", "/api/checks", Content_Length=None, Transfer_Encoding="chunked")
    assert sent(studio.port, chunked + b"2\r\n{}\r\n0\r\n\r\n").status == 411
    assert sent(studio.port, request(studio, "POST", "/api/checks", Content_Length=None)).status == 411
    assert sent(studio.port, request(studio, "POST", "/api/checks", b"{}", Content_Encoding="gzip")).status == 411
    assert sent(studio.port, request(studio, "POST", "/api/checks", Content_Length="-1")).status == 400


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"step": "--pad", "step": "--to", "value": "1"}', "the key 'step' occurs twice"),
        (b'{"step": "--pad"}', "the field value is missing"),
        (b'{"step": "--pad", "value": "1", "path": "/"}', "there is no field 'path' here"),
        (b'{"step": 3, "value": "1"}', "the field step is 3"),
        (b'{"step": "--pad", "value": true}', "the field value is True"),
        (b'{"step": NaN, "value": "1"}', "NaN is not a number"),
        (b"[]", "is not a JSON object"),
        (b"", "is not valid JSON"),
        (b"\xff", "is not valid JSON"),
        (b"[" * 100_000, "what the page sent"),
    ],
)
def test_json_is_read_with_suspicion(studio: Started, body: bytes, words: str) -> None:
    answer = sent(studio.port, request(studio, "POST", "/api/models/3/rewrite", body))
    assert answer.status == 400
    assert words in answer.error


@pytest.mark.parametrize(
    "name",
    [
        "..",
        "../secret.safetensors",
        "/etc/passwd",
        "up/secret.safetensors",
        "deeper/one.safetensors",
        "link.safetensors",
        "pipe.safetensors",
        ".hidden.safetensors",
        "notes.txt",
        "",
        "mine.safetensors\0",
        "./mine.safetensors",
    ],
)
def test_nothing_but_the_models_of_the_folder_is_opened(studio: Started, name: str) -> None:
    answer = sent(studio.port, request(studio, "POST", "/api/open", json.dumps({"file": name}).encode()))
    assert answer.status == 404
    assert answer.error.startswith("there is no model file ")


def test_the_models_of_the_folder_are_opened_by_name(studio: Started, folder: Path) -> None:
    listed = json.loads(sent(studio.port, request(studio, "GET", "/api/studio")).body)["folder"]
    assert listed == ["mine.safetensors"]
    opened = sent(studio.port, request(studio, "POST", "/api/open", b'{"file": "mine.safetensors"}'))
    number = json.loads(opened.body)["id"]
    file = sent(studio.port, request(studio, "GET", f"/api/models/{number}/file"))
    assert file.body == (folder / "mine.safetensors").read_bytes()


@pytest.mark.parametrize(
    "path", ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/page/weightsmith.js", "//x", "/a"]
)
def test_there_are_no_files_behind_other_paths(studio: Started, path: str) -> None:
    assert sent(studio.port, request(studio, "GET", path)).status in (400, 404)
    assert sent(studio.port, request(studio, "GET", f"/api/models/{path}/file")).status in (400, 404)


def bad_files() -> dict[str, bytes]:
    good = model_bytes(ws.library.contains("1"))
    return {
        "empty": b"",
        "short": b"abc",
        "header claims too much": b"\xff" * 8 + good[8:],
        "header is no JSON": good[:8] + b"x" * (len(good) - 8),
        "cut off": good[:-1],
        "another program's": (2).to_bytes(8, "little") + b"{}",
        "text": b"not a model at all, but long enough to be read as one",
    }


@pytest.mark.parametrize("what", bad_files())
def test_a_model_file_with_a_bad_header_is_refused(studio: Started, what: str) -> None:
    before = sent(studio.port, request(studio, "GET", "/api/studio")).body
    head = {"Content_Type": "application/octet-stream"}
    answer = sent(studio.port, request(studio, "POST", "/api/models?name=bad", bad_files()[what], **head))
    assert (answer.status, answer.error[:18]) == (422, "cannot read 'bad':")
    assert sent(studio.port, request(studio, "GET", "/api/studio")).body == before


def test_a_model_file_as_json_is_refused(studio: Started) -> None:
    data = model_bytes(ws.library.contains("1"))
    assert sent(studio.port, request(studio, "POST", "/api/models?name=x", data)).status == 415


def test_no_more_than_200_characters_are_repeated(studio: Started) -> None:
    long = "x" * 100_000
    bodies: list[tuple[str, Any]] = [
        ("/api/models/3/rewrite", {"step": long, "value": long}),
        ("/api/models/3/rewrite", {"step": "--flag", "value": long}),
        ("/api/models/3/rewrite", {"step": "--form", "value": long}),
        ("/api/models/3/compose", {"how": "formula", "formula": long, "others": []}),
        ("/api/models/3/write-fact", {"block": 0, "key": long, "value": long, "name": long, "margin": 1}),
        ("/api/open", {"file": long}),
        ("/api/checks", {long: 1}),
        ("/api/checks", {"claim": long, "models": [], "regex": "", "yes": "", "up_to": 1}),
    ]
    for path, fields in bodies:
        answer = sent(studio.port, request(studio, "POST", path, json.dumps(fields).encode()))
        assert 400 <= answer.status < 500, path
        assert "x" * 201 not in answer.error
        assert len(answer.error) <= 1000
    head = {"Content_Type": "application/octet-stream"}
    answer = sent(studio.port, request(studio, "POST", f"/api/models?name={'x' * 5000}", b"bad", **head))
    assert answer.status == 422
    assert "x" * 201 not in answer.error


@pytest.mark.parametrize("path", ["/", "/studio.css", "/api/studio", "/nothing", "/api/nothing"])
def test_every_answer_carries_the_policy_and_lets_no_other_page_read_it(studio: Started, path: str) -> None:
    for given in ({}, {"X_Weightsmith_Token": None}, {"Host": "evil.example"}, {"Origin": "http://evil.example"}):
        headers = sent(studio.port, request(studio, "GET", path, **given)).headers
        policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
        assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"
        assert not [name for name in headers if name.startswith("access-control")]


def test_a_preflight_of_another_page_gets_no_leave(studio: Started) -> None:
    asked: dict[str, Any] = {
        "Origin": "http://evil.example",
        "Access_Control_Request_Method": "POST",
        "X_Weightsmith_Token": None,
    }
    answer = sent(studio.port, request(studio, "OPTIONS", "/api/models", **asked))
    assert answer.status == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_there_are_no_web_sockets(studio: Started) -> None:
    upgrade: dict[str, Any] = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec_WebSocket_Version": "13"}
    answer = sent(studio.port, request(studio, "GET", "/api/studio", Sec_WebSocket_Key="AAAA", **upgrade))
    assert answer.status != 101
