# SPDX-License-Identifier: MIT
"""MRAM as arrays: views, copies, push and pull, what is wrong with buffers, and how long
views, systems and calls live."""

import errno
import gc
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy
import pimdimm

URI = 'mem:ranks=2,mram=64K'


class Arrays(unittest.TestCase):
    def setUp(self):
        self.system = pimdimm.System(URI)
        self.random = numpy.random.default_rng(5)

    def tearDown(self):
        gc.collect()
        self.system.close()

    def refused(self, kind, words, call, *args, **named):
        with self.assertRaisesRegex(kind, words):
            call(*args, **named)

    def test_geometry(self):
        system = self.system
        self.assertEqual((system.nr_pes, system.nr_ranks, system.mram_size, system.layout),
                         (128, 2, 65536, 'linear'))
        self.assertIn('128 PEs', repr(system))
        self.assertEqual(pimdimm.__version__, pimdimm.version())

    def test_push_pull_of_any_dtype(self):
        for dtype in (numpy.int8, numpy.float16, '>i4', numpy.complex128, numpy.bool_,
                      [('key', 'u4'), ('value', 'f4')]):
            count = 64 // numpy.dtype(dtype).itemsize
            raw = self.random.integers(0, 2, (100, 64), numpy.uint8)
            array = raw.view(dtype)
            self.system.push(array, 128, 7)
            got = self.system.pull(dtype, count, 128, 7, 100)
            self.assertEqual((got.shape, got.dtype), ((100, count), numpy.dtype(dtype)))
            self.assertEqual(got.tobytes(), raw.tobytes())

    def test_rows_that_lie_apart(self):
        array = self.random.integers(0, 1 << 60, (256, 32))
        self.system.push(array[1::2, 8:24], 8)
        self.assertTrue((self.system.pull(numpy.int64, 16, 8) == array[1::2, 8:24]).all())
        self.system.push(array[127::-1, :4])
        self.assertTrue((self.system.pull(numpy.int64, 4) == array[127::-1, :4]).all())
        out = numpy.zeros((128, 32), numpy.int64)
        self.system.pull_into(out[:, 4:8])
        self.assertTrue((out[:, 4:8] == array[127::-1, :4]).all())
        self.assertFalse(out[:, 8:].any() or out[:, :4].any())
        self.system.broadcast(array[3], 512)
        self.assertTrue((self.system.pull(numpy.int64, 32, 512) == array[3]).all())

    def test_one_pe(self):
        array = numpy.arange(13, dtype=numpy.uint8)
        self.system.write(65, array, 3)
        self.assertTrue((self.system.read(65, numpy.uint8, 13, 3) == array).all())
        self.assertFalse(self.system.read(66, numpy.uint8, 65536).any())
        self.assertTrue((self.system.mram_copy(65, offset=3, count=13) == array).all())

    def test_views_are_mram(self):
        array = self.random.integers(0, 1 << 30, (128, 16384), numpy.int32)
        self.system.push(array)
        for pe in (0, 7, 8, 63, 64, 127):
            view = self.system.mram_view(pe)
            self.assertEqual((view.shape, view.strides, view.dtype),
                             ((65536,), (8,), numpy.dtype(numpy.uint8)))
            self.assertEqual(view.tobytes(), array[pe].tobytes())
            view[5] ^= 255
            array[pe:pe + 1].view(numpy.uint8)[0, 5] ^= 255
            self.assertTrue((self.system.mram_copy(pe, numpy.int32) == array[pe]).all())
        ranks = self.system.rank_view(1)
        self.assertEqual(ranks[3, 2].tobytes(), array[64 + 26].tobytes())
        self.assertEqual(self.system.window(1).nbytes, 64 * 65536)
        blocks = self.system.window(1)[:640].copy()
        pimdimm.domain_transfer(blocks)
        self.assertEqual(blocks[:8].tobytes(), array[64:65].tobytes()[:8])

    def test_copies_in_the_other_layout(self):
        with pimdimm.System('mem:ranks=1,mram=64K,layout=xeon_sp') as system:
            array = self.random.integers(0, 1 << 60, (64, 8192))
            system.push(array)
            self.refused(ValueError, 'xeon_sp has no views', system.mram_view, 0)
            self.assertTrue((system.mram_copy(dtype=numpy.int64) == array).all())
            self.assertTrue((system.mram_copy(slice(5, 9), numpy.int64, 64, 2) ==
                             array[5:9, 8:10]).all())
            self.assertEqual(system.mram_copy(63, numpy.int64).tobytes(), array[63].tobytes())

    def test_areas(self):
        area = self.system.area(numpy.float32, 100, 800)
        self.assertEqual((len(area), area.nbytes), (100, 400))
        part = area[10:20]
        self.assertEqual((part.offset, part.count), (840, 10))
        array = self.random.random((128, 100), numpy.float32)
        area.push(array)
        self.assertTrue((area.pull() == array).all())
        self.assertTrue((part.pull(3, 2) == array[3:5, 10:20]).all())
        area.broadcast(array[9])
        self.assertTrue((area.pull() == array[9]).all())
        self.refused(TypeError, 'dtype float64', area.push, array.astype(float))
        self.refused(ValueError, 'shape', area.push, array[:, 1:])
        self.refused(ValueError, 'step', lambda: area[::2])
        self.refused(TypeError, 'slice', lambda: area[3])
        self.refused(ValueError, '65536 bytes', self.system.area, numpy.int64, 8193)

    def test_wrong_buffers(self):
        system, array = self.system, numpy.zeros((128, 16), numpy.int64)
        fixed = array.copy()
        fixed.flags.writeable = False
        system.push(fixed)
        self.refused(BufferError, 'read-only', system.pull_into, fixed)
        self.refused(BufferError, 'contiguous', system.push, array[:, ::2])
        self.refused(BufferError, 'contiguous', system.push, numpy.asfortranarray(array))
        self.refused(BufferError, 'overlap', system.pull_into,
                     numpy.lib.stride_tricks.as_strided(array, (4, 16), (8, 8)))
        self.refused(BufferError, 'read-only|overlap', system.pull_into,
                     numpy.broadcast_to(array[0], (128, 16)))
        self.refused(BufferError, 'contiguous', system.write, 0, array[:, 0])
        self.refused(TypeError, 'Python objects', system.push, array.astype(object))
        self.refused(TypeError, 'Python objects', system.pull, object, 1)
        self.refused(TypeError, 'buffer|bytes-like', system.push, [[1, 2]])
        self.refused(ValueError, 'scalar', system.push, numpy.int64(4))
        self.refused(ValueError, 'expected at most 128', system.push,
                     numpy.broadcast_to(array[0], (1 << 40, 16)))

    def test_the_library_s_sentences(self):
        system, array = self.system, numpy.zeros((128, 16), numpy.int64)
        for call, args in ((system.push, (array, 4)), (system.push, (array, 0, 1)),
                           (system.push, (array[:, :1].view(numpy.uint8)[:, :3].copy(),)),
                           (system.write, (128, array)), (system.write, (0, array, 65000)),
                           (system.window, (2,))):
            with self.assertRaises(pimdimm.Error) as caught:
                call(*args)
            self.assertEqual(caught.exception.errno, errno.EINVAL)
            self.assertGreater(len(caught.exception.strerror), 20)
        with self.assertRaises(OSError) as caught:
            pimdimm.System('mem:ranks=0')
        self.assertIn('ranks', str(caught.exception))
        self.refused(ValueError, 'out of range', system.push, array, -8)
        self.refused(ValueError, 'out of range', system.write, 1 << 32, array)

    def test_a_view_keeps_its_system(self):
        system = pimdimm.System(URI)
        view = system.mram_view(3)[:4096]
        with self.assertRaisesRegex(pimdimm.Error, '1 view:') as caught:
            system.close()
        self.assertEqual(caught.exception.errno, errno.EBUSY)
        system.write(3, b'abc')
        self.assertEqual(view[:3].tobytes(), b'abc')
        part = view[1:9]
        del view
        self.refused(pimdimm.Error, '1 view:', system.close)
        del part
        system.close()
        system.close()
        self.assertTrue(system.closed)
        self.refused(pimdimm.Error, 'system is closed', system.write, 0, b'a')

    def test_a_view_outlives_the_block(self):
        with pimdimm.System(URI) as system:
            system.write(9, b'xyz')
            view = system.mram_view(9)
        self.assertTrue(system.closed)
        self.refused(pimdimm.Error, 'system is closed', system.mram_view, 0)
        del system
        gc.collect()
        view[1] = 65
        self.assertEqual(view[:3].tobytes(), b'xAz')

    def test_memory_is_given_back(self):
        def used():
            return len(os.listdir('/proc/self/fd'))
        before = used()
        for _ in range(20):
            with pimdimm.System(URI) as system:
                view = system.mram_view(9)
        del view, system
        gc.collect()
        self.assertEqual(used(), before)

    def test_threads(self):
        failed = []

        def work(pe):
            mine = numpy.full(64, pe, numpy.int64)
            for _ in range(200):
                self.system.write(pe, mine)
                if not (self.system.read(pe, numpy.int64, 64) == pe).all():
                    failed.append(pe)
        threads = [threading.Thread(target=work, args=(pe,)) for pe in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])

    def test_files(self):
        array = self.random.integers(0, 1 << 30, (128, 64), numpy.int32)
        self.system.push(array, 1024)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, 'sav\udcffed')
            self.system.save(path)
            self.assertLess(path.stat().st_size, 1 << 20)
            with pimdimm.System('mem:ranks=2,mram=64K,layout=xeon_sp') as other:
                other.write(9, b'before', 60000)
                other.restore(os.fsencode(path))
                self.assertTrue((other.pull(numpy.int32, 64, 1024) == array).all())
                self.assertFalse(other.read(9, numpy.uint8, 6, 60000).any())
                other.write(9, b'after')
                os.truncate(path, path.stat().st_size - 1)
                with self.assertRaisesRegex(pimdimm.Error, 'offset') as caught:
                    other.restore(path)
                self.assertEqual(caught.exception.errno, errno.EBADMSG)
                self.assertEqual(other.read(9, numpy.uint8, 5).tobytes(), b'after')
            with pimdimm.System('mem:ranks=1,mram=64K') as other:
                self.system.save(str(path))
                self.refused(pimdimm.Error, 'rank', other.restore, path)
            path.write_bytes(b'something else, of 64 bytes'.ljust(64))
            self.refused(pimdimm.Error, 'offset 0', self.system.restore, path)
            self.refused(pimdimm.Error, 'No such file', self.system.save,
                         os.path.join(folder, 'none', 'saved'))
            self.assertEqual(os.listdir(folder), [path.name])
        self.refused(TypeError, 'str, bytes', self.system.save, 5)
        self.refused(ValueError, 'null', self.system.restore, 'a\0b')

    def test_fork(self):
        self.system.write(1, b'parent..')
        child = os.fork()
        if not child:
            good = self.system.read(1, numpy.uint8, 8).tobytes() == b'parent..'
            os._exit(0 if good else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(self.system.read(1, numpy.uint8, 8).tobytes(), b'parent..')

    def test_what_other_programs_left(self):
        code = 'import pimdimm; s = pimdimm.System("mem:ranks=1"); v = s.mram_view(0)'
        done = subprocess.run([sys.executable, '-c', code], stderr=subprocess.PIPE, check=True)
        self.assertEqual(done.stderr, b'')


if __name__ == '__main__':
    unittest.main()
