"""weightsmith export."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.consoles import errors
from weightsmith.cli.loading import load_any
from weightsmith.cli.output import AsJson, ModelFile, check_outputs, print_json, say, say_written
from weightsmith.errors import InputError, brief
from weightsmith.storage import refusals, write_whole

Allowed = dict[str, Any]  # allow_… options of an exporter


def _torch(T: "lazy.Model", output: Path, dtype: Any, allowed: Allowed, exact: bool, _: Any) -> "lazy.Report":
    module = lazy.made(T, exact, dtype)  # refuses where PyTorch is missing, which `write` needs too
    return lazy.write(T, module, output, **allowed)


def _transformer_lens(
    T: "lazy.Model", output: Path, dtype: Any, allowed: Allowed, exact: bool, stock: Any
) -> "lazy.Report":
    bridge = ws.export.to_transformer_lens(T, dtype=dtype, **allowed)
    report: lazy.Report = bridge.agreement
    with refusals("cannot write", output):
        write_whole(output, lazy.bridge_bytes(T, bridge))
    return report


def _hugging_face(
    T: "lazy.Model", output: Path, dtype: Any, allowed: Allowed, exact: bool, stock: Any
) -> "lazy.Report":
    report: lazy.Report = ws.export.to_hugging_face(T, output, stock, dtype=dtype, **allowed)
    return report


def _onnx(T: "lazy.Model", output: Path, dtype: Any, allowed: Allowed, exact: bool, stock: Any) -> "lazy.Report":
    report: lazy.Report = ws.export.to_onnx(T, output, dtype=dtype, **allowed)
    return report


_WRITERS = {"torch": _torch, "transformer-lens": _transformer_lens, "hugging-face": _hugging_face, "onnx": _onnx}


def export(
    file: ModelFile,
    to: Annotated[str, typer.Option(metavar="TARGET", help=f"One of {', '.join(_WRITERS)}.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="What to write. torch: a .pt2 program, or a .safetensors of weights; transformer-lens: a .safetensors "
            "for export.load_transformer_lens; hugging-face: a directory; onnx: a file.",
        ),
    ],
    dtype: Annotated[str | None, typer.Option(help="float32, float64, bfloat16 or float16.")] = None,
    exact: Annotated[bool, typer.Option("--exact", help="torch: round after every operation.")] = False,
    stock: Annotated[str | None, typer.Option(help="hugging-face: gpt2 or llama for one without code of ours.")] = None,
    portable: Annotated[
        bool, typer.Option("--portable", help="First write the model without saturation, where that can be done.")
    ] = False,
    allow_differences: Annotated[
        bool, typer.Option("--allow-differences", help="Write it even if it decides otherwise on some input.")
    ] = False,
    allow_saturation: Annotated[
        bool,
        typer.Option(
            "--allow-saturation",
            help="Write it even if it decides otherwise where sums saturate or round midway, and say so in the files.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write a model for another tool, run what was written, and say how far it is from the original."""
    _check_options(to, exact, stock)
    check_outputs(None if to == "hugging-face" else output, read=(file,))
    T = load_any(file)
    with errors().status("writing and running …"):  # shows on a terminal only
        if portable:
            bare = ws.export.without_saturation
            T = replace(T, transformer=bare(T.transformer)) if isinstance(T, ws.Chain) else bare(T)
        allowed = {"allow_differences": allow_differences, "allow_saturation": allow_saturation}
        report = _WRITERS[to](T, output, dtype, allowed, exact, stock)
    if as_json:
        print_json({"path": str(output), **report.to_json()})
    else:
        say(str(report))
    say_written(output)


def _check_options(to: str, exact: bool, stock: str | None) -> None:
    if to not in _WRITERS:
        raise InputError(f"--to {brief(to)}: write one of {', '.join(_WRITERS)}")
    if exact and to != "torch":
        raise InputError(f"--exact is for --to torch: {to} has no rounding of its own")
    if stock is not None and to != "hugging-face":
        raise InputError("--stock is for --to hugging-face")
