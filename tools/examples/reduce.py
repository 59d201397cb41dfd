#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reduces a matrix over 1,024 PEs: each holds a row, and the host gets the sums of the
columns. It prints what the CPU says, too, and exits 0 if they are the same.

    python3 reduce.py       # the package is installed; else PYTHONPATH=build/python
"""

import numpy
import pimdimm

matrix = numpy.random.default_rng(1).integers(-1000, 1000, (1024, 4096), numpy.int32)
with pimdimm.System('mem:ranks=16,mram=64K') as system:
    rows = system.area(matrix.dtype, matrix.shape[1])
    rows.push(matrix)                                       # a row into each PE's MRAM
    cube = pimdimm.Hypercube(system, (32, 32), names=('x', 'y'))
    sums = cube.reduce(rows, op='sum')                      # over both axes: one group
print(sums[0, :4], matrix.sum(axis=0)[:4])
raise SystemExit(0 if (sums[0] == matrix.sum(axis=0)).all() else 1)
