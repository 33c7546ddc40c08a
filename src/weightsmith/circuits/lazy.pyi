from .backward import Batch as Batch
from .backward import norms_at_parts as norms_at_parts
from .backward import scores_of_pairs as scores_of_pairs
from .tapped import Tapped as Tapped

__all__: list[str]
