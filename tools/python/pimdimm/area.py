# SPDX-License-Identifier: MIT
"""Places in MRAM with a dtype."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy

from .elements import storage

if TYPE_CHECKING:
    from .system import System


class Area:
    """The same place in the MRAM of every PE: `count` elements of a dtype from the byte
    `offset` on. It holds no data; collectives take it as their source or destination.

    area[a:b] is the area of these elements. "bfloat16" is a dtype, too, whose arrays
    are of uint16.
    """

    __slots__ = ('system', 'offset', 'dtype', 'count', 'type')

    def __init__(self, system: System, dtype: Any, count: int, offset: int = 0,
                 *, type: Optional[int] = None) -> None:
        self.system = system
        self.dtype, number = storage(dtype)
        self.type = number if type is None else type
        self.count, self.offset = int(count), int(offset)
        if self.count < 0 or self.offset < 0:
            raise ValueError(f'an area of {count} elements from byte {offset} on: '
                             'expected no negative number')
        if self.offset + self.nbytes > system.mram_size:
            raise ValueError(f'an area ends at byte {self.offset + self.nbytes}: each PE has '
                             f'{system.mram_size} bytes of MRAM')

    @property
    def nbytes(self) -> int:
        """Bytes of it in each PE."""
        return self.count * self.dtype.itemsize

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        return f'Area({self.dtype}, {self.count}, offset={self.offset})'

    def __getitem__(self, part: slice) -> Area:
        if not isinstance(part, slice):
            raise TypeError(f'an area is indexed by {part!r}: expected a slice of elements')
        start, stop, step = part.indices(self.count)
        if step != 1:
            raise ValueError(f'an area is sliced with step {step}: its elements must be '
                             'neighbours')
        return Area(self.system, self.dtype, max(stop - start, 0),
                    self.offset + start * self.dtype.itemsize, type=self.type)

    def _fits(self, array: Any, name: str) -> Any:
        array = numpy.asarray(array)
        if array.dtype != self.dtype:
            raise TypeError(f'{name} has dtype {array.dtype}: the area has {self.dtype}')
        return array

    def push(self, array: Any, first_pe: int = 0) -> None:
        """Copy an array of shape (PEs, count) into the area of the PEs from first_pe on, by
        one domain transfer; offset and bytes of a PE must be multiples of 8."""
        array = self._fits(array, 'the array')
        if array.ndim != 2 or array.shape[1] != self.count:
            raise ValueError(f'the array has shape {array.shape}: expected (PEs, {self.count})')
        self.system.push(array, self.offset, first_pe)

    def broadcast(self, array: Any) -> None:
        """Copy an array of shape (count,) into the area of every PE."""
        array = self._fits(array, 'the array')
        if array.shape != (self.count,):
            raise ValueError(f'the array has shape {array.shape}: expected ({self.count},)')
        self.system.broadcast(array, self.offset)

    def pull(self, first_pe: int = 0, nr_pes: Optional[int] = None) -> Any:
        """A copy of the area of nr_pes PEs, all of them from first_pe on if that is None:
        an array of shape (PEs, count)."""
        return self.system.pull(self.dtype, self.count, self.offset, first_pe, nr_pes)
