"""Weightsmith: a workbench for transformers whose weights are written, not only trained.

import weightsmith as ws

Numbers     ws.Fixed(4, 4), ws.Float(4, 3), ws.Float.like("float16"), ws.Native("float32"); ws.laws(A) says what holds
Write       ws.Transformer(...) of ws.Block, ws.Attention, ws.Head, ws.FeedForward; by lane names with ws.heads,
            ws.Neuron, ws.feed_forward and ws.matrix; ready-made ones in ws.library; ws.random_transformer()
Run         r = ws.run(T, "0110"): r.decision, r.outputs, r.at("block 0 attention", position=3, lane="x"), print(r)
Look        ws.attribute, ws.lens, ws.moved, ws.patch, ws.sweep, ws.ablate, ws.ablations, ws.changed, ws.tracking
Rewrite     ws.widen, ws.flag, ws.add_vector, ws.zero_vector, ws.linear_map, ws.infinity_form, ...
Compose     S & T, S | T, S ^ T, ~T, ws.if_then_else(R, S, T), ws.compose("S & ~T | R", S=..., T=..., R=...)
Check       ws.check.recognizes(T, "(0|1)*11"), ws.check.same_decisions(S, T): for all lengths, or up_to=12;
            ws.automaton(T) is the smallest machine that decides as T does
Think       C = ws.Chain(T, prompt="=", steps=8): C(tokens), C.run(tokens), ~C, C & D, C.then(D)
Program     ws.programs.compile(rasp operation, "abc", 20), compile_rasp(text, "abc", 20): RASP as weights, proved;
            ws.programs.compile_ltl("O(a & Y b)", "ab"): temporal formulas as weights
Remember    ws.memory.write, read, edit, undo: facts in feed-forward layers
Talk        ws.next_token(T, tokens), ws.generate(T, tokens, steps)
Train       ws.train (needs PyTorch: pip install 'weightsmith[torch]')
Disguise    ws.rotate(T, seed), ws.beside(P, Q), ws.compress(P, lanes=4): known circuits in models that look trained;
            ws.train.like(P) trains a dense transformer that does what a program does, part by part
Elsewhere   ws.export.to_torch, to_transformer_lens, to_hugging_face, to_onnx, from_hugging_face (the extra `export`)
Files       ws.save(T, "model.safetensors"), ws.load("model.safetensors")
See         r.save_html("run.html"), T.save_html("model.html"): one file that shows a run, and runs other inputs
A class     ws.layer_norm_steps([2, 4, 6, 8]), ws.sinusoidal(positions=3, lanes=4), ws.diagram(T), ws.LSTM(...)
Exercises   ws.exercises.exercise(1), ws.exercises.exercise(1).check(T), ws.exercises.grade_folder("class")

help(ws.run) shows one of them. The names load when they are first used; `__init__.pyi` lists them all.
"""

from importlib import import_module

import lazy_loader

from weightsmith import operators
from weightsmith._version import __version__

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]
operators.load_with(lambda folder: import_module(f"weightsmith.{folder}"))
