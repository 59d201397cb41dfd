# SPDX-License-Identifier: MIT
"""Systems of ranks, and their MRAM as arrays."""

from __future__ import annotations

import os
from typing import Any, List, NamedTuple, Optional, Union

import numpy

from . import _core
from .area import Area
from .elements import storage
from .program import Fault, Program, Run, Symbol, fault_of


class Geometry(NamedTuple):
    """What a system is made of; sizes are bytes of a PE."""
    channels: int
    ranks_per_channel: int
    banks: int
    chips: int
    nr_pes: int
    max_tasklets: int
    mram_size: int
    wram_size: int
    layout: str


class System:
    """A system of ranks, opened by URI as pimdimm_open(3) says: "mem:ranks=4,mram=1M",
    "dev:", or None for PIMDIMM_URI, else "mem:".

    It is a context manager. close() is refused with EBUSY while views of MRAM are in use;
    leaving the block refuses further calls and gives the ranks back when the last view is
    gone. Hypercubes, plans and requests end with their system.
    """

    __slots__ = ('_handle', 'uri', 'geometry', '__weakref__')

    def __init__(self, uri: Optional[str] = None) -> None:
        self._handle = _core.open(uri)
        self.uri = uri
        self.geometry = Geometry(*self._handle.geometry())

    def __enter__(self) -> System:
        return self

    def __exit__(self, *exception: object) -> None:
        self._handle.close(True)

    def __repr__(self) -> str:
        state = 'closed' if self.closed else f'{self.nr_pes} PEs, {self.mram_size} bytes each'
        return f'<pimdimm.System {self.uri!r}: {state}>'

    def close(self) -> None:
        """Give the ranks back; what their MRAM held is gone."""
        self._handle.close(False)

    @property
    def closed(self) -> bool:
        """Whether it is."""
        return self._handle.closed()

    @property
    def nr_pes(self) -> int:
        """PEs of the whole system, 64 for each rank."""
        return self.geometry.nr_pes

    @property
    def nr_ranks(self) -> int:
        """Ranks of all channels."""
        return self.geometry.channels * self.geometry.ranks_per_channel

    @property
    def mram_size(self) -> int:
        """Bytes of MRAM of a PE."""
        return self.geometry.mram_size

    @property
    def layout(self) -> str:
        """Where blocks lie in a rank's window: "linear" or "xeon_sp"."""
        return self.geometry.layout

    # MRAM as arrays

    def area(self, dtype: Any, count: int, offset: int = 0) -> Area:
        """The place of count elements in the MRAM of every PE, from the byte offset on."""
        return Area(self, dtype, count, offset)

    def window(self, rank: int) -> Any:
        """The window of a rank as it lies, in the PIM domain, without a copy: an array of
        uint8 of shape (bytes,). It keeps the system open."""
        return numpy.asarray(memoryview(self._handle.window(rank)))

    def rank_view(self, rank: int) -> Any:
        """The MRAM of a rank without a copy: an array of uint8 of shape (banks, chips,
        mram_size), strides (8 * mram_size, 1, 8). Layout linear alone.

        What is written to it is in MRAM at once. It keeps the system open. With strict=1
        it must not be touched while PEs run."""
        if self.layout != 'linear':
            raise ValueError(f'layout {self.layout} has no views, whose bytes lie at one '
                             'stride: use mram_copy(), push() and pull()')
        size = self.mram_size
        return numpy.ndarray((8, 8, size), numpy.uint8, self._handle.window(rank), 0,
                             (8 * size, 1, 8))

    def mram_view(self, pe: int) -> Any:
        """The MRAM of one PE without a copy: an array of uint8 of shape (mram_size,) and
        stride 8, as rank_view() says. For wider types use mram_copy()."""
        if not 0 <= pe < self.nr_pes:
            raise ValueError(f'pe is {pe}: expected 0 to {self.nr_pes - 1}')
        rank, place = divmod(pe, 64)
        return self.rank_view(rank)[place // 8, place % 8]

    def mram_copy(self, pes: Union[None, int, slice] = None, dtype: Any = numpy.uint8,
                  offset: int = 0, count: Optional[int] = None) -> Any:
        """A copy of MRAM from the byte offset on, in any layout: shape (count,) for one PE,
        (PEs, count) for a slice of neighbouring PEs or, with None, all of them, by one
        domain transfer. count None is as many elements as there are."""
        if count is None:
            count = max(self.mram_size - offset, 0) // storage(dtype)[0].itemsize
        if pes is None or isinstance(pes, slice):
            start, stop, step = (pes or slice(None)).indices(self.nr_pes)
            if step != 1:
                raise ValueError(f'pes has step {step}: expected neighbouring PEs')
            return self.pull(dtype, count, offset, start, max(stop - start, 0))
        return self.read(pes, dtype, count, offset)

    def push(self, array: Any, offset: int = 0, first_pe: int = 0) -> None:
        """Copy the rows of an array of shape (PEs, ...) into MRAM, row i into that of PE
        first_pe + i from the byte offset on. offset and bytes of a row must be multiples
        of 8. Rows may lie anywhere, but each must be contiguous."""
        self._handle.push(first_pe, offset, array)

    def pull(self, dtype: Any, count: int, offset: int = 0, first_pe: int = 0,
             nr_pes: Optional[int] = None) -> Any:
        """A copy of count elements of MRAM from the byte offset on, of nr_pes PEs from
        first_pe on, or all of them: shape (PEs, count). offset and bytes of a PE must be
        multiples of 8."""
        kind = storage(dtype)[0]
        nr_pes = max(self.nr_pes - first_pe, 0) if nr_pes is None else nr_pes
        if not 0 <= count * kind.itemsize <= self.mram_size or not 0 <= nr_pes <= self.nr_pes:
            raise ValueError(f'{count} elements of {kind} of {nr_pes} PEs: there are '
                             f'{self.mram_size} bytes of {self.nr_pes} PEs')
        out = numpy.empty((nr_pes, count), kind)
        self._handle.pull(first_pe, offset, out)
        return out

    def pull_into(self, out: Any, offset: int = 0, first_pe: int = 0) -> None:
        """Like pull(), into the rows of an array that is there."""
        self._handle.pull(first_pe, offset, out)

    def broadcast(self, array: Any, offset: int = 0) -> None:
        """Copy one contiguous array into the MRAM of every PE; bytes as for push()."""
        array = numpy.asarray(array)
        self.push(numpy.broadcast_to(array, (self.nr_pes,) + array.shape), offset)

    def write(self, pe: int, array: Any, offset: int = 0) -> None:
        """Copy a contiguous array into the MRAM of one PE, at any byte."""
        self._handle.write(pe, offset, array)

    def read(self, pe: int, dtype: Any, count: int, offset: int = 0) -> Any:
        """A copy of count elements of the MRAM of one PE, from any byte on."""
        kind = storage(dtype)[0]
        if not 0 <= count * kind.itemsize <= self.mram_size:
            raise ValueError(f'{count} elements of {kind}: a PE has {self.mram_size} bytes')
        out = numpy.empty(count, kind)
        self._handle.read(pe, offset, out)
        return out

    # all of it in a file

    def save(self, path: Union[str, bytes, os.PathLike]) -> None:
        """Write all that the system holds to a file: MRAM of all PEs, where it is not zero,
        their programs with WRAM and symbols. The file is replaced as a whole or not at all.
        Refused with EBUSY while a PE runs."""
        self._handle.save(os.fsencode(path))

    def restore(self, path: Union[str, bytes, os.PathLike]) -> None:
        """Make the system hold what save() wrote, and nothing else: a system of as many
        channels, ranks and bytes of MRAM, in any layout. A damaged file is refused with
        EBADMSG, before anything changes. Areas and views are of the new contents,
        program_of() has the programs."""
        self._handle.restore(os.fsencode(path))

    # PE programs

    def _pes(self, pes: Any) -> Any:
        """Numbers of PEs, from None (all), a number, a slice or what has numbers."""
        if pes is None or isinstance(pes, slice):
            return numpy.arange(self.nr_pes, dtype=numpy.uint32)[pes or slice(None)].copy()
        numbers = numpy.atleast_1d(numpy.asarray(pes))
        if numbers.ndim != 1 or numbers.dtype.kind not in 'iu' and numbers.size:
            raise TypeError(f'pes is {pes!r}: expected numbers of PEs')
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < self.nr_pes:
            raise ValueError(f'pes has {numbers.min()} to {numbers.max()}: expected 0 to '
                             f'{self.nr_pes - 1}')
        return numbers.astype(numpy.uint32)

    def load(self, program: Union[Program, str, os.PathLike], pes: Any = None) -> Program:
        """Load a program, or the file of one, into PEs: None for all, a number, a slice, a
        list of numbers. Returns the program."""
        if not isinstance(program, Program):
            program = Program(program)
        self._handle.load(self._pes(pes), program._handle)
        return program

    def run(self, pes: Any = None, timeout_ms: int = 0, compat: bool = False) -> Run:
        """Run the loaded program on PEs until all have ended, and tell what they did.
        timeout_ms is the longest that a PE may run, 0 is PIMDIMM_WATCHDOG or a minute;
        compat lets DMAs out of hardware's rules do what hardware does with them. Raises
        Fault where a PE faulted."""
        pes = self._pes(pes)
        report = Run(self._handle.run(pes, timeout_ms, compat), pes)
        if report.nr_faulted:
            raise fault_of(report)
        return report

    def program_of(self, pe: int) -> Program:
        """The program that a PE has loaded, such as restore() brings; an Error with ENOEXEC
        where it has none."""
        return Program._of(self._handle.program_of(pe), f'(of PE {pe})')

    def log(self, pe: int) -> str:
        """What a PE printed in its last launch."""
        return self._handle.log(pe).decode(errors='backslashreplace')

    def write_symbol(self, symbol: Symbol, array: Any, pes: Any = None) -> None:
        """Copy into an object of the loaded program: an array of one value for all PEs, of
        at most its bytes, or with shape (PEs, ...) and as many rows as pes has a row each,
        where pes is given as a list or slice."""
        array, pes_given = numpy.ascontiguousarray(array), pes is not None
        numbers = self._pes(pes)
        rows = pes_given and array.ndim > 1 or array.ndim > 1 and len(array) == len(numbers)
        if rows and len(array) != len(numbers):
            raise ValueError(f'the array has {len(array)} rows: expected {len(numbers)}')
        for i, pe in enumerate(numbers.tolist()):
            row = array[i] if rows else array
            symbol.check(row.nbytes)
            if symbol.space == 'mram':
                self._handle.write(pe, symbol.address, row)
            else:
                self._handle.wram_write(pe, symbol.address, row)

    def read_symbol(self, symbol: Symbol, dtype: Any = numpy.uint8, pes: Any = None) -> Any:
        """A copy of an object of the loaded program: shape (PEs, elements)."""
        kind, numbers = storage(dtype)[0], self._pes(pes)
        out = numpy.empty((len(numbers), symbol.elements(kind)), kind)
        for row, pe in zip(out, numbers.tolist()):
            if symbol.space == 'mram':
                self._handle.read(pe, symbol.address, row)
            else:
                self._handle.wram_read(pe, symbol.address, row)
        return out


def domain_transfer(blocks: Any) -> None:
    """Transpose blocks of 64 bytes in place, between host and PIM domain: byte 8*i + j
    becomes byte 8*j + i. blocks is contiguous, and a multiple of 64 bytes."""
    _core.domain_transfer(blocks)


__all__: List[str] = ['Fault', 'Geometry', 'System', 'domain_transfer']
