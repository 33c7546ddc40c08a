"""Single instructions that Numba does not offer as such, on single values and on *packs* of neighbouring ones.

A pack is a vector of the machine code, wide enough to fill several registers: loops over packs need no proof that they
may be vectorised, and no loop for a rest. Where a single value meets a pack, it stands for a pack of equal ones.
Integers keep the carrier's own width; Numba's operators would widen them to 64 bits. Nothing is reordered, and no
product is contracted into a sum.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import extending, types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.np import arrayobj

PACK_BYTES = 256
Emit = Callable[..., Any]
_instruction: Callable[[Emit], Any] = extending.intrinsic
_make_array: Emit = arrayobj.make_array
_get_function: Emit = cgutils.get_or_insert_function


class Pack(types.Type):
    """So many values of a type."""

    def __init__(self, element: Any, count: int) -> None:
        """Name the type: equal names mean equal types."""
        self.element, self.count = element, count
        super().__init__(name=f"Pack({element}, {count})")


@extending.register_model(Pack)
class _PackModel(models.PrimitiveModel):
    def __init__(self, manager: Any, pack: Pack) -> None:
        element = manager.lookup(pack.element).get_value_type()
        super().__init__(manager, pack, ir.VectorType(element, pack.count))  # type: ignore[no-untyped-call]


def _pack_of(element: Any) -> Pack:
    return Pack(element, 8 * PACK_BYTES // element.bitwidth)


def _element(kind: Any) -> Any:
    return kind.element if isinstance(kind, Pack) else kind


def _like(kind: Any, element: Any) -> Any:
    """Return a pack of elements for a pack, and a single one for a single value."""
    return Pack(element, kind.count) if isinstance(kind, Pack) else element


def _filled(builder: Any, value: Any, pack: Any) -> Any:
    """Return a pack of equal values."""
    nothing = ir.Constant(pack, ir.Undefined)
    one = builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, nothing, ir.Constant(ir.VectorType(ir.IntType(32), pack.count), None))


def _matched(builder: Any, arguments: Any, kind: Any) -> list[Any]:
    """Return each argument as it is, or filled into a pack of a kind."""
    return [a if a.type == kind else _filled(builder, a, kind) for a in arguments]


def _operation(integer: Emit | None, real: Emit | None = None) -> Any:
    """Return an operation on two values of one type."""

    @_instruction
    def operation(_typing: Any, x: Any, y: Any) -> Any:
        element = _element(x)
        emit = integer if isinstance(element, types.Integer) else real
        if element != _element(y) or emit is None or not isinstance(element, types.Number):
            return None
        result = x if isinstance(x, Pack) else y

        def code(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            kind = context.get_value_type(result)
            return emit(builder, *_matched(builder, arguments, kind))

        return result(x, y), code

    return operation


plus = _operation(lambda builder, x, y: builder.add(x, y), lambda builder, x, y: builder.fadd(x, y))
minus = _operation(lambda builder, x, y: builder.sub(x, y), lambda builder, x, y: builder.fsub(x, y))
times = _operation(lambda builder, x, y: builder.mul(x, y), lambda builder, x, y: builder.fmul(x, y))
least = _operation(
    lambda builder, x, y: builder.select(builder.icmp_signed("<", x, y), x, y),
    lambda builder, x, y: builder.select(builder.fcmp_ordered("<", x, y), x, y),  # y, if one is no number
)
most = _operation(
    lambda builder, x, y: builder.select(builder.icmp_signed(">", x, y), x, y),
    lambda builder, x, y: builder.select(builder.fcmp_ordered(">", x, y), x, y),
)
shifted = _operation(lambda builder, x, y: builder.ashr(x, y))
raised = _operation(lambda builder, x, y: builder.shl(x, y))
masked = _operation(lambda builder, x, y: builder.and_(x, y))
xor = _operation(lambda builder, x, y: builder.xor(x, y))


@_instruction
def high_half(_typing: Any, x: Any, y: Any) -> Any:
    """Return (x·y + 2^14) / 2^15 rounded down, for int16: one instruction of many machines."""
    if _element(x) != types.int16 or _element(y) != types.int16:
        return None
    result = x if isinstance(x, Pack) else y

    def code(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        kind = context.get_value_type(result)
        x, y = _matched(builder, arguments, kind)
        if isinstance(result, Pack) and "+avx2" in context.codegen().magic_tuple()[2]:
            return _by_parts(builder, "llvm.x86.avx2.pmul.hr.sw", 16, x, y)
        wide = ir.VectorType(ir.IntType(32), kind.count) if isinstance(result, Pack) else ir.IntType(32)

        def constant(number: int) -> Any:
            return ir.Constant(wide, [number] * wide.count if isinstance(result, Pack) else number)

        product = builder.mul(builder.sext(x, wide), builder.sext(y, wide))
        return builder.trunc(builder.ashr(builder.add(product, constant(1 << 14)), constant(15)), kind)

    return result(x, y), code


def _by_parts(builder: Any, name: str, count: int, x: Any, y: Any) -> Any:
    """Apply a machine's own instruction to packs, so many values at a time."""

    def places(first: int, count: int) -> Any:
        return ir.Constant(ir.VectorType(ir.IntType(32), count), list(range(first, first + count)))

    part = ir.VectorType(x.type.element, count)
    call = _get_function(builder.module, ir.FunctionType(part, [part, part]), name)
    done = [
        builder.call(call, [builder.shuffle_vector(whole, whole, places(first, count)) for whole in (x, y)])
        for first in range(0, x.type.count, count)
    ]
    while len(done) > 1:
        together = places(0, 2 * done[0].type.count)
        done = [builder.shuffle_vector(a, b, together) for a, b in zip(done[::2], done[1::2], strict=True)]
    return done[0]


def _reduction(name: str) -> Any:
    """Return an operation on all values of a pack of integers."""

    @_instruction
    def operation(_typing: Any, x: Any) -> Any:
        def code(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            kind, element = context.get_value_type(x), context.get_value_type(x.element)
            full = f"llvm.vector.reduce.{name}.v{x.count}i{x.element.bitwidth}"
            return builder.call(_get_function(builder.module, ir.FunctionType(element, [kind]), full), arguments)

        return (x.element(x), code) if isinstance(x, Pack) and isinstance(x.element, types.Integer) else None

    return operation


largest = _reduction("smax")
smallest_unsigned = _reduction("umin")


@_instruction
def where_equal(_typing: Any, a: Any, b: Any, x: Any, y: Any) -> Any:
    """Return x where the integers a and b are equal, else y."""

    def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        a, b, x, y = arguments
        return builder.select(builder.icmp_signed("==", a, b), x, y)

    return (x(a, b, x, y), code) if a == b and x == y else None


def _cast(kinds: dict[Any, Any], emit: Emit) -> Any:
    @_instruction
    def operation(_typing: Any, x: Any) -> Any:
        if _element(x) not in kinds:
            return None
        result = _like(x, kinds[_element(x)])

        def code(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return emit(builder, arguments[0], context.get_value_type(result))

        return result(x), code

    return operation


_WIDER = {types.int16: types.int32, types.int32: types.int64}
_BITS = {types.float32: types.int32, types.float64: types.int64}
widened = _cast(_WIDER, lambda builder, x, kind: builder.sext(x, kind))
narrowed = _cast({wide: narrow for narrow, wide in _WIDER.items()}, lambda builder, x, kind: builder.trunc(x, kind))
bits = _cast(_BITS, lambda builder, x, kind: builder.bitcast(x, kind))
value = _cast({bits: value for value, bits in _BITS.items()}, lambda builder, x, kind: builder.bitcast(x, kind))


def _address(context: Any, builder: Any, kind: Any, array: Any, row: Any, place: Any) -> Any:
    """Return the address of an entry of a contiguous array of rows, without a look at its bounds."""
    made = _make_array(kind)(context, builder, array)
    columns = builder.extract_value(made.shape, 1)
    return builder.gep(made.data, [builder.add(builder.mul(row, columns), place)])


@_instruction
def address(_typing: Any, array: Any, row: Any, place: Any) -> Any:
    """Return the address of an entry of a contiguous array of rows as a number."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        found = _address(context, builder, signature.args[0], *arguments)
        return builder.ptrtoint(found, context.get_value_type(types.intp))

    return types.intp(array, types.intp, types.intp), code


@_instruction
def load_at(_typing: Any, array: Any, number: Any) -> Any:
    """Return the pack at an address; the array only says of what it is."""
    result = _pack_of(array.dtype)

    def code(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        found = builder.inttoptr(arguments[1], context.get_value_type(result).as_pointer())
        return builder.load(found, align=array.dtype.bitwidth // 8)

    return result(array, types.intp), code


@_instruction
def load(_typing: Any, array: Any, row: Any, place: Any) -> Any:
    """Return the pack that begins at a place in a row."""
    result = _pack_of(array.dtype)

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _address(context, builder, signature.args[0], *arguments)
        kind = context.get_value_type(result).as_pointer()
        return builder.load(builder.bitcast(address, kind), align=array.dtype.bitwidth // 8)

    return result(array, types.intp, types.intp), code


@_instruction
def store(_typing: Any, array: Any, row: Any, place: Any, pack: Any) -> Any:
    """Write a pack from a place in a row on."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        *where, values = arguments
        address = _address(context, builder, signature.args[0], *where)
        builder.store(values, builder.bitcast(address, values.type.as_pointer()), align=array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp, pack), code


@_instruction
def filled(_typing: Any, x: Any) -> Any:
    """Return a pack of equal values."""
    result = _pack_of(x)

    def code(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _filled(builder, arguments[0], context.get_value_type(result))

    return result(x), code


@_instruction
def entry(_typing: Any, array: Any, place: Any) -> Any:
    """Return an entry of a row, without a look at its bounds; places are not negative."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = _make_array(signature.args[0])(context, builder, arguments[0])
        return builder.load(builder.gep(made.data, [arguments[1]]))

    return array.dtype(array, types.intp), code
