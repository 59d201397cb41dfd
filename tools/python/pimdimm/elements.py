# SPDX-License-Identifier: MIT
"""Types of elements and operations by the names that callers have for them."""

from __future__ import annotations

from typing import Any, Dict, Tuple, Union

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


def operation(op: Union[str, int]) -> int:
    """The number of an operation."""
    try:
        return _operations[op]    # type: ignore[index]
    except (KeyError, TypeError):
        raise ValueError(f'op is {op!r}: expected one of ' + ', '.join(OPERATIONS)) from None
