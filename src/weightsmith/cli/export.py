"""weightsmith export."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import weightsmith as ws
from weightsmith.cli.consoles import errors
from weightsmith.cli.output import AsJson, ModelFile, check_outputs, print_json, say, say_written
from weightsmith.errors import InputError, brief

if TYPE_CHECKING:
    from weightsmith.export import Agreement

Allowed = dict[str, bool]  # what an exporter is told to let pass, by the names of its options
TARGETS = ("torch", "transformer-lens", "hugging-face", "onnx")


def export(
    file: ModelFile,
    to: Annotated[str, typer.Option(metavar="TARGET", help=f"One of {', '.join(TARGETS)}.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="What to write. torch: a .pt2 program, or a .safetensors of weights; transformer-lens: a .safetensors "
            "of weights; hugging-face: a directory; onnx: a file.",
        ),
    ],
    dtype: Annotated[str | None, typer.Option(help="float32, float64, bfloat16 or float16.")] = None,
    exact: Annotated[bool, typer.Option("--exact", help="torch: round after every operation.")] = False,
    stock: Annotated[str | None, typer.Option(help="hugging-face: gpt2 for one without code of ours.")] = None,
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
    T = ws.load(file)
    with errors().status("writing and running …"):  # shows on a terminal only
        T = _exporters().without_saturation(T) if portable else T
        allowed = {"allow_differences": allow_differences, "allow_saturation": allow_saturation}
        report = _WRITERS[to](T, output, dtype, allowed, exact, stock)
    if as_json:
        print_json({"path": str(output), **report.to_json()})
    else:
        say(str(report))
    say_written(output)


def _check_options(to: str, exact: bool, stock: str | None) -> None:
    if to not in TARGETS:
        raise InputError(f"--to {brief(to)}: write one of {', '.join(TARGETS)}")
    if exact and to != "torch":
        raise InputError(f"--exact is for --to torch: {to} has no rounding of its own")
    if stock is not None and to != "hugging-face":
        raise InputError("--stock is for --to hugging-face")


def _exporters() -> Any:
    from weightsmith import export  # here, because it loads numpy

    return export


def _torch(T: "ws.Transformer", output: Path, dtype: str | None, allowed: Allowed, exact: bool, _: Any) -> "Agreement":
    from weightsmith.export.pytorch import made

    module = made(T, exact, dtype)
    from weightsmith.export.pytorch.file import write

    return write(T, module, output, **allowed)


def _transformer_lens(
    T: "ws.Transformer", output: Path, dtype: str | None, allowed: Allowed, exact: bool, stock: Any
) -> "Agreement":
    from weightsmith.storage import refusals, write_whole

    bridge = _exporters().to_transformer_lens(T, dtype=dtype, **allowed)
    from weightsmith.export.pytorch.file import weights_bytes

    report: Agreement = bridge.agreement
    with refusals("cannot write", output):
        write_whole(output, weights_bytes(T, bridge, report.difference))
    return report


def _hugging_face(
    T: "ws.Transformer", output: Path, dtype: str | None, allowed: Allowed, exact: bool, stock: Any
) -> "Agreement":
    report: Agreement = _exporters().to_hugging_face(T, output, stock, dtype=dtype, **allowed)
    return report


def _onnx(
    T: "ws.Transformer", output: Path, dtype: str | None, allowed: Allowed, exact: bool, stock: Any
) -> "Agreement":
    report: Agreement = _exporters().to_onnx(T, output, dtype=dtype, **allowed)
    return report


_WRITERS = {"torch": _torch, "transformer-lens": _transformer_lens, "hugging-face": _hugging_face, "onnx": _onnx}
