"""weightsmith compile."""

from pathlib import Path
from typing import Annotated, Any

import typer

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.loading import save_model
from weightsmith.cli.output import OutputFile, check_outputs, memory_bytes, say, say_written
from weightsmith.cli.programs import Limits, certificate_file, compile_file, given_tokens, hand_over
from weightsmith.errors import InputError


def compile(
    output: OutputFile,
    program: Annotated[
        Path | None, typer.Argument(metavar="[PROGRAM]", help="A file of RASP text.", show_default=False)
    ] = None,
    ltl: Annotated[
        str | None, typer.Option("--ltl", metavar="FORMULA", help="Or past-time temporal logic: O(a & Y b) | (!c S a).")
    ] = None,
    circuit: Annotated[
        Path | None, typer.Option("--circuit", metavar="FILE", help="Or a Boolean circuit: an AIGER file, aag or aig.")
    ] = None,
    regex: Annotated[
        str | None,
        typer.Option("--regex", metavar="EXPRESSION", help="Or a regular expression for the whole input: (a|b)*ab."),
    ] = None,
    precision: Annotated[
        str | None, typer.Option(help="Of a circuit: constant, with lanes for addresses, or log, with large numbers.")
    ] = None,
    vocabulary: Annotated[
        str | None,
        typer.Option(
            help="Characters, or words separated by spaces or commas; of a formula or expression, else, what it names."
        ),
    ] = None,
    max_length: Annotated[
        int | None, typer.Option(help="Of a program: the longest input that it is proved for.", show_default=False)
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Of a program: which sequence operation; the last one unless given.")
    ] = None,
    causal: Annotated[bool, typer.Option("--causal", help="Of a program: no position selects a later one.")] = False,
    arithmetic: Annotated[
        str | None,
        typer.Option(
            "--into",
            "--arithmetic",
            help="The number system: else the smallest, or fixed(4,4) for a formula.",
        ),
    ] = None,
    backend: Annotated[
        str | None,
        typer.Option(help="Of a program: exact, or softmax (without saturation, for PyTorch and others)."),
    ] = None,
    portable: Annotated[bool, typer.Option("--portable", help="Old name of --backend softmax.", hidden=True)] = False,
    certificate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the lemmas of the proof here as JSON, or print them: -.")
    ] = None,
    check: Annotated[
        int | None, typer.Option(help="Of a program: also run every input up to this length against the interpreter.")
    ] = None,
    soft: Annotated[bool, typer.Option("--soft", help="Of a formula: O and H by a softmax that saturates.")] = False,
    up_to: Annotated[
        int | None,
        typer.Option(help="Of an expression that is not star-free: count, right for inputs up to this length."),
    ] = None,
    chain: Annotated[
        bool, typer.Option("--chain", help="Of an expression, with --up-to: a chain that writes one state a token.")
    ] = False,
    no_proof: Annotated[
        bool, typer.Option("--no-proof", help="Of an expression: write the weights without proving them.")
    ] = False,
    seconds: Annotated[
        float | None, typer.Option(help="How long compiling may take; as long as it needs, unless given.")
    ] = None,
    memory: Annotated[float, typer.Option(help="How much memory compiling may take, in GiB.")] = 2.0,
) -> None:
    """Make a transformer of a RASP program, a temporal formula, a regular expression or a circuit; write it to a file.

    A program says something at every position: weightsmith run shows it. A formula is YES where it holds at the last.
    An expression is YES for the inputs that match it as a whole; a star-free one is proved at every length.
    A circuit reads its inputs as bits, and writes the value of one gate after the other: weightsmith generate.

    In formulas Y f: f held just before. O f: once, up to here. H f: always, up to here. f S g: f ever since g. O< H< S<
    leave out the position itself. Connectives are ! & | ^ -> <->.
    """
    if [program, ltl, circuit, regex].count(None) != 3:
        raise InputError(
            "what is to be compiled? write a file, as in program.rasp, or --ltl 'O(a & Y b)', or --regex '(a|b)*ab', "
            "or --circuit adder.aag"
        )
    A = None if arithmetic is None else ws.parse_arithmetic(arithmetic)
    budget = Limits(seconds, memory_bytes(memory))
    if regex is not None:
        _refuse(
            max_length=max_length, name=name, causal=causal, backend=backend, portable=portable, check=check, soft=soft,
            precision=precision, of="an expression",
        )  # fmt: skip
        _compile_regex(regex, output, given_tokens(vocabulary), A, up_to, certificate, budget, chain, not no_proof)
        return
    _refuse(up_to=up_to, chain=chain, no_proof=no_proof, of="a program, formula or circuit")
    if circuit is not None:
        _refuse(
            vocabulary=vocabulary, max_length=max_length, name=name, causal=causal, backend=backend, portable=portable,
            check=check, soft=soft, seconds=seconds, of="a circuit",
        )  # fmt: skip
        _compile_circuit(circuit, output, precision, A, certificate)
        return
    _refuse(precision=precision, of="a program or formula")
    if program is not None:
        _refuse(soft=soft, of="a program")
        compile_file(
            program, output, given_tokens(vocabulary), max_length, name,
            causal=causal, arithmetic=A, backend="softmax" if portable else backend or "exact",
            certificate=certificate, check=check, limits=budget,
        )  # fmt: skip
        return
    assert ltl is not None
    _refuse(
        max_length=max_length, name=name, causal=causal, backend=backend, portable=portable, check=check, of="a formula"
    )
    check_outputs(output, certificate_file(certificate))
    tokens = given_tokens(vocabulary) or _tokens_of(ltl)
    formula = ws.programs.compile_ltl(ltl, tokens, A, soft=soft, seconds=budget.seconds, memory=budget.memory)
    proof = None if certificate is None else formula.certificate()
    save_model(formula.transformer, output, str(formula))
    if certificate is not None and proof is not None:
        hand_over(proof, certificate)


def _compile_circuit(
    circuit: Path, output: Path, precision: Any, arithmetic: "ws.Arithmetic | None", certificate: Path | None
) -> None:
    """Compile a circuit in an AIGER file; write its transformer and, if wanted, the proof."""
    check_outputs(output, certificate_file(certificate), read=[circuit])
    C = ws.programs.compile_circuit(circuit, precision or "constant", arithmetic)
    proof = None if certificate is None else C.certificate()
    save_model(C, output, f"{C.circuit}\n{C!r}")
    if certificate is not None and proof is not None:
        hand_over(proof, certificate)


def _compile_regex(
    regex: str,
    output: Path,
    vocabulary: tuple[str, ...] | None,
    arithmetic: "ws.Arithmetic | None",
    up_to: int | None,
    certificate: Path | None,
    limits: Limits,
    chain: bool,
    prove: bool,
) -> None:
    """Compile a regular expression; write its transformer, or its chain, and the proof if wanted."""
    if certificate is not None and not prove:
        raise InputError("--certificate is the proof, which --no-proof leaves out: leave out one of the two")
    check_outputs(output, certificate_file(certificate))
    if chain:
        C = ws.programs.compile_regex(regex, vocabulary, arithmetic, up_to, chain=True)
        save_model(C, output, repr(C))
        if certificate is not None:
            hand_over(C.certificate(), certificate)
        return
    P = ws.programs.compile_regex(
        regex, vocabulary, arithmetic, up_to, prove=prove, seconds=limits.seconds, memory=limits.memory
    )
    save_model(P.transformer, output, f"{P!r}\n{P.verdict}" if prove else repr(P))
    if certificate is not None and certificate_file(certificate) is None:
        say(f"\n{P.verdict.to_json()}")
    elif certificate is not None:
        P.verdict.save(certificate, [output.name])
        say_written(certificate)


def _refuse(of: str, **options: object) -> None:
    """Refuse options that would have no effect."""
    for name, value in options.items():
        if value is not None and value is not False:
            raise InputError(f"--{name.replace('_', '-')} is not for {of}: leave it out")


def _tokens_of(formula: str) -> tuple[str, ...]:
    """Return the tokens that a formula names, in its order."""
    parts = lazy.formulas.in_order(ws.programs.parse_ltl(formula))
    named = [part.name for part in parts if isinstance(part, lazy.formulas.Token)]
    if not named:
        raise InputError("the formula names no token: write --vocabulary abc, for example")
    return tuple(named)
