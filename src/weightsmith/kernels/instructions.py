"""Single instructions that Numba does not offer as such: integers of the carrier's own width, and bits of floats."""

from typing import Any

from numba import types
from numba.extending import intrinsic

# Integers of the carrier's own width; Numba's operators would widen them to 64 bits.


def _integer(emit: Any) -> Any:
    @intrinsic
    def operation(_typing: Any, x: Any, y: Any) -> Any:
        if not isinstance(x, types.Integer) or x != y:
            return None
        return x(x, y), lambda _context, builder, _signature, arguments: emit(builder, *arguments)

    return operation


plus = _integer(lambda builder, x, y: builder.add(x, y))
minus = _integer(lambda builder, x, y: builder.sub(x, y))
times = _integer(lambda builder, x, y: builder.mul(x, y))
shifted = _integer(lambda builder, x, y: builder.ashr(x, y))
masked = _integer(lambda builder, x, y: builder.and_(x, y))
xor = _integer(lambda builder, x, y: builder.xor(x, y))
least = _integer(lambda builder, x, y: builder.select(builder.icmp_signed("<", x, y), x, y))
most = _integer(lambda builder, x, y: builder.select(builder.icmp_signed(">", x, y), x, y))


def _cast(kinds: dict[Any, Any], emit: Any) -> Any:
    @intrinsic
    def operation(_typing: Any, x: Any) -> Any:
        if x not in kinds:
            return None

        def code(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return emit(builder, arguments[0], context.get_value_type(kinds[x]))

        return kinds[x](x), code

    return operation


_WIDER = {types.int16: types.int32, types.int32: types.int64}
_BITS = {types.float32: types.int32, types.float64: types.int64}
widened = _cast(_WIDER, lambda builder, x, kind: builder.sext(x, kind))
narrowed = _cast({wide: narrow for narrow, wide in _WIDER.items()}, lambda builder, x, kind: builder.trunc(x, kind))
bits = _cast(_BITS, lambda builder, x, kind: builder.bitcast(x, kind))
value = _cast({bits: value for value, bits in _BITS.items()}, lambda builder, x, kind: builder.bitcast(x, kind))
