# SPDX-License-Identifier: MIT
"""Types of elements and operations by the names that callers have for them."""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple, Union

try:
    import numpy
except ImportError as error:
    raise ImportError('pimdimm needs NumPy: install python3-numpy, or "pip install numpy"') \
        from error

# in the order of enum pidcomm_type
TYPES = ('int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64',
         'float16', 'bfloat16', 'float32', 'float64')
# from 1 on, as those of pidcomm_op
OPERATIONS = ('sum', 'prod', 'min', 'max', 'land', 'band', 'lor', 'bor', 'lxor', 'bxor')

# by name, or a function of two arrays
Operation = Union[str, Callable[[Any, Any], Any]]

BFLOAT16 = 'bfloat16'
_types: Dict[Any, int] = {numpy.dtype(name): number for number, name in enumerate(TYPES)
                          if name != BFLOAT16}
_operations = {name: number for number, name in enumerate(OPERATIONS, 1)}


def storage(dtype: Any) -> Tuple[Any, int]:
    """The dtype that an array has, and the number of the type, -1 for one that moves but
    cannot be reduced. NumPy has no bfloat16: arrays hold its bits as uint16."""
    if isinstance(dtype, str) and dtype == BFLOAT16:
        return numpy.dtype(numpy.uint16), TYPES.index(BFLOAT16)
    try:
        dtype = numpy.dtype(dtype)
    except (TypeError, ValueError, SyntaxError, KeyError) as wrong:
        raise TypeError(f'dtype is {dtype!r}: NumPy has none of that name') from wrong
    if dtype.hasobject:
        raise TypeError(f'dtype {dtype} holds Python objects: expected numbers')
    if dtype.itemsize == 0:
        raise TypeError(f'dtype {dtype} has no size')
    return dtype, _types.get(dtype, -1)


def reducible(dtype: Any, number: int) -> int:
    """The number, where elements of the type can be reduced."""
    if number < 0:
        raise TypeError(f'dtype {dtype} cannot be reduced: expected one of '
                        + ', '.join(TYPES))
    return number


def folding(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any, int], None]:
    """What the extension calls for a function: with bytes of elements of lower ranks, which
    receive the result, those of higher ranks, and the number of their type. The function
    gets copies, which it may keep."""
    def fold(inout: Any, other: Any, number: int) -> None:
        kind = storage(TYPES[number])[0]
        lower = numpy.frombuffer(inout, kind).copy()
        result = numpy.asarray(function(lower, numpy.frombuffer(other, kind).copy()))
        if result.shape != lower.shape:
            raise ValueError(f'op returned shape {result.shape} for arrays of shape '
                             f'{lower.shape}: expected one element for each')
        inout[:] = result.astype(kind, 'C', 'same_kind').tobytes()
    return fold


def operation(op: Operation) -> Any:
    """The number of an operation, or what the extension calls for a function."""
    if callable(op):
        return folding(op)
    try:
        return _operations[op]
    except (KeyError, TypeError):
        raise (ValueError if isinstance(op, str) else TypeError)(
            f'op is {op!r}: expected one of ' + ', '.join(OPERATIONS)
            + ', or a function of two arrays') from None
