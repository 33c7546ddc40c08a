"""The calls of the page, one method each: parse the request, act on the session, respond."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from weightsmith.check.claim import in_forms
from weightsmith.errors import brief, cut
from weightsmith.studio.bodies import Fields, bytes_of, json_of
from weightsmith.studio.checks import Checks
from weightsmith.studio.folder import ENDING, Folder
from weightsmith.studio.jobs import Job
from weightsmith.studio.limits import Limits
from weightsmith.studio.menu import REWRITES
from weightsmith.studio.refusal import StudioError
from weightsmith.studio.security import BYTES
from weightsmith.studio.session import OpenModel, Session, State
from weightsmith.studio.work import Allowance

OPENED = "as it was opened"
LONGEST = 64  # inputs of a check; its time is limited too
NAMES = ("S", "T", "R")  # of models in a formula
NO_FIELDS: Fields = {}
Call = Callable[[Request], Awaitable[Response]]


class Calls:
    """The handlers of a studio's requests."""

    def __init__(self, limits: Limits, folder: Folder | None, files: Sequence[tuple[str, bytes]]) -> None:
        """Begin with files that the user named, names and bytes."""
        self.limits, self.folder, self.files = limits, folder, list(files)
        self.session, self.checks = Session(limits), Checks(limits)
        self.begun = anyio.Lock()
        self.free = anyio.CapacityLimiter(limits.jobs)
        self.jobs: set[Job] = set()
        self.started = False

    def routes(self) -> dict[tuple[str, str], Call]:
        """Return the calls by method and path."""
        return {
            ("GET", "studio"): self.everything,
            ("GET", "models/{model}/file"): self.file,
            ("POST", "models"): self.upload,
            ("POST", "open"): self.open_from_folder,
            ("POST", "models/{model}/rewrite"): self.rewrite,
            ("POST", "models/{model}/compose"): self.compose,
            ("POST", "models/{model}/write-fact"): self.write_fact,
            ("POST", "models/{model}/edit-fact"): self.edit_fact,
            ("POST", "models/{model}/remove-fact"): self.remove_fact,
            ("POST", "models/{model}/go"): self.go,
            ("POST", "models/{model}/copy"): self.copy,
            ("POST", "models/{model}/close"): self.close,
            ("POST", "models/{model}/page"): self.page,
            ("POST", "checks"): self.check,
            ("GET", "checks"): self.all_checks,
            ("POST", "checks/{check}/cancel"): self.cancel,
        }

    def end(self) -> None:
        """End every process."""
        self.checks.cancel_all()
        for job in tuple(self.jobs):
            job.cancel()
        if self.folder is not None:
            self.folder.close()

    # State

    async def everything(self, _: Request) -> Response:
        """Return all that the page needs to begin; the library is built when the first page asks."""
        async with self.begun:
            if not self.started:
                await self._begin()
                self.started = True
        return JSONResponse(
            {
                "models": [model.data() for model in self.session.models.values()],
                "folder": None if self.folder is None else self.folder.names(),
                "rewrites": [offer._asdict() for offer in REWRITES],
                "checks": [check.data() for check in self.checks.all.values()],
                "limits": {"model_bytes": self.limits.model_bytes, "longest": LONGEST},
            }
        )

    async def _begin(self) -> None:
        while self.files:  # if one fails, the next page goes on from there
            await self._opened(*self.files[0])
            self.files.pop(0)
        found, made = await self._job("library")
        for row, data in zip(found["models"], made, strict=True):
            self.session.add(row["name"], State(OPENED, data, row["summary"]), row["input"], row["note"])

    async def file(self, request: Request) -> Response:
        """Return the bytes of a model's file, as it is now or at a step that it had."""
        version = _number(request.query_params.get("version"))
        return Response(self.session.state(_number(request.path_params["model"]), version).data, media_type=BYTES)

    # Opening and closing models

    async def upload(self, request: Request) -> Response:
        """Open a model whose file the page sends."""
        data = await bytes_of(request, self.limits.model_bytes, self.limits.body_seconds)
        return _response(await self._opened(request.query_params.get("name") or "model", data))

    async def open_from_folder(self, request: Request) -> Response:
        """Open a model of the folder, by its name there."""
        given = await self._json(request, {"file": str})
        if self.folder is None:
            raise StudioError(404, "no folder was named: write weightsmith studio --folder FOLDER")
        data = await anyio.to_thread.run_sync(self.folder.read, given["file"], self.limits.model_bytes)
        return _response(await self._opened(given["file"].removesuffix(ENDING), data))

    async def copy(self, request: Request) -> Response:
        """Open a copy of a model at one of its steps."""
        given = await self._json(request, {"version": int, "name": str})
        model = self._model(request)
        state = self.session.state(model.number, given["version"])
        return _response(self.session.add(given["name"], State(OPENED, state.data, state.summary), model.input))

    async def close(self, request: Request) -> Response:
        """Close a model."""
        await self._json(request, NO_FIELDS)
        self.session.close(self._model(request))
        return JSONResponse({})

    # Steps

    async def rewrite(self, request: Request) -> Response:
        """Rewrite a model by one step."""
        given = await self._json(request, {"step": str, "value": str})
        return await self._step(request, "rewrite", given, f"{given['step'].removeprefix('--')} {given['value']}")

    async def compose(self, request: Request) -> Response:
        """Compose a model, as S or as the first one, with others."""
        given = await self._json(request, {"how": str, "formula": str, "others": list})
        others = [self.session.model(number) for number in given["others"][: len(NAMES) - 1]]
        names = NAMES[: 1 + len(others)]
        meaning = [f", {name} = {model.name}" for name, model in zip(names[1:], others, strict=True)]
        said = f"{given['formula']}{''.join(meaning)}"
        if given["how"] == "if-then-else" and len(others) == 2:
            said = f"if it says YES then {others[0].name} else {others[1].name}"
        elif given["how"] != "formula":
            said = f"beside {' and '.join(model.name for model in others)}"
        order = {"how": given["how"], "formula": given["formula"], "names": list(names)}
        return await self._step(request, "compose", order, said, others)

    async def write_fact(self, request: Request) -> Response:
        """Write a fact into a block."""
        fields: Fields = {"block": int, "key": str, "value": str, "name": str, "margin": (int, float)}
        given = await self._json(request, fields)
        return await self._step(request, "write fact", given, f"fact {given['name'] or given['key']}")

    async def edit_fact(self, request: Request) -> Response:
        """Change the key, the value and the name of a neuron, in its place."""
        fields: Fields = {"block": int, "neuron": int, "key": str, "value": str, "name": str, "margin": (int, float)}
        given = await self._json(request, fields)
        return await self._step(request, "edit fact", given, f"fact {given['name'] or given['key']}, changed")

    async def remove_fact(self, request: Request) -> Response:
        """Take a neuron out of a block."""
        given = await self._json(request, {"block": int, "neuron": int})
        said = f"without neuron {given['neuron']} of block {given['block']}"
        return await self._step(request, "remove fact", given, said)

    async def go(self, request: Request) -> Response:
        """Undo or do again, up to a step."""
        given = await self._json(request, {"version": int})
        model = self._model(request)
        self.session.go(model, given["version"])
        return _response(model)

    async def _step(
        self, request: Request, task: str, order: dict[str, Any], text: str, others: Sequence[OpenModel] = ()
    ) -> Response:
        model = self._model(request)
        before = model.state
        files = [(each.name, each.state.data) for each in (model, *others)]
        found, made = await self._job(task, files, order)
        self.session.step(model, before, State(cut(text), made[0], found["summary"]))
        return _response(model)

    # Pages and checks

    async def page(self, request: Request) -> Response:
        """Return a page in one file that shows a model on an input, and perhaps another beside it."""
        kinds: Fields = {"input": (str, type(None)), "beside": (int, type(None)), "beside_input": (str, type(None))}
        given = await self._json(request, kinds)
        models, inputs = [self._model(request)], [given["input"]]
        if given["beside"] is not None:
            models.append(self.session.model(given["beside"]))
            inputs.append(given["input"] if given["beside_input"] is None else given["beside_input"])
        files = [(model.name, model.state.data) for model in models]
        order = {"names": [model.name for model in models], "inputs": inputs}
        _, made = await self._job("page", files, order)
        return Response(made[0], media_type=BYTES)  # to be saved, not to be opened here

    async def check(self, request: Request) -> Response:
        """Start a check of one model, or of two: up to a length, or at every length where none is given."""
        kinds: Fields = {"claim": str, "models": list, "regex": str, "yes": str, "up_to": (int, type(None))}
        given = await self._json(request, kinds)
        kinds_of_claims = in_forms()
        kind = kinds_of_claims.get(given["claim"])
        if kind is None or len(given["models"]) != kind.about:
            some = ", ".join(f"{name} ({kind.about} model(s))" for name, kind in kinds_of_claims.items())
            raise StudioError(400, f"a check is about one of these claims: {some}")
        up_to = given["up_to"]
        if up_to is not None and not 1 <= up_to <= LONGEST:
            raise StudioError(
                400, f"up to {brief(up_to)}: write a length from 1 to {LONGEST}, or null for every length"
            )
        models = [self.session.model(number) for number in given["models"]]
        names = [model.name for model in models]
        what = f"{given['claim']} {cut(given['regex'])}" if kind.about == 1 else f"and {names[-1]}: {given['claim']}"
        about = [{"id": model.number, "version": model.state.version} for model in models]
        files = [(model.name, model.state.data) for model in models]
        order = {name: given[name] for name in ("claim", "regex", "yes", "up_to")}
        lengths = "at every length" if up_to is None else f"up to {up_to}"
        check = self.checks.start(f"{names[0]} {what}, {lengths}", about, files, order)
        return JSONResponse(check.data())

    async def all_checks(self, _: Request) -> Response:
        """Return the progress and the verdicts of the checks."""
        return JSONResponse({"checks": [check.data() for check in self.checks.all.values()]})

    async def cancel(self, request: Request) -> Response:
        """Cancel a check."""
        await self._json(request, NO_FIELDS)
        check = self.checks.check(_number(request.path_params["check"]))
        check.job.cancel()
        return JSONResponse(check.data())

    # Shared parts

    async def _opened(self, name: str, data: bytes) -> OpenModel:
        found, _ = await self._job("read", [(cut(name), data)])
        return self.session.add(name, State(OPENED, data, found["summary"]))

    async def _job(
        self, task: str, files: Sequence[tuple[str, bytes]] = (), order: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], list[bytes]]:
        """Do a task in a process, when there is room for one."""
        job = Job(Allowance(self.limits.job_seconds, self.limits.job_memory), task, files, order)
        self.jobs.add(job)
        try:
            return await anyio.to_thread.run_sync(job.result, limiter=self.free)
        finally:
            self.jobs.discard(job)

    async def _json(self, request: Request, fields: Fields) -> dict[str, Any]:
        return await json_of(request, fields, self.limits.json_bytes, self.limits.body_seconds)

    def _model(self, request: Request) -> OpenModel:
        return self.session.model(_number(request.path_params["model"]))


def _response(model: OpenModel) -> Response:
    return JSONResponse(model.data())


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdecimal() and len(text) <= 9 else None
