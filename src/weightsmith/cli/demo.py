"""weightsmith demo."""

from weightsmith.cli.output import results


def demo() -> None:
    """Build a transformer by hand, run it exactly on every short input, save it and load it again."""
    from itertools import product
    from tempfile import TemporaryDirectory

    from rich.text import Text

    from weightsmith.arithmetic import Fixed
    from weightsmith.arithmetic import laws as decide
    from weightsmith.cli.run import show_decision, trace_table
    from weightsmith.files import load, save
    from weightsmith.library import contains
    from weightsmith.semantics import run

    console = results()

    def step(number: int, text: str) -> None:
        console.print(Text(f"{number}. {text}", "bold cyan"))

    A = Fixed(4, 4)
    step(1, f"An arithmetic in which every bit is defined: {A}")
    held = decide(A)
    console.print(f"   ∞ = {A.infinity}, and {sum(law.holds for law in held)} of {len(held)} laws hold, such as")
    console.print(f"   {held[1].statement}, decided by {held[1].decided}\n")

    step(2, 'A transformer written by hand: does the input contain a "1"?')
    T = contains("1", arithmetic=A)
    console.print(f"{T!r}\n")

    step(3, "One run, exactly: attention carries the 1 to every later position")
    r = run(T, "0010")
    console.print(trace_table(r, list(range(len(T.lanes)))))
    show_decision(r)

    step(4, "Every input up to length 8, against the Python expression '1' in tokens")
    inputs = [tokens for n in range(1, 9) for tokens in product("01", repeat=n)]
    wrong = [tokens for tokens in inputs if run(T, tokens).decision != ("YES" if "1" in tokens else "NO")]
    console.print(f"   {len(inputs)} inputs, {len(wrong)} wrong decisions\n")

    step(5, "Saved to one file and loaded again")
    with TemporaryDirectory() as folder:
        save(T, f"{folder}/contains.safetensors")
        same = load(f"{folder}/contains.safetensors") == T
    console.print(f"   equal to the original, bit for bit: {'yes' if same else 'NO'}\n")

    console.print("Now try:")
    console.print("   weightsmith new contains --symbol 1 -o contains.safetensors")
    console.print("   weightsmith run contains.safetensors 0010 --trace")
    console.print("   weightsmith laws 'float(3,3)'")
