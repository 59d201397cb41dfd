# SPDX-License-Identifier: MIT
"""Programs compiled for PEs, what a launch of them did, and faults."""

from __future__ import annotations

import errno
import os
import re
from typing import Any, Dict, List, NamedTuple, Optional, Union

from . import _core

SPACES = ('wram', 'mram', 'text')


class Symbol(NamedTuple):
    """An object of a program: its name, the memory it lies in ("wram", "mram" or "text"),
    its first byte there, and its bytes."""
    name: str
    space: str
    address: int
    nbytes: int

    def check(self, nbytes: int) -> None:
        """Raises where so many bytes cannot be written to it."""
        if self.space == 'text':
            raise ValueError(f'{self.name} is part of the text, which is read-only')
        if nbytes > self.nbytes:
            raise ValueError(f'{nbytes} bytes for {self.name}, which has {self.nbytes}')

    def elements(self, dtype: Any) -> int:
        """How many elements of a dtype it holds."""
        if self.space == 'text':
            raise ValueError(f'{self.name} is part of the text, which PEs alone can read')
        if self.nbytes % dtype.itemsize:
            raise ValueError(f'{self.name} has {self.nbytes} bytes: no whole number of {dtype}')
        return self.nbytes // dtype.itemsize


class Program:
    """A PE program: the path of its file, or its bytes."""

    __slots__ = ('_handle', 'name', 'nr_tasklets', 'text_bytes', 'wram_bytes', 'stack_bytes',
                 'mram_bytes', 'has_log')

    def __init__(self, file: Union[str, os.PathLike, bytes, bytearray, memoryview],
                 name: Optional[str] = None) -> None:
        if isinstance(file, (bytes, bytearray, memoryview)):
            self._handle = _core.program(None, file, name)
            self.name = name or '(memory)'
        else:
            path = os.fspath(file)
            if not isinstance(path, str):
                path = os.fsdecode(path)
            self._handle = _core.program(path, None, None)
            self.name = os.path.basename(path)
        self._tell()

    @classmethod
    def _of(cls, handle: _core.Program, name: str) -> Program:
        program = cls.__new__(cls)
        program._handle, program.name = handle, name
        program._tell()
        return program

    def _tell(self) -> None:
        (self.nr_tasklets, self.text_bytes, self.wram_bytes, self.stack_bytes,
         self.mram_bytes, self.has_log) = self._handle.info()

    def __repr__(self) -> str:
        return f'<pimdimm.Program {self.name}: {self.nr_tasklets} tasklets>'

    def symbol(self, name: str) -> Symbol:
        """An object of the program; an Error with ENOENT where it has none of the name."""
        found, space, address, nbytes = self._handle.symbol(name)
        return Symbol(found, SPACES[space], address, nbytes)


class Run:
    """What a launch did. cycles of the slowest PE, slowest_pe, and launch_ns are modelled
    times of hardware, seconds are cycles by clock_hz; ns and emulation_ns were measured.
    instructions are those of the PE that counted most; dma_bytes those of all. total and
    slowest are dicts of the members of struct pimdimm_times, of all PEs and of the slowest.
    pes are the PEs, faulted those of them that faulted."""

    def __init__(self, report: Dict[str, Any], pes: Any) -> None:
        flags = report.pop('faulted')
        self.first = report.pop('first')
        self.pes: List[int] = pes.tolist()
        self.faulted = [pe for pe, flag in zip(self.pes, flags) if flag]
        self.nr_faulted = 0
        self.__dict__.update(report)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f'a run has no {name}')

    @property
    def seconds(self) -> float:
        """Modelled time of the slowest PE."""
        return self.cycles / self.clock_hz

    def __repr__(self) -> str:
        return f'<pimdimm.Run of {len(self.pes)} PEs: {self.cycles} cycles>'


class Fault(_core.Error):
    """PEs faulted: pe, tasklet and the cause are those of the lowest of them; line is
    "file:line" of the source where it is known, function its function, address what was
    touched, kind the number of the fault. run is the report of the launch."""

    pe: int
    tasklet: int
    kind: int
    address: int
    line: Optional[str]
    function: Optional[str]
    run: Run


def fault_of(run: Run) -> Fault:
    """The exception for a launch in which PEs faulted."""
    pe, tasklet, kind, address, text = run.first
    fault = Fault(errno.EFAULT, text)
    fault.pe, fault.tasklet, fault.kind, fault.address = pe, tasklet, kind, address
    place = re.search(r'\bat ([^\s,()]+:\d+)(?: \(([^\s,()]+))?', text)
    fault.line = place.group(1) if place else None
    fault.function = place.group(2) if place else None
    fault.run = run
    return fault
