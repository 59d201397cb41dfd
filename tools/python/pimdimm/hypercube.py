# SPDX-License-Identifier: MIT
"""Hypercubes and the eight collectives on them."""

from __future__ import annotations

import math
from typing import Any, Dict, Iterable, NamedTuple, Optional, Tuple, Union

import numpy

from . import _core
from ._core import Plan, Request
from .area import Area
from .elements import Operation, operation, reducible, storage
from .system import System

COLLECTIVES = ('alltoall', 'reduce_scatter', 'allreduce', 'allgather', 'scatter', 'gather',
               'reduce', 'broadcast')
(ALLTOALL, REDUCE_SCATTER, ALLREDUCE, ALLGATHER, SCATTER, GATHER, REDUCE,
 BROADCAST) = range(8)

Axes = Union[None, str, int, Iterable[Union[str, int]]]
Place = Union[Area, slice, int]


class Stats(NamedTuple):
    """What the last call moved, over all its groups: blocks are of 64 bytes, ns is the
    wall time of the call."""
    mram_blocks_read: int
    mram_blocks_written: int
    domain_transfers: int
    host_bytes_read: int
    host_bytes_written: int
    pe_bytes_moved: int
    ns: int


def place(where: Place, name: str) -> Tuple[int, Optional[int]]:
    """Offset in MRAM and bytes, None where these are not said."""
    if isinstance(where, Area):
        return where.offset, where.nbytes
    if isinstance(where, slice):
        if where.step not in (None, 1) or where.stop is None or \
                not 0 <= (where.start or 0) <= where.stop:
            raise ValueError(f'{name} is {where}: expected slice(first byte, end)')
        return where.start or 0, where.stop - (where.start or 0)
    if isinstance(where, int):
        return where, None
    raise TypeError(f'{name} is a {type(where).__name__}: expected an Area, a slice of bytes '
                    'or an offset')


def entangled(pes: Any) -> Any:
    """Numbers of the entangled groups that PEs are."""
    lanes = numpy.arange(8, dtype=numpy.uint32)
    if pes.size % 8 or (pes.reshape(-1, 8) != pes[::8, None] + lanes).any() or \
            (pes[::8] % 8).any():
        raise ValueError(f'pes has {pes.size} PEs: expected whole entangled groups, '
                         '8 PEs from a multiple of 8 on')
    return numpy.ascontiguousarray(pes[::8] // 8)


class Hypercube:
    """A virtual hypercube over the first PEs of a system: dims are the lengths of its axes,
    the first the fastest, node i is PE i. Every length but the last is a power of two,
    their product a multiple of 8. names, one for each axis, are another way to call them.

    pes lays it over others than the first: a slice or numbers of PEs, of which node i is
    on the i-th. They are whole entangled groups, 8 PEs from a multiple of 8 on, in any
    order; their number is the product. Hypercubes that have no PE in common may be used at
    once, a thread each, and what befalls a rank of which one has no PE is nothing to it.
    `pes` is an array of them.

    axes of a call are those that form its groups: a string of a character for each axis,
    "10"; the number or the name of one; several of them; None is all. Members of a group
    are ranked, and groups numbered, by the coordinates on the chosen, respectively the
    other, axes, the first the fastest.

    Sources and destinations in MRAM are an Area, a slice of bytes, or for destinations an
    offset; the same place in every PE. A destination of None is the source's place. A
    reduction needs a dtype, which an Area has, and op, one of sum, prod, min, max, land,
    band, lor, bor, lxor, bxor, or a function: op(lower, higher) gets two arrays of one
    dimension, elements of lower and of higher ranks, and returns as many results. It need
    not commute, but be associative; it is called from several threads, in pieces of any
    size, also for elements that no result depends on. What it raises, the call raises, and
    the destination is then undefined. Functions are slow, and for calls alone, not for
    plans and requests. Offsets are multiples of 8; with n members, bytes of a PE
    are multiples of 8n on the larger side of alltoall, reduce_scatter and allgather, of 8
    for the others.

    plan_NAME() prepares the call of a collective and returns a Plan; iNAME() begins it in
    the background and returns a Request. Both keep the array that they read or write.
    Several threads may use a hypercube: one waits for the other.
    """

    __slots__ = ('_handle', 'system', 'dims', 'names', 'pes', '_axes', '__weakref__')

    def __init__(self, system: System, dims: Iterable[int],
                 names: Optional[Iterable[str]] = None, pes: Any = None) -> None:
        self.dims = tuple(dims)
        self.names = tuple(names) if names is not None else ()
        self._axes: Dict[Any, Tuple[str, int, int]] = {}
        if self.names and (len(set(self.names)) != len(self.dims) or
                           len(self.names) != len(self.dims)):
            raise ValueError(f'names is {self.names}: expected {len(self.dims)} different ones')
        if any(not isinstance(name, str) or not name.strip('01') for name in self.names):
            raise ValueError(f'names is {self.names}: expected words, which are not of 0 and 1')
        self.system = system
        self.pes = system._pes(pes)
        self._handle = _core.hypercube(system._handle, self.dims,
                                       None if pes is None else entangled(self.pes))
        self.pes = self.pes[:math.prod(self.dims)]

    def __enter__(self) -> Hypercube:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f'<pimdimm.Hypercube {" x ".join(map(str, self.dims))}>'

    def close(self) -> None:
        """End its life: its requests are waited for, and have no result; MRAM keeps its
        contents."""
        self._handle.close()

    # axes, groups

    def _axis(self, axis: Union[str, int]) -> int:
        if isinstance(axis, str) and axis in self.names:
            return self.names.index(axis)
        if isinstance(axis, int) and not isinstance(axis, bool) and \
                -len(self.dims) <= axis < len(self.dims):
            return axis % len(self.dims)
        raise ValueError(f'axis {axis!r}: expected 0 to {len(self.dims) - 1}'
                         + (' or one of ' + ', '.join(self.names) if self.names else ''))

    def _resolve(self, axes: Axes) -> str:
        if axes is None:
            return '1' * len(self.dims)
        if isinstance(axes, str) and axes not in self.names:
            if not axes.strip('01'):
                return axes
            axes = [axis.strip() for axis in axes.split(',')]
        chosen = {self._axis(axis) for axis in
                  ([axes] if isinstance(axes, (str, int)) else axes)}
        return ''.join('1' if axis in chosen else '0' for axis in range(len(self.dims)))

    def _groups(self, axes: Axes) -> Tuple[str, int, int]:
        """The library's string of axes, groups, and members of each."""
        if isinstance(axes, list):
            axes = tuple(axes)
        try:
            return self._axes[axes]
        except (KeyError, TypeError):
            pass
        string = self._resolve(axes)
        found = (string, *self._handle.groups(string))
        try:
            self._axes[axes] = found
        except TypeError:
            pass
        return found

    def groups(self, axes: Axes = None) -> Tuple[int, int]:
        """How many groups these axes make, and how many members each has."""
        return self._groups(axes)[1:]

    def group_of(self, pe: int, axes: Axes = None) -> Tuple[int, int]:
        """The number of a PE's group, and its rank there."""
        return self._handle.group_of(self._groups(axes)[0], pe)

    def set_algorithm(self, algorithm: str, collective: Optional[str] = None) -> None:
        """Choose how a collective runs, None for all: "auto", "direct", "conventional",
        "ring", "tree", "pr", "pr+im", "pr+im+cm", see pidcomm_set_algorithm(3)."""
        self._handle.set_algorithm(collective, algorithm)

    def stats(self) -> Stats:
        """What the last call moved."""
        return Stats(*self._handle.stats())

    # arguments of collectives, as the extension takes them

    def _source(self, src: Place, name: str = 'src') -> Tuple[int, int]:
        offset, nbytes = place(src, name)
        if nbytes is None:
            raise TypeError(f'{name} is an offset: expected an Area or a slice, which have a '
                            'length')
        return offset, nbytes

    def _target(self, dst: Optional[Place], src: int, nbytes: int) -> int:
        if dst is None:
            return src
        offset, room = place(dst, 'dst')
        if room is not None and room != nbytes:
            raise ValueError(f'dst has {room} bytes: {nbytes} are written')
        return offset

    def _type(self, src: Place, dtype: Any) -> int:
        if dtype is not None:
            return reducible(dtype, storage(dtype)[1])
        if not isinstance(src, Area):
            raise TypeError('a reduction needs a dtype: give dtype=, or an Area as src')
        return reducible(src.dtype, src.type)

    def _chunk(self, nbytes: int, members: int) -> int:
        if nbytes % members:
            raise ValueError(f'src has {nbytes} bytes: expected a multiple of {members} chunks')
        return nbytes // members

    def _input(self, array: Any, dst: Place, groups: int) -> Tuple[Any, int]:
        """An array with a row for each group, and bytes of a row."""
        array = numpy.asarray(array)
        if isinstance(dst, Area) and array.dtype != dst.dtype:
            raise TypeError(f'the array has dtype {array.dtype}: dst has {dst.dtype}')
        if groups == 1 and array.ndim == 1:
            array = array[None]
        if array.ndim < 2 or array.shape[0] != groups:
            raise ValueError(f'the array has shape {array.shape}: expected a row for each of '
                             f'{groups} groups')
        return array, array.nbytes // groups

    def _output(self, src: Place, dtype: Any, shape: Tuple[int, ...], nbytes: int,
                out: Any) -> Any:
        if out is not None:
            return out
        if dtype is None:
            dtype = src.dtype if isinstance(src, Area) else numpy.uint8
        kind = storage(dtype)[0]
        if nbytes % kind.itemsize:
            raise ValueError(f'src has {nbytes} bytes: no whole number of {kind}')
        if nbytes > self.system.mram_size:
            raise ValueError(f'src has {nbytes} bytes: a PE has {self.system.mram_size}')
        return numpy.empty(shape + (nbytes // kind.itemsize,), kind)

    def _alltoall(self, src: Place, dst: Optional[Place] = None, axes: Axes = None) -> tuple:
        offset, nbytes = self._source(src)
        return (ALLTOALL, self._groups(axes)[0], nbytes, offset,
                self._target(dst, offset, nbytes), None, 0, 1, None)

    def _reduce_scatter(self, src: Place, dst: Optional[Place] = None, axes: Axes = None,
                        op: Operation = 'sum', dtype: Any = None) -> tuple:
        string, _, members = self._groups(axes)
        offset, nbytes = self._source(src)
        return (REDUCE_SCATTER, string, nbytes, offset,
                self._target(dst, offset, self._chunk(nbytes, members)), None,
                self._type(src, dtype), operation(op), None)

    def _allreduce(self, src: Place, dst: Optional[Place] = None, axes: Axes = None,
                   op: Operation = 'sum', dtype: Any = None) -> tuple:
        offset, nbytes = self._source(src)
        return (ALLREDUCE, self._groups(axes)[0], nbytes, offset,
                self._target(dst, offset, nbytes), None, self._type(src, dtype),
                operation(op), None)

    def _allgather(self, src: Place, dst: Optional[Place] = None, axes: Axes = None) -> tuple:
        string, _, members = self._groups(axes)
        offset, nbytes = self._source(src)
        return (ALLGATHER, string, nbytes * members, offset,
                self._target(dst, offset, nbytes * members), None, 0, 1, None)

    def _scatter(self, array: Any, dst: Place, axes: Axes = None) -> tuple:
        string, groups, members = self._groups(axes)
        array, row = self._input(array, dst, groups)
        if row % members:
            raise ValueError(f'a row of the array has {row} bytes: expected a multiple of '
                             f'{members} pieces')
        return (SCATTER, string, row // members, 0, self._target(dst, 0, row // members), array,
                0, 1, None)

    def _gather(self, src: Place, axes: Axes = None, dtype: Any = None,
                out: Any = None) -> tuple:
        string, groups, members = self._groups(axes)
        offset, nbytes = self._source(src)
        out = self._output(src, dtype, (groups, members), nbytes, out)
        return GATHER, string, nbytes, offset, 0, out, 0, 1, out

    def _reduce(self, src: Place, axes: Axes = None, op: Operation = 'sum', dtype: Any = None,
                out: Any = None) -> tuple:
        string, groups, _ = self._groups(axes)
        offset, nbytes = self._source(src)
        number = self._type(src, dtype)
        out = self._output(src, dtype, (groups,), nbytes, out)
        return REDUCE, string, nbytes, offset, 0, out, number, operation(op), out

    def _broadcast(self, array: Any, dst: Place, axes: Axes = None) -> tuple:
        string, groups, _ = self._groups(axes)
        array, row = self._input(array, dst, groups)
        return (BROADCAST, string, row, 0, self._target(dst, 0, row), array, 0, 1, None)

    # the collectives

    def alltoall(self, src: Place, dst: Optional[Place] = None, axes: Axes = None) -> None:
        """Chunk c of member r becomes chunk r of member c; src has as many chunks as a group
        has members. PID-Comm, section V-A."""
        return self._handle.call(*self._alltoall(src, dst, axes))

    def reduce_scatter(self, src: Place, dst: Optional[Place] = None, axes: Axes = None,
                       op: Operation = 'sum', dtype: Any = None) -> None:
        """Member r gets the reduction of all members' chunks r, a chunk long; in place it
        overwrites chunk 0. PID-Comm, section V-B."""
        return self._handle.call(*self._reduce_scatter(src, dst, axes, op, dtype))

    def allreduce(self, src: Place, dst: Optional[Place] = None, axes: Axes = None,
                  op: Operation = 'sum', dtype: Any = None) -> None:
        """Every member gets the reduction of all members' vectors, element by element.
        PID-Comm, section V-B."""
        return self._handle.call(*self._allreduce(src, dst, axes, op, dtype))

    def allgather(self, src: Place, dst: Optional[Place] = None, axes: Axes = None) -> None:
        """Every member gets all members' chunks in the order of ranks: src is one chunk, dst as
        many as a group has members. PID-Comm, section V-A."""
        return self._handle.call(*self._allgather(src, dst, axes))

    def scatter(self, array: Any, dst: Place, axes: Axes = None) -> None:
        """Hand each member its piece of its group's row: an array of shape (groups, members,
        n) or (groups, members * n), or without the first where there is one group.
        PID-Comm, section V-C."""
        return self._handle.call(*self._scatter(array, dst, axes))

    def gather(self, src: Place, axes: Axes = None, dtype: Any = None, out: Any = None) -> Any:
        """Collect the members' pieces: an array of shape (groups, members, n), out where it is
        given, with a row for each group. PID-Comm, section V-C."""
        return self._handle.call(*self._gather(src, axes, dtype, out))

    def reduce(self, src: Place, axes: Axes = None, op: Operation = 'sum', dtype: Any = None,
               out: Any = None) -> Any:
        """Collect each group's reduction: an array of shape (groups, n), out where it is given.
        PID-Comm, section V-C."""
        return self._handle.call(*self._reduce(src, axes, op, dtype, out))

    def broadcast(self, array: Any, dst: Place, axes: Axes = None) -> None:
        """Hand every member its group's row of an array of shape (groups, n), or (n,) where
        there is one group. PID-Comm, section V-C."""
        return self._handle.call(*self._broadcast(array, dst, axes))

    def plan_alltoall(self, src: Place, dst: Optional[Place] = None, axes: Axes = None) -> Plan:
        """Prepare a call of alltoall()."""
        return self._handle.plan(*self._alltoall(src, dst, axes))

    def plan_reduce_scatter(self, src: Place, dst: Optional[Place] = None, axes: Axes = None,
                            op: Operation = 'sum', dtype: Any = None) -> Plan:
        """Prepare a call of reduce_scatter()."""
        return self._handle.plan(*self._reduce_scatter(src, dst, axes, op, dtype))

    def plan_allreduce(self, src: Place, dst: Optional[Place] = None, axes: Axes = None,
                       op: Operation = 'sum', dtype: Any = None) -> Plan:
        """Prepare a call of allreduce()."""
        return self._handle.plan(*self._allreduce(src, dst, axes, op, dtype))

    def plan_allgather(self, src: Place, dst: Optional[Place] = None, axes: Axes = None) -> Plan:
        """Prepare a call of allgather()."""
        return self._handle.plan(*self._allgather(src, dst, axes))

    def plan_scatter(self, array: Any, dst: Place, axes: Axes = None) -> Plan:
        """Prepare a call of scatter()."""
        return self._handle.plan(*self._scatter(array, dst, axes))

    def plan_gather(self, src: Place, axes: Axes = None, dtype: Any = None,
                    out: Any = None) -> Plan:
        """Prepare a call of gather()."""
        return self._handle.plan(*self._gather(src, axes, dtype, out))

    def plan_reduce(self, src: Place, axes: Axes = None, op: Operation = 'sum', dtype: Any = None,
                    out: Any = None) -> Plan:
        """Prepare a call of reduce()."""
        return self._handle.plan(*self._reduce(src, axes, op, dtype, out))

    def plan_broadcast(self, array: Any, dst: Place, axes: Axes = None) -> Plan:
        """Prepare a call of broadcast()."""
        return self._handle.plan(*self._broadcast(array, dst, axes))

    def ialltoall(self, src: Place, dst: Optional[Place] = None, axes: Axes = None) -> Request:
        """Begin a call of alltoall()."""
        return self._handle.start(*self._alltoall(src, dst, axes))

    def ireduce_scatter(self, src: Place, dst: Optional[Place] = None, axes: Axes = None,
                        op: Operation = 'sum', dtype: Any = None) -> Request:
        """Begin a call of reduce_scatter()."""
        return self._handle.start(*self._reduce_scatter(src, dst, axes, op, dtype))

    def iallreduce(self, src: Place, dst: Optional[Place] = None, axes: Axes = None,
                   op: Operation = 'sum', dtype: Any = None) -> Request:
        """Begin a call of allreduce()."""
        return self._handle.start(*self._allreduce(src, dst, axes, op, dtype))

    def iallgather(self, src: Place, dst: Optional[Place] = None, axes: Axes = None) -> Request:
        """Begin a call of allgather()."""
        return self._handle.start(*self._allgather(src, dst, axes))

    def iscatter(self, array: Any, dst: Place, axes: Axes = None) -> Request:
        """Begin a call of scatter()."""
        return self._handle.start(*self._scatter(array, dst, axes))

    def igather(self, src: Place, axes: Axes = None, dtype: Any = None,
                out: Any = None) -> Request:
        """Begin a call of gather()."""
        return self._handle.start(*self._gather(src, axes, dtype, out))

    def ireduce(self, src: Place, axes: Axes = None, op: Operation = 'sum', dtype: Any = None,
                out: Any = None) -> Request:
        """Begin a call of reduce()."""
        return self._handle.start(*self._reduce(src, axes, op, dtype, out))

    def ibroadcast(self, array: Any, dst: Place, axes: Axes = None) -> Request:
        """Begin a call of broadcast()."""
        return self._handle.start(*self._broadcast(array, dst, axes))
