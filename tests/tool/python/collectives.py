# SPDX-License-Identifier: MIT
"""The eight collectives from Python, as calls, plans and requests, against NumPy."""

import errno
import gc
import sys
import threading
import time
import unittest

import numpy
import pimdimm

DIMS = (8, 4, 4)
NAMES = ('x', 'y', 'z')
FOLDS = {'sum': numpy.add, 'prod': numpy.multiply, 'min': numpy.minimum, 'max': numpy.maximum,
         'bxor': numpy.bitwise_xor}


def members(axes):
    """PEs by group and rank."""
    nodes = numpy.arange(numpy.prod(DIMS)).reshape(DIMS[::-1])
    of = [2 - axis for axis in range(3) if axes[axis] == '1']
    others = [axis for axis in range(3) if axis not in of]
    count = int(numpy.prod([nodes.shape[axis] for axis in of], initial=1))
    return nodes.transpose(others + sorted(of)).reshape(-1, count)


class Collectives(unittest.TestCase):
    def setUp(self):
        self.system = pimdimm.System('mem:ranks=2,mram=64K')
        self.cube = pimdimm.Hypercube(self.system, DIMS, NAMES)
        self.random = numpy.random.default_rng(7)

    def tearDown(self):
        gc.collect()
        self.system.close()

    def filled(self, dtype, count, offset=0):
        area = self.system.area(dtype, count, offset)
        array = self.random.integers(0, 100, (128, count)).astype(area.dtype)
        area.push(array)
        return area, array

    def test_reductions(self):
        for dtype in ('i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8', 'f4', 'f8'):
            for op, fold in FOLDS.items():
                if dtype[0] == 'f' and op in ('bxor', 'prod'):
                    continue
                src, array = self.filled(dtype, 128)
                groups = members('101')
                expected = fold.reduce(array[groups], axis=1, dtype=array.dtype)
                got = self.cube.reduce(src, axes='101', op=op)
                self.assertEqual((got.shape, got.dtype), ((4, 128), array.dtype))
                self.assertTrue((got == expected).all(), (dtype, op))
                dst = self.system.area(dtype, 128, 8192)
                self.cube.allreduce(src, dst, ('x', 'z'), op)
                self.assertTrue((dst.pull()[groups] == expected[:, None]).all())
                part = self.system.area(dtype, 4, 16384)
                if part.nbytes % 8:
                    continue
                self.cube.reduce_scatter(src, part, 'x,z', op)
                self.assertTrue((part.pull()[groups] == expected.reshape(4, 32, 4)).all())

    def test_functions(self):
        groups = members('101')
        # associative, and does not commute: the last that is not 0, the first of two remainders
        later = lambda a, b: numpy.where(b != 0, b, a)
        for dtype in ('i1', 'u2', 'i4', 'i8', 'f4', 'f8', numpy.float16):
            src, array = self.filled(dtype, 128)
            array[self.random.integers(0, 2, array.shape) == 0] = 0
            src.push(array)
            expected = array[groups][:, 0]
            for rank in range(1, groups.shape[1]):
                expected = later(expected, array[groups][:, rank])
            self.assertTrue((self.cube.reduce(src, axes='101', op=later) == expected).all(), dtype)
            dst = self.system.area(dtype, 128, 8192)
            self.cube.allreduce(src, dst, '101', later)
            self.assertTrue((dst.pull()[groups] == expected[:, None]).all(), dtype)
        src, array = self.filled('i4', 128)
        self.assertTrue((self.cube.reduce(src, op=numpy.add) == array.sum(0)).all())
        kept = []
        self.cube.reduce(src, op=lambda a, b: kept.append((a, b)) or a | b)
        self.assertTrue(all(a.flags.owndata and b.flags.owndata for a, b in kept))

    def test_functions_that_fail(self):
        cube, src = self.cube, self.filled('i4', 128)[0]

        def raises(_, __):
            raise KeyError('from within')
        for kind, words, call in (
                (KeyError, 'from within', lambda: cube.reduce(src, op=raises)),
                (KeyError, 'from within', lambda: cube.allreduce(src, op=raises)),
                (TypeError, 'positional', lambda: cube.reduce(src, op=lambda: 1)),
                (TypeError, 'same_kind', lambda: cube.reduce(src, op=lambda a, b: a / 3)),
                (ValueError, r'shape \(\)', lambda: cube.reduce(src, op=lambda a, b: a.sum())),
                (TypeError, 'op is 7: expected one of', lambda: cube.reduce(src, op=7)),
                (TypeError, 'plans and requests', lambda: cube.plan_reduce(src, op=max)),
                (TypeError, 'plans and requests', lambda: cube.ireduce(src, op=max))):
            with self.assertRaisesRegex(kind, words):
                call()
        self.assertEqual(cube.reduce(src).shape, (1, 128))

    def test_functions_and_threads(self):
        src, array = self.filled('i8', 128)
        other = pimdimm.Hypercube(self.system, DIMS)
        results = []

        def many(cube):
            for _ in range(5):
                results.append((cube.reduce(src, op=numpy.add) == array.sum(0)).all())
                results.append((cube.ireduce(src).wait() == array.sum(0)).all())
        threads = [threading.Thread(target=many, args=(cube,))
                   for cube in (self.cube, other, self.cube)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((len(results), all(results)), (30, True))

    def test_bfloat16(self):
        area = self.system.area('bfloat16', 4)
        area.push((numpy.full((128, 4), 1.5, numpy.float32).view(numpy.uint32) >> 16)
                  .astype(numpy.uint16))
        got = self.cube.reduce(area).astype(numpy.uint32) << 16
        self.assertEqual(got.view(numpy.float32).tolist(), [[192.0] * 4])

    def test_moves(self):
        groups = members('010')
        src, array = self.filled(numpy.int64, 8)
        dst = self.system.area(numpy.int64, 8, 1024)
        self.cube.alltoall(src, dst, axes='y')
        chunks = array[groups].reshape(32, 4, 4, 2)
        self.assertTrue((dst.pull()[groups] ==
                         chunks.transpose(0, 2, 1, 3).reshape(32, 4, 8)).all())
        self.cube.allgather(src[:2], dst, axes=1)
        self.assertTrue((dst.pull()[groups] ==
                         array[groups][:, :, :2].reshape(32, 1, 8)).all())
        gathered = self.cube.gather(src, axes=-2)
        self.assertTrue((gathered == array[groups]).all())
        self.cube.scatter(gathered[:, ::-1].copy(), dst, 'y')
        self.assertTrue((dst.pull()[groups] == array[groups][:, ::-1]).all())
        rows = self.random.integers(0, 9, (32, 8))
        self.cube.broadcast(rows, dst, 'y')
        self.assertTrue((dst.pull()[groups] == rows[:, None]).all())
        self.cube.broadcast(numpy.arange(8), dst)
        self.assertTrue((dst.pull() == numpy.arange(8)).all())

    def test_slices_of_bytes(self):
        src, array = self.filled(numpy.int32, 64, 256)
        self.cube.allreduce(slice(256, 512), 4096, dtype=numpy.int32)
        self.assertTrue((self.system.pull(numpy.int32, 64, 4096) == array.sum(0)).all())
        self.assertTrue((self.cube.gather(slice(256, 512), dtype=numpy.int32)[0] ==
                         array).all())
        self.cube.alltoall(slice(0, 1024))

    def test_plans_and_requests(self):
        src, array = self.filled(numpy.int32, 16)
        out = numpy.empty((1, 16), numpy.int32)
        plan = self.cube.plan_reduce(src, out=out)
        gathering = self.cube.plan_gather(src, 'x')
        for _ in range(3):
            array += 1
            src.push(array)
            self.assertIs(plan.run(), out)
            self.assertTrue((out == array.sum(0)).all())
            request = gathering.start()
            self.assertTrue((request.wait() == array[members('100')]).all())
            self.assertTrue(request.test())
        dst = self.system.area(numpy.int32, 16, 512)
        request = self.cube.iallreduce(src, dst)
        with self.assertRaises(pimdimm.Error) as caught:
            self.cube.allreduce(src, dst)
        self.assertEqual(caught.exception.errno, errno.EBUSY)
        while not request.test():
            pass
        self.assertIsNone(request.wait())
        self.assertTrue((dst.pull() == array.sum(0)).all())
        # what nobody waits for ends before its array does
        self.cube.igather(src, 'x')
        self.cube.ibroadcast(numpy.arange(16, dtype=numpy.int32), dst)
        self.assertTrue((dst.pull() == numpy.arange(16)).all())

    def test_all_plans_and_requests_do_what_calls_do(self):
        rows = {name: self.random.integers(0, 99, (1, 128 if name == 'scatter' else 1, 4))
                for name in ('scatter', 'broadcast')}
        for name in pimdimm.COLLECTIVES:
            results = []
            for way in ('{}', 'plan_{}', 'i{}'):
                self.random = numpy.random.default_rng(3)
                src, _ = self.filled(numpy.int64, 4 if name == 'allgather' else 128)
                dst = self.system.area(
                    numpy.int64, {'reduce_scatter': 1, 'allgather': 512, 'scatter': 4,
                                  'broadcast': 4}.get(name, 128), 8192)
                function = getattr(self.cube, way.format(name))
                if name in rows:
                    done = function(rows[name], dst)
                elif name in ('gather', 'reduce'):
                    done = function(src)
                else:
                    done = function(src, dst)
                if way == 'plan_{}':
                    done = done.run()
                elif way == 'i{}':
                    done = done.wait()
                results.append(dst.pull() if done is None else done)
            self.assertTrue((results[0] == results[1]).all(), name)
            self.assertTrue((results[0] == results[2]).all(), name)

    def test_lives(self):
        src, array = self.filled(numpy.int32, 16)
        plan, request = self.cube.plan_gather(src), self.cube.igather(src)
        self.cube.close()
        self.cube.close()
        for call in (plan.run, plan.start, request.wait, lambda: self.cube.reduce(src)):
            with self.assertRaisesRegex(pimdimm.Error, 'closed'):
                call()
        with pimdimm.System('mem:ranks=1,mram=64K') as system:
            cube = pimdimm.Hypercube(system, (64,))
            request = cube.ireduce(system.area(numpy.int8, 8))
        self.assertRaisesRegex(pimdimm.Error, 'closed', request.wait)
        self.assertRaisesRegex(pimdimm.Error, 'closed', cube.stats)

    def test_one_thread_at_a_time(self):
        src, array = self.filled(numpy.int32, 1024)
        failed = []

        def work():
            for _ in range(50):
                if not (self.cube.reduce(src) == array.sum(0)).all():
                    failed.append(1)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])

    def test_other_threads_run_meanwhile(self):
        """With no switch of threads but where the lock is given up, another one counts
        during a call only if the call gives it up."""
        counted, ending = [0], threading.Event()

        def count():
            while not ending.is_set():
                counted[0] += 1
                time.sleep(0)
        interval = sys.getswitchinterval()
        thread = threading.Thread(target=count)
        array = numpy.ones((64, 8192), numpy.int64)
        with pimdimm.System('mem:ranks=1,mram=64K,inject=delay_us:1000') as system:
            cube, src = pimdimm.Hypercube(system, (64,)), system.area(numpy.int64, 8192)
            plan = cube.plan_reduce(src)
            sys.setswitchinterval(1000)
            thread.start()
            try:
                for call in (lambda: src.push(array), src.pull, lambda: cube.reduce(src),
                             plan.run, lambda: cube.ireduce(src).wait(),
                             lambda: system.write(0, array[0]),
                             lambda: system.mram_copy(0)):
                    for _ in range(1000):
                        before = counted[0]
                        call()
                        if counted[0] != before:
                            break
                    else:
                        self.fail('no other thread runs')
            finally:
                ending.set()
                sys.setswitchinterval(interval)
                thread.join()

    def test_parts_of_a_system(self):
        """Two hypercubes share a system of which a rank is left out, in any order, at once."""
        with pimdimm.System('mem:ranks=5,mram=64K,inject=fail_nth:1@2') as system:
            src, dst = system.area(numpy.int32, 64), system.area(numpy.int32, 64, 4096)
            first = pimdimm.Hypercube(system, (8, 8), ('x', 'y'), slice(64))
            rest = numpy.r_[192:320, 64:128]
            second = pimdimm.Hypercube(system, (16, 12), pes=rest)
            self.assertTrue((second.pes == rest).all() and (first.pes == range(64)).all())
            self.assertEqual(second.group_of(64, '10'), (8, 0))
            array = self.random.integers(0, 99, (320, 64), numpy.int32)
            for pe in (*first.pes.tolist(), *rest.tolist()):
                system.write(pe, array[pe])
            requests = first.iallreduce(src, dst), second.iallreduce(src, dst, '10')
            for request in requests:
                request.wait()
            for pe in (0, 63):
                self.assertTrue((system.read(pe, numpy.int32, 64, 4096) ==
                                 array[:64].sum(0)).all())
            sums = array[rest].reshape(12, 16, 64).sum(1)
            for node, pe in enumerate(rest.tolist()):
                self.assertTrue((system.read(pe, numpy.int32, 64, 4096) ==
                                 sums[node // 16]).all())
            self.assertTrue((second.gather(src, '01') ==
                             array[rest].reshape(12, 16, 64).transpose(1, 0, 2)).all())
            whole = pimdimm.Hypercube(system, (64, 5))
            self.assertTrue((whole.pes == range(320)).all())
            self.assertRaisesRegex(pimdimm.Error, 'rank 2', whole.allreduce, src)

    def test_parts_that_are_none(self):
        for kind, words, pes in (
                (ValueError, '2 PEs: expected whole', [8, 9]),
                (ValueError, '8 PEs: expected whole', range(4, 12)),
                (ValueError, '8 PEs: expected whole', range(8, 0, -1)),
                (ValueError, '0 to 127', range(124, 132)),
                (TypeError, 'numbers of PEs', 'all'),
                (pimdimm.Error, 'twice', [*range(8)] * 2),
                (pimdimm.Error, 'expected all 64', range(64)),
                (pimdimm.Error, 'dims', [])):
            with self.assertRaisesRegex(kind, words):
                pimdimm.Hypercube(self.system, (16,), pes=pes)
        for egs, kind, words in ((numpy.zeros(1), TypeError, 'egs is no array'),
                                 (numpy.zeros(17, numpy.uint32), ValueError, 'has 16'),
                                 (numpy.uint32([16]), pimdimm.Error, 'egs')):
            with self.assertRaisesRegex(kind, words):
                pimdimm._core.hypercube(self.system._handle, (8,), egs)

    def test_what_is_wrong(self):
        cube, src = self.cube, self.system.area(numpy.int32, 64)
        for kind, words, call in (
                (ValueError, "op is 'avg'", lambda: cube.allreduce(src, op='avg')),
                (ValueError, "axis 'w'.*x, y, z", lambda: cube.allreduce(src, axes='w')),
                (ValueError, 'axis 3', lambda: cube.allreduce(src, axes=3)),
                (pimdimm.Error, 'axes', lambda: cube.allreduce(src, axes='10')),
                (TypeError, 'needs a dtype', lambda: cube.allreduce(slice(0, 64))),
                (TypeError, 'cannot be reduced',
                 lambda: cube.allreduce(src, dtype=numpy.complex64)),
                (TypeError, 'cannot be reduced', lambda: cube.allreduce(src, dtype='>i4')),
                (TypeError, 'offset', lambda: cube.alltoall(64)),
                (ValueError, 'slice', lambda: cube.alltoall(slice(0, 64, 2))),
                (ValueError, '256 are written', lambda: cube.allreduce(src, src[:8])),
                (ValueError, 'multiple of 128', lambda: cube.reduce_scatter(src[:8])),
                (TypeError, 'dtype int64',
                 lambda: cube.broadcast(numpy.zeros((1, 64), numpy.int64), src)),
                (ValueError, '32 groups',
                 lambda: cube.broadcast(numpy.zeros((4, 64), numpy.int32), src, 'y')),
                (ValueError, 'rows of 4 bytes: expected one of 256',
                 lambda: cube.reduce(src, out=numpy.zeros((1, 1), numpy.int32))),
                (BufferError, 'read-only', lambda: cube.reduce(src, out=bytes(256))),
                (pimdimm.Error, 'multiple', lambda: cube.allreduce(src[:1])),
                (pimdimm.Error, 'dims|axis|axes', lambda: pimdimm.Hypercube(self.system, (3, 8))),
                (ValueError, '17 axes',
                 lambda: pimdimm.Hypercube(self.system, (1,) * 16 + (8,))),
                (ValueError, 'names', lambda: pimdimm.Hypercube(self.system, (8, 8), 'x'))):
            with self.assertRaisesRegex(kind, words):
                call()

    def test_groups_and_algorithms(self):
        self.assertEqual(self.cube.groups('y'), (32, 4))
        self.assertEqual(self.cube.group_of(9, 'x'), (1, 1))
        src, array = self.filled(numpy.int32, 64)
        self.cube.set_algorithm('conventional')
        self.assertTrue((self.cube.reduce(src) == array.sum(0)).all())
        self.assertGreater(self.cube.stats().mram_blocks_read, 0)
        self.assertRaisesRegex(pimdimm.Error, 'quick', self.cube.set_algorithm, 'quick')

    def test_reports(self):
        pimdimm.report()
        pimdimm.phase('testing')
        src, _ = self.filled(numpy.int32, 64)
        self.cube.reduce(src)
        pimdimm.phase(None)
        rows = [row for row in pimdimm.report_rows() if row['phase'] == 'testing']
        self.assertEqual([(row['kind'], row['name'], row['calls']) for row in rows
                          if row['kind'] == 'collective'], [('collective', 'reduce', 1)])
        self.assertEqual(rows[0]['kind'], 'to_pes')


if __name__ == '__main__':
    unittest.main()
