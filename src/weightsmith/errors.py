"""Everything that Weightsmith refuses: each error names the thing, the value and what to write instead."""


class WeightsmithError(ValueError):
    """The base of every error raised on purpose by Weightsmith."""


class LawError(WeightsmithError):
    """A rewrite needs a law that the arithmetic lacks."""


class ModelError(WeightsmithError):
    """A transformer, or a part of one, is malformed."""


class InputError(WeightsmithError):
    """A value, a text or a name given to Weightsmith does not fit."""


class FileError(ModelError):
    """A file does not hold a valid transformer, or cannot be read or written."""
