from .compare import Comparison as Comparison
from .compare import compare as compare
from .corpus import corpus as corpus
from .labelled import Labelled as Labelled
from .labelled import as_labelled as as_labelled
from .labelled import by_predicate as by_predicate
from .labelled import read_labelled as read_labelled
from .predicates import predicate as predicate
from .records import draw_comparison as draw_comparison
from .records import draw_losses as draw_losses
from .records import picture_format as picture_format
from .records import write_log as write_log
from .rounding import Rounding as Rounding
from .rounding import rounded as rounded
from .rounding import rounded_into as rounded_into
from .settings import Course as Course
from .settings import Shape as Shape
from .text import Text as Text
from .text import as_text as as_text
from .text import read_file as read_file
from .training import Trained as Trained
from .training import fit as fit

__all__: list[str]
