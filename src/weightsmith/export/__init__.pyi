from .agreement import Agreement as Agreement
from .reading import from_hugging_face as from_hugging_face

__all__: list[str]
