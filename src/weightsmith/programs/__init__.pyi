from . import form as form
from . import rasp as rasp
from .compiler.compiled import CompiledProgram as CompiledProgram
from .compiler.passes import compile as compile
from .compiler.passes import compile_rasp as compile_rasp
from .graph import Program as Program
from .interpreter import ProgramRun as ProgramRun
from .interpreter import evaluate as evaluate
from .interpreter import exact_values as exact_values
from .ltl.compiled import CompiledFormula as CompiledFormula
from .ltl.compiled import compile_ltl as compile_ltl
from .ltl.meaning import truths as truths
from .ltl.progression import formula_automaton as formula_automaton
from .ltl.reading import parse_ltl as parse_ltl
from .proof.certificate import Certificate as Certificate
from .proof.replay import ProgramReplay as ProgramReplay
from .proof.replay import replay as replay
from .rasp.conversion import program as program
from .rasp.pointwise import function as function
from .rasp.pointwise import where as where
from .text.session import Session as Session
from .text.session import parse_rasp as parse_rasp
from .text.session import rasp_programs as rasp_programs

__all__: list[str]
