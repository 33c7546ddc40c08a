"""Single instructions that Numba does not offer as such, on single values and on SIMD vectors of neighbouring ones.

A SIMD vector is a vector of the machine code, wide enough to fill several registers: loops over them need no proof that
they may be vectorised, and no loop for a remainder. Where a single value meets a vector, it stands for one of equal
elements. Integers keep the carrier's own width; Numba's operators would widen them to 64 bits. Nothing is reordered,
and no product is contracted into a sum.
"""

import os
from collections.abc import Callable
from typing import Any

import numba as nb
from llvmlite import ir
from numba import extending, types
from numba.core import cgutils
from numba.core.datamodel import models

from weightsmith.kernels.packed.parts import Part

Emit = Callable[..., Any]
SIMD_BYTES = 256
CHECKED = os.environ.get("WEIGHTSMITH_CHECKED_KERNELS") == "1"  # the debug mode: an access out of bounds is an error
# For functions that only compiled functions call: no wrappers for Python, and no machine code of their own.
INTERNAL: dict[str, Any] = {
    "pipeline_class": Part,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "error_model": "numpy",
    "boundscheck": CHECKED,
}
INLINED = {**INTERNAL, "forceinline": True}  # by LLVM, at any size
_njit: Callable[..., Callable[[Emit], Any]] = nb.njit
internal, inlined = _njit(**INTERNAL), _njit(**INLINED)
instruction: Callable[[Emit], Any] = extending.intrinsic
_get_function: Emit = cgutils.get_or_insert_function


class Simd(types.Type):
    """A SIMD vector: a fixed number of values of a type."""

    def __init__(self, element: Any, count: int) -> None:
        """Name the type: equal names mean equal types."""
        self.element, self.count = element, count
        super().__init__(name=f"Simd({element}, {count})")


@extending.register_model(Simd)
class _SimdModel(models.PrimitiveModel):
    def __init__(self, manager: Any, simd: Simd) -> None:
        element = manager.lookup(simd.element).get_value_type()
        super().__init__(manager, simd, ir.VectorType(element, simd.count))  # type: ignore[no-untyped-call]


def simd_of(element: Any) -> Simd:
    """Return the type of SIMD vectors of a type."""
    return Simd(element, 8 * SIMD_BYTES // element.bitwidth)


def _element(kind: Any) -> Any:
    return kind.element if isinstance(kind, Simd) else kind


def _like(kind: Any, element: Any) -> Any:
    """Return a vector of elements for a vector, and a single one for a single value."""
    return Simd(element, kind.count) if isinstance(kind, Simd) else element


def _filled(builder: Any, value: Any, kind: Any) -> Any:
    """Return a vector of equal values."""
    nothing = ir.Constant(kind, ir.Undefined)
    one = builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, nothing, ir.Constant(ir.VectorType(ir.IntType(32), kind.count), None))


def _matched(builder: Any, arguments: Any, kind: Any) -> list[Any]:
    """Return each argument as it is, or filled into a vector of a kind."""
    return [a if a.type == kind else _filled(builder, a, kind) for a in arguments]


def _operation(integer: Emit | None, real: Emit | None = None) -> Any:
    """Return an operation on two values of one type."""

    @instruction
    def operation(_typing: Any, x: Any, y: Any) -> Any:
        element = _element(x)
        emit = integer if isinstance(element, types.Integer) else real
        if element != _element(y) or emit is None or not isinstance(element, types.Number):
            return None
        result = x if isinstance(x, Simd) else y

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
    lambda builder, x, y: builder.select(builder.fcmp_ordered("<", x, y), x, y),  # y, if one is NaN
)
most = _operation(
    lambda builder, x, y: builder.select(builder.icmp_signed(">", x, y), x, y),
    lambda builder, x, y: builder.select(builder.fcmp_ordered(">", x, y), x, y),
)
shifted = _operation(lambda builder, x, y: builder.ashr(x, y))
raised = _operation(lambda builder, x, y: builder.shl(x, y))
masked = _operation(lambda builder, x, y: builder.and_(x, y))
xor = _operation(lambda builder, x, y: builder.xor(x, y))


@instruction
def high_half(_typing: Any, x: Any, y: Any) -> Any:
    """Return (x·y + 2^14) / 2^15 rounded down, for int16: one instruction of many machines."""
    if _element(x) != types.int16 or _element(y) != types.int16:
        return None
    result = x if isinstance(x, Simd) else y

    def code(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        kind = context.get_value_type(result)
        x, y = _matched(builder, arguments, kind)
        if isinstance(result, Simd) and "+avx2" in context.codegen().magic_tuple()[2]:
            return _by_parts(builder, "llvm.x86.avx2.pmul.hr.sw", 16, x, y)
        wide = ir.VectorType(ir.IntType(32), kind.count) if isinstance(result, Simd) else ir.IntType(32)

        def constant(number: int) -> Any:
            return ir.Constant(wide, [number] * wide.count if isinstance(result, Simd) else number)

        product = builder.mul(builder.sext(x, wide), builder.sext(y, wide))
        return builder.trunc(builder.ashr(builder.add(product, constant(1 << 14)), constant(15)), kind)

    return result(x, y), code


def _by_parts(builder: Any, name: str, count: int, x: Any, y: Any, *more: Any) -> Any:
    """Apply a machine's own instruction, with `more` constants, to vectors, `count` values at a time."""

    def elements(first: int, count: int) -> Any:
        return ir.Constant(ir.VectorType(ir.IntType(32), count), list(range(first, first + count)))

    part = ir.VectorType(x.type.element, count)
    kinds = [part, part, *(constant.type for constant in more)]
    call = _get_function(builder.module, ir.FunctionType(part, kinds), name)
    done = [
        builder.call(call, [*(builder.shuffle_vector(whole, whole, elements(first, count)) for whole in (x, y)), *more])
        for first in range(0, x.type.count, count)
    ]
    while len(done) > 1:
        joined = elements(0, 2 * done[0].type.count)
        done = [builder.shuffle_vector(a, b, joined) for a, b in zip(done[::2], done[1::2], strict=True)]
    return done[0]


def _full(name: str, kind: Any) -> str:
    """Return the name of an LLVM function of floats for a type."""
    count, element = (f"v{kind.count}", kind.element) if isinstance(kind, ir.VectorType) else ("", kind)
    return f"llvm.{name}.{count}f{32 if isinstance(element, ir.FloatType) else 64}"


def _of_size(choice: int, otherwise: Emit) -> Any:
    """Return an operation that compares the sizes of floats: `choice` is that of an instruction of AVX-512."""

    @instruction
    def operation(_typing: Any, x: Any, size: Any) -> Any:
        element = _element(x)
        if element != size or not isinstance(element, types.Float):
            return None

        def code(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            kind = context.get_value_type(x)
            x_value, sizes = _matched(builder, arguments, kind)
            if not isinstance(x, Simd) or "+avx512dq" not in context.codegen().magic_tuple()[2]:
                return otherwise(builder, x_value, sizes)
            count, word = 512 // element.bitwidth, ir.IntType(32)
            name = f"llvm.x86.avx512.mask.range.p{'s' if element.bitwidth == 32 else 'd'}.512"
            part, lanes = ir.VectorType(kind.element, count), ir.IntType(count)
            constants = ir.Constant(word, choice), ir.Constant(part, ir.Undefined), ir.Constant(lanes, -1)
            return _by_parts(builder, name, count, x_value, sizes, *constants, ir.Constant(word, 4))  # 4: as it rounds

        return x(x, size), code

    return operation


def _emit_clamped(builder: Any, x: Any, size: Any) -> Any:
    above = builder.select(builder.fcmp_ordered(">", x, builder.fneg(size)), x, builder.fneg(size))
    return builder.select(builder.fcmp_ordered("<", above, size), above, size)


def _emit_at_least(builder: Any, x: Any, size: Any) -> Any:
    def call(name: str, *arguments: Any) -> Any:
        kind = ir.FunctionType(x.type, [x.type] * len(arguments))
        return builder.call(_get_function(builder.module, kind, _full(name, x.type)), arguments)

    positive = call("fabs", x)
    return call("copysign", builder.select(builder.fcmp_ordered(">", positive, size), positive, size), x)


clamped = _of_size(2, _emit_clamped)  # x, or ±size beyond it
at_least = _of_size(3, _emit_at_least)  # x, or ±size where |x| is smaller


@instruction
def times_plus(_typing: Any, x: Any, y: Any, z: Any) -> Any:
    """Return x·y + z, where it does not matter if the product is rounded before: some machines do so, others not."""
    result = next((kind for kind in (x, y, z) if isinstance(kind, Simd)), x)
    if len({_element(kind) for kind in (x, y, z)}) > 1 or not isinstance(_element(x), types.Float):
        return None

    def code(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        kind = context.get_value_type(result)
        call = _get_function(builder.module, ir.FunctionType(kind, [kind] * 3), _full("fmuladd", kind))
        return builder.call(call, _matched(builder, arguments, kind))

    return result(x, y, z), code


def _reduction(name: str) -> Any:
    """Return an operation on all values of a vector of integers."""

    @instruction
    def operation(_typing: Any, x: Any) -> Any:
        def code(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            kind, element = context.get_value_type(x), context.get_value_type(x.element)
            full = f"llvm.vector.reduce.{name}.v{x.count}i{x.element.bitwidth}"
            return builder.call(_get_function(builder.module, ir.FunctionType(element, [kind]), full), arguments)

        return (x.element(x), code) if isinstance(x, Simd) and isinstance(x.element, types.Integer) else None

    return operation


largest = _reduction("smax")


@instruction
def where_equal(_typing: Any, a: Any, b: Any, x: Any, y: Any) -> Any:
    """Return x where the integers a and b are equal, else y."""

    def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        a, b, x, y = arguments
        return builder.select(builder.icmp_signed("==", a, b), x, y)

    return (x(a, b, x, y), code) if a == b and x == y else None


@instruction
def negative(_typing: Any, x: Any) -> Any:
    """Return −x; of a float 0 it is the other 0."""

    def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.neg(*arguments) if isinstance(_element(x), types.Integer) else builder.fneg(*arguments)

    return (x(x), code) if isinstance(_element(x), types.Number) else None


def _cast(kinds: dict[Any, Any], emit: Emit) -> Any:
    @instruction
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
real = _cast({types.int16: types.float32, types.int32: types.float64}, lambda builder, x, kind: builder.sitofp(x, kind))
value = _cast({bits: value for value, bits in _BITS.items()}, lambda builder, x, kind: builder.bitcast(x, kind))


@instruction
def filled(_typing: Any, x: Any) -> Any:
    """Return a vector of equal values."""
    result = simd_of(x)

    def code(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _filled(builder, arguments[0], context.get_value_type(result))

    return result(x), code
