# SPDX-License-Identifier: MIT
"""Random arguments for every function of the package and of the extension: each is served
or refused by an exception, and the process lives. Usage: hostile.py CALLS SEED"""

import faulthandler
import random
import sys

import numpy
import pimdimm
from pimdimm import _core

CALLS, SEED = int(sys.argv[1]), int(sys.argv[2])
REFUSALS = (TypeError, ValueError, BufferError, OSError, OverflowError, AttributeError,
            IndexError, MemoryError, NotImplementedError)
pick = random.Random(SEED)
faulthandler.dump_traceback_later(60, exit=True)
system = pimdimm.System('mem:ranks=1,mram=64K')
cube = pimdimm.Hypercube(system, (8, 8), ('x', 'y'))


class Liar:
    """Says that it is a number, and is something else."""

    def __index__(self):
        return pick.choice((-1, 1 << 70, 8))

    def __len__(self):
        return pick.choice((0, 3, 17))

    def __getitem__(self, index):
        if pick.random() < 0.2:
            raise IndexError
        return pick.choice((8, 'x', -1))


def array():
    shape = pick.choice(((64, 8), (8, 64), (1, 64), (8, 8, 8), (64,), (0, 8), (64, 0), (), (3, 5),
                         (64, 1024), (65, 8)))
    made = numpy.zeros(shape, pick.choice(('u1', 'i4', 'f8', '>i8', 'c16', 'O', 'U3', 'V7',
                                           'M8[s]', 'f2', 'u4')))
    way = pick.randrange(8)
    if way == 0:
        made.flags.writeable = False
    elif way == 1:
        made = made.T
    elif way == 2 and made.ndim:
        made = made[::-1]
    elif way == 3 and made.ndim:
        made = made[::2]
    elif way == 4:
        made = numpy.broadcast_to(made, (8,) + made.shape)
    return made


def area():
    return system.area(pick.choice(('i4', 'u1', 'f8', 'bfloat16', 'c8')),
                       pick.choice((0, 1, 8, 64, 512)), pick.choice((0, 8, 4, 1024, 60000)))


def anything():
    return pick.choice((
        lambda: pick.choice((None, 0, 1, 8, 64, -1, 1 << 32, 1 << 64, 3.5, True, '', 'x', '10',
                             '11', '01', '111', 'x,y', 'sum', 'max', 'i4', 'int32', b'bytes',
                             (8, 8), [0, 1], {}, 'a\0b', '\udc80', (64,), Liar)),
        array, array, area, area, Liar,
        lambda: slice(pick.choice((None, 0, 8, -8)), pick.choice((None, 64, 512, 1 << 60))),
        lambda: bytearray(pick.choice((0, 8, 64, 512))),
        lambda: memoryview(bytearray(512)).cast('B', (8, 64)),
        lambda: program, lambda: cube._handle, lambda: system._handle))()


program = None
try:
    program = _core.program(None, b'', None)
except pimdimm.Error:
    pass


def functions():
    for owner in (pimdimm, _core, system, system._handle, cube, cube._handle,
                  system.area('i4', 64)):
        for name in dir(owner):
            if name.startswith('_') or name in ('close', 'trace', 'fork', 'save'):
                continue
            function = getattr(owner, name)
            if callable(function) and not isinstance(function, type):
                yield function
    yield pimdimm.Area
    yield pimdimm.Hypercube
    yield pimdimm.Program


# calls of collectives that are nearly right, beside those of which nothing is
def nearly():
    return (pick.randrange(9), pick.choice(('10', '01', '11', '00', '1')),
            pick.choice((8, 64, 512, 7, 1 << 63)), pick.choice((0, 1024, 65528)),
            pick.choice((0, 8192, 65528)), pick.choice((array(), None)), pick.randrange(13),
            pick.randrange(12), None)


kept, served, refused = [], 0, 0
chosen = list(functions())
collectives = [cube._handle.call, cube._handle.plan, cube._handle.start]
for _ in range(CALLS):
    if pick.random() < 0.4:
        function, arguments = pick.choice(collectives), nearly()
    else:
        function = pick.choice(chosen)
        arguments = [anything() for _ in range(pick.randrange(5))]
    try:
        kept.append(function(*arguments))
        served += 1
    except REFUSALS:
        refused += 1
    if len(kept) > 20:
        kept.clear()
kept.clear()
assert system.pull('u1', 8).shape == (64, 8)
print(f'{served} served, {refused} refused')
sys.exit(not (served > CALLS // 50 and refused > CALLS // 10))
