from .definition import Exercise as Exercise
from .folder import Gradebook as Gradebook
from .folder import grade_folder as grade_folder
from .grade import Grade as Grade
from .grading import grade_file as grade_file
from .limits import Limits as Limits
from .tasks import EXERCISES as EXERCISES
from .tasks import exercise as exercise

__all__: list[str]
