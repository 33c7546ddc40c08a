from .agreement import Agreement as Agreement

__all__: list[str]
