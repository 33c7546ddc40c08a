from . import form as form
from . import rasp as rasp
from .graph import Program as Program
from .interpreter import ProgramRun as ProgramRun
from .interpreter import evaluate as evaluate
from .interpreter import exact_values as exact_values
from .rasp.conversion import program as program
from .rasp.pointwise import function as function
from .rasp.pointwise import where as where
from .text.reading import parse_rasp as parse_rasp
from .text.reading import rasp_programs as rasp_programs
from .text.session import Session as Session

__all__: list[str]
