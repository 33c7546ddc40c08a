"""Loads and stores, which do not look at the bounds of their arrays, except in the debug mode."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.np import arrayobj

from weightsmith.kernels.packed.instructions import CHECKED, SIMD_BYTES, Emit, instruction, simd_of

_make_array: Emit = arrayobj.make_array


def _demand(context: Any, builder: Any, conditions: list[Any], message: str) -> None:
    """Make a function raise an IndexError where one of the conditions does not hold, in the debug mode."""
    for condition in conditions:
        with builder.if_then(builder.not_(condition), likely=False):
            context.call_conv.return_user_exc(builder, IndexError, (message,))


def _address(context: Any, builder: Any, kind: Any, count: int, array: Any, row: Any, column: Any) -> Any:
    """Return the address of an entry of a contiguous array of rows, of which `count` are used."""
    made = _make_array(kind)(context, builder, array)
    rows, columns = (builder.extract_value(made.shape, axis) for axis in (0, 1))
    if CHECKED:
        zero = ir.Constant(row.type, 0)
        end = builder.add(column, ir.Constant(column.type, count))
        inside = [builder.icmp_signed(">=", index, zero) for index in (row, column)]
        inside += [builder.icmp_signed("<", row, rows), builder.icmp_signed("<=", end, columns)]
        _demand(context, builder, inside, f"{count} entries of a row lie beyond the array")
    return builder.gep(made.data, [builder.add(builder.mul(row, columns), column)])


@instruction
def address(_typing: Any, array: Any, row: Any, column: Any) -> Any:
    """Return the address of an entry of a contiguous array of rows as a number."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        found = _address(context, builder, signature.args[0], 1, *arguments)
        return builder.ptrtoint(found, context.get_value_type(types.intp))

    return types.intp(array, types.intp, types.intp), code


@instruction
def load_at(_typing: Any, array: Any, other: Any, number: Any) -> Any:
    """Return the vector at an address, which lies in one of two arrays of one type."""
    if array != other:
        return None
    result = simd_of(array.dtype)

    def within(context: Any, builder: Any, given: Any, number: Any) -> Any:
        made = _make_array(array)(context, builder, given)
        start = builder.ptrtoint(made.data, number.type)
        entries = builder.mul(*(builder.extract_value(made.shape, axis) for axis in (0, 1)))
        end = builder.add(start, builder.mul(entries, made.itemsize))
        last = builder.add(number, ir.Constant(number.type, SIMD_BYTES))
        return builder.and_(builder.icmp_unsigned(">=", number, start), builder.icmp_unsigned("<=", last, end))

    def code(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        *arrays, number = arguments
        if CHECKED:
            inside = builder.or_(*(within(context, builder, given, number) for given in arrays))
            _demand(context, builder, [inside], "an address lies in neither array")
        found = builder.inttoptr(number, context.get_value_type(result).as_pointer())
        return builder.load(found, align=array.dtype.bitwidth // 8)

    return result(array, other, types.intp), code


@instruction
def load(_typing: Any, array: Any, row: Any, column: Any) -> Any:
    """Return the vector that begins at a column of a row."""
    result = simd_of(array.dtype)

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _address(context, builder, signature.args[0], result.count, *arguments)
        kind = context.get_value_type(result).as_pointer()
        return builder.load(builder.bitcast(address, kind), align=array.dtype.bitwidth // 8)

    return result(array, types.intp, types.intp), code


@instruction
def store(_typing: Any, array: Any, row: Any, column: Any, simd: Any) -> Any:
    """Write a vector from a column of a row on."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        *where, values = arguments
        address = _address(context, builder, signature.args[0], values.type.count, *where)
        builder.store(values, builder.bitcast(address, values.type.as_pointer()), align=array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp, simd), code


@instruction
def entry(_typing: Any, array: Any, index: Any) -> Any:
    """Return an entry of an array of one axis; indices are not negative."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        given, number = arguments
        made = _make_array(signature.args[0])(context, builder, given)
        if CHECKED:
            size = builder.extract_value(made.shape, 0)
            _demand(context, builder, [builder.icmp_unsigned("<", number, size)], "an entry lies beyond the array")
        return builder.load(builder.gep(made.data, [number]))

    return array.dtype(array, types.intp), code
