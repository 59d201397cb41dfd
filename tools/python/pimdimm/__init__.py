# SPDX-License-Identifier: MIT
"""Processing-in-DIMM memory: systems of ranks, their MRAM as NumPy arrays, PE programs,
and the eight PID-Comm collectives.

    import numpy, pimdimm
    with pimdimm.System("mem:ranks=4") as system:
        x = system.area(numpy.int32, 1024)
        x.push(numpy.ones((system.nr_pes, 1024), numpy.int32))
        print(pimdimm.Hypercube(system, (16, 16)).reduce(x, axes="10"))

Sizes and offsets are bytes where they are not counts of elements; PEs are numbered as
<pimdimm/pimdimm.h> says: chip, bank, rank, channel, with chip fastest. What the library
refuses is an Error, an OSError with its sentence; what the package refuses by itself is a
TypeError, ValueError or BufferError. Other threads of Python run during all calls that
move bytes or run PEs.

A child after os.fork() has the MRAM of systems in memory in common with its parent, and
may use them; requests of its parent it cannot wait for. Subinterpreters that share the
interpreter's lock may import the package, each with systems of its own.
"""

from ._core import Error, Plan, Request, version
from .area import Area
from .hypercube import COLLECTIVES, Hypercube, Stats
from .program import Fault, Program, Run, Symbol
from .report import phase, report, report_rows, trace
from .system import System, domain_transfer

__version__ = version()
__all__ = ['Area', 'COLLECTIVES', 'Error', 'Fault', 'Hypercube', 'Plan', 'Program',
           'Request', 'Run', 'Stats', 'Symbol', 'System', 'domain_transfer', 'phase',
           'report', 'report_rows', 'trace', 'version']
