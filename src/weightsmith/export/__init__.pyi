from .agreement import Agreement as Agreement
from .hugging_face.writing import to_hugging_face as to_hugging_face

__all__: list[str]
