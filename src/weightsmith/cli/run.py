"""weightsmith run."""

from pathlib import Path
from typing import Annotated, Any

import typer

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.consoles import results
from weightsmith.cli.loading import load_any
from weightsmith.cli.output import AsJson, ModelFile, Tokens, check_outputs, print_json, say, say_aside, say_written
from weightsmith.errors import InputError, ModelError, position_of
from weightsmith.storage import refusals, write_whole

HINTS = ("--lane and --position choose, --json has all", "--json has all", "--json has all")


def run(
    file: ModelFile,
    tokens: Tokens,
    trace: Annotated[
        bool, typer.Option("--trace", help="Show the stream after every sublayer, and what the heads looked at.")
    ] = False,
    lane: Annotated[list[str] | None, typer.Option(help="With --trace: show only this lane; may be repeated.")] = None,
    position: Annotated[
        list[int] | None, typer.Option(help="With --trace: show only this position; may be repeated.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", help="Write a picture of the run here, as SVG, for a paper.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run a model on an input: the decision, the logits, the outputs; with --trace, all of the stream and attention.

    Of a chain: the text and the answer; with --trace, where each head reads at every step.
    """
    if (lane or position) and not trace:
        raise InputError(f"--{'lane' if lane else 'position'} chooses what --trace shows: write --trace too")
    check_outputs(picture, read=[file])
    model = load_any(file)
    if isinstance(model, ws.Chain):
        if picture is not None:
            raise InputError("--picture is for the run of a transformer: weightsmith show plays a chain in a page")
        _run_chain(model, tokens, trace, as_json)
        return
    r = ws.run(model, tokens)
    if picture is not None:
        with refusals("cannot write", picture):
            write_whole(picture, r.svg().encode())
        say_written(picture)
    if as_json:
        print_json(_decision(r) | (_trace(r, lane, position) if trace else {}))
    else:
        page = lazy.trace.whole_page(r, lane, position, HINTS) if trace else lazy.trace.decision_page(r, HINTS[2])
        results().print(page)


def _run_chain(C: "ws.Chain", tokens: str, trace: bool, as_json: bool) -> None:
    """Print the text of a chain and its answer; with --trace, a line for each step."""
    r = C.run(tokens)
    if as_json:
        answer = r.answer if r.halted else None
        print_json({"answer": answer, "generated": r.generated, "text": r.text, "halted": r.halted})
    elif trace:
        say(str(r))
    else:
        say(r.line())


def _decision(r: "ws.Run") -> dict[str, Any]:
    logits = dict(zip(r.transformer.classes, r.logits.tolist(), strict=True))
    return {"decision": r.decision, "logits": logits, "outputs": _outputs(r), "empty_softmax": r.empty_softmax}


def _outputs(r: "ws.Run") -> list[Any] | None:
    """Return the outputs at each position; None, with a message, if a norm fails before the last one."""
    try:
        return list(r.outputs)
    except (ModelError, InputError) as error:
        say_aside(f"no outputs, because of another position: {error}")
        return None


def _trace(r: "ws.Run", lanes: list[str] | None, positions: list[int] | None) -> dict[str, Any]:
    """Return the stream by stage, position and lane, scores and weights of heads, and activations of neurons."""
    T = r.transformer
    columns = [lazy.lane_index(T, name) for name in lanes or T.lanes]
    chosen = [position_of(p, len(r.tokens)) for p in positions or range(len(r.tokens))]
    heads = [[{"scores": h.scores.tolist(), "weights": h.weights.tolist()} for h in block] for block in r.heads]
    return {
        "tokens": r.tokens,
        "positions": chosen,
        "stages": r.stages,
        "lanes": [T.lanes[j] for j in columns],
        "stream": r.stream[:, chosen][:, :, columns].tolist(),
        "attention": heads,
        "activations": [active.tolist() for active in r.activations],
    }
