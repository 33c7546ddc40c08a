"""A transformer, or a chain, as tensors and one JSON object, and back.

The JSON has the fields of the dataclasses under their own names; a part names its `kind`. Arrays are not in the JSON:
they are tensors whose names say where they belong, such as `blocks.0.attention.heads.1.W_Q`.
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from weightsmith.arithmetic import Arithmetic, Weights, parse_arithmetic
from weightsmith.arithmetic.immutable import NotFiniteError, held
from weightsmith.errors import FileError, brief
from weightsmith.model import Chain, Transformer, named_arrays
from weightsmith.model.frozen import Frozen, array_axes, optional_arrays
from weightsmith.model.story import attached

FORMAT_VERSION = 1
MAX_PARTS = 1 << 16
Tensors = dict[str, Weights]
Kinds = dict[str, type[Frozen]]  # of parts, by their names in files


def encode(model: Transformer | Chain) -> tuple[Tensors, dict[str, Any]]:
    """Return the tensors and the JSON object of a transformer, or of a chain."""
    if isinstance(model, Chain):
        return dict(named_arrays(model.transformer, history=True)), chain_structure(model)
    story = {} if model.told is None else {"story": model.told.to_json()}
    return dict(named_arrays(model, history=True)), structure(model) | story


def structure(T: Transformer) -> dict[str, Any]:
    """Return the JSON object alone, which names the tensors that belong to it."""
    names = [name for name, _ in named_arrays(T, history=True)]
    return {"version": FORMAT_VERSION, **_plain_fields(T), "tensors": names}


def chain_structure(C: Chain) -> dict[str, Any]:
    """Return the JSON object of a chain: that of its transformer, with the rest of the chain under "chain"."""
    if callable(C.steps):
        raise FileError("its steps are a Python function, which a file cannot hold: write steps='2*n + 1' or a number")
    rest = {field.name: getattr(C, field.name) for field in fields(Chain) if field.name != "transformer"}
    return structure(C.transformer) | {"chain": {name: _plain(value) for name, value in rest.items()}}


def decode(tensors: Tensors, metadata: dict[str, Any]) -> Transformer | Chain:
    """Return the transformer, or the chain where the metadata has one: see `decode_transformer`."""
    chain, story = metadata.pop("chain", None), metadata.pop("story", None)
    if chain is not None and story is not None:
        raise FileError("it has a chain and a story, and the story of a chain is not played")
    T = decode_transformer(tensors, metadata)
    if chain is None:
        return T if story is None else attached(T, _story(story), by_vocabulary=True)
    known = {field.name for field in fields(Chain)} - {"transformer"}
    if not isinstance(chain, dict) or chain.keys() != known:
        raise FileError(f"its chain is not an object with just the keys {', '.join(sorted(known))}")
    for name in ("prompt", "until", "inputs", "answers"):
        if not isinstance(chain[name], list):
            raise FileError(f"the {name} of its chain are not a list")
    if not all(isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) for pair in chain["answers"]):
        raise FileError("the answers of its chain are not pairs of a token and an answer")
    return Chain(T, **chain)


def _story(found: object) -> dict[str, Any]:
    """Return the story of a file: a JSON object."""
    if not isinstance(found, dict):
        raise FileError(f"its story is not an object, and is {brief(found)}")
    return found


def decode_transformer(tensors: Tensors, metadata: dict[str, Any]) -> Transformer:
    """Return the transformer; refuse unknown versions, keys, kinds and tensors. The model checks the rest.

    The tensors are taken out of their dictionary one by one, so that they need not all be there twice.
    """
    version = metadata.pop("version", None)
    if type(version) is not int or version != FORMAT_VERSION:
        raise FileError(f"it has format version {brief(version)}, and this Weightsmith reads version {FORMAT_VERSION}")
    listed = metadata.pop("tensors", None)
    if (
        not isinstance(listed, list)
        or len(listed) != len(tensors)
        or not all(isinstance(name, str) for name in listed)
        or set(listed) != tensors.keys()
    ):
        raise FileError("the tensors in it are not those that its metadata lists")
    arithmetic = parse_arithmetic(metadata.get("arithmetic", ""))
    for name in listed:
        tensors[name] = _checked(name, tensors[name], arithmetic)
    metadata["arithmetic"] = arithmetic
    if not isinstance(metadata.get("vocabulary"), list):
        raise FileError("its vocabulary is not a list")
    _check_count(metadata)
    T: Transformer = _part(Transformer, metadata, tensors, "", dict(_kinds()))
    if tensors:
        raise FileError(f"it has a tensor that belongs nowhere: {brief(min(tensors))}")
    return T


def _checked(name: str, tensor: Weights, arithmetic: Arithmetic) -> Weights:
    """Return a tensor as models hold it; refuse other types, and numbers that are not finite."""
    if tensor.dtype != arithmetic.stored:
        stored = arithmetic.stored
        raise FileError(f"tensor {brief(name)} has dtype {tensor.dtype}, and {arithmetic} is stored as {stored}")
    try:
        return held(tensor)
    except NotFiniteError as error:
        raise FileError(
            f"tensor {brief(name)} is {error.value} at {error.place}: every weight must be a finite number"
        ) from None


def _check_count(metadata: dict[str, Any]) -> None:
    """Refuse more parts than a model has: each takes its time to be checked."""
    level, count = [metadata], 0
    while level:
        count += len(level)
        if count > MAX_PARTS:
            raise FileError(f"it has more than {MAX_PARTS:,} parts")
        values = [value for part in level for value in part.values()]
        level = [item for value in values for item in (value if isinstance(value, list) else [value])]
        level = [item for item in level if isinstance(item, dict)]


def _kinds(kind: type[Frozen] = Frozen) -> Iterator[tuple[str, type[Frozen]]]:
    """Yield every kind of part with its name in files: whatever is frozen, but for whole models."""
    for part in kind.__subclasses__():
        yield from _kinds(part)
        if is_dataclass(part) and not issubclass(part, Transformer | Chain):
            yield part.stored_as(), part


def _plain_fields(part: Frozen) -> dict[str, Any]:
    arrays = array_axes(type(part))
    values = {field: getattr(part, field.name) for field in fields(part) if field.name not in arrays}  # type: ignore[arg-type]
    written = {field: value for field, value in values.items() if value or not field.metadata.get("files omit empty")}
    return {field.name: _plain(value) for field, value in written.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Frozen):
        return {"kind": value.stored_as(), **_plain_fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Arithmetic) else value


def _value(value: Any, tensors: Tensors, name: str, kinds: Kinds) -> Any:
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return [_value(item, tensors, f"{name}.{i}", kinds) for i, item in enumerate(value)]
    if isinstance(value, dict):
        kind = value.pop("kind", None)
        if not isinstance(kind, str) or kind not in kinds:
            raise FileError(f"{name} has the unknown kind {brief(kind)}")
        return _part(kinds[kind], value, tensors, name, kinds)
    return value


def _part(kind: type[Frozen], values: dict[str, Any], tensors: Tensors, name: str, kinds: Kinds) -> Any:
    arrays = array_axes(kind)
    plain = [field for field in fields(kind) if field.name not in arrays]  # type: ignore[arg-type]
    known = {field.name for field in plain}
    wanted = {field.name for field in plain if not field.metadata.get("old files lack it")}
    odd = sorted((wanted - set(values)) | (set(values) - known))
    if odd:
        problem = "lacks the key" if odd[0] in wanted else "has the unknown key"
        raise FileError(f"{name or 'the metadata'} {problem} {brief(odd[0])}")
    prefix = f"{name}." if name else ""
    built = {key: _value(value, tensors, f"{prefix}{key}", kinds) for key, value in values.items()}
    built |= {array: tensors.pop(f"{prefix}{array}", None) for array in arrays}
    for array in arrays:
        shared = array == "output" and built.get("tied") is True  # it is the embedding
        if built[array] is None and not shared and array not in optional_arrays(kind):
            raise FileError(f"the tensor {brief(prefix + array)} is missing")
    return kind(**built)
