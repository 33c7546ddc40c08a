"""Models that look trained: another basis of the stream, distractors, superposition; with the truth about each."""

from weightsmith.disguises.compression import Compressed, compress
from weightsmith.disguises.dictionary import Dictionary, Score
from weightsmith.disguises.disguised import Disguised, read_models
from weightsmith.disguises.distractors import beside
from weightsmith.disguises.rotation import rotate
from weightsmith.disguises.samples import Samples
from weightsmith.inspect.comparison import Compared

__all__ = [
    "Compared",
    "Compressed",
    "Dictionary",
    "Disguised",
    "Samples",
    "Score",
    "beside",
    "compress",
    "read_models",
    "rotate",
]
