from .labelled import Labelled as Labelled
from .labelled import as_labelled as as_labelled
from .labelled import by_rule as by_rule
from .settings import Course as Course
from .settings import Shape as Shape
from .text import Text as Text
from .text import as_text as as_text
from .text import read_file as read_file
from .training import Trained as Trained
from .training import fit as fit

__all__: list[str]
