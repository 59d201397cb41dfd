# SPDX-License-Identifier: MIT
"""PE programs from Python. Usage: programs.py PROGRAM, which is pe.c, compiled."""

import errno
import gc
import os
import re
import sys
import tempfile
import threading
import unittest

import numpy
import pimdimm

PROGRAM = sys.argv.pop(1)
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'pe.c')


class Programs(unittest.TestCase):
    def setUp(self):
        self.system = pimdimm.System('mem:ranks=1,mram=64K')

    def tearDown(self):
        gc.collect()
        self.system.close()

    def test_load_and_run(self):
        program = self.system.load(PROGRAM)
        self.assertEqual((program.name, program.has_log), (os.path.basename(PROGRAM), True))
        vector, factor = program.symbol('vector'), program.symbol('factor')
        self.assertEqual((vector.space, vector.nbytes, factor.space), ('mram', 256, 'wram'))
        array = numpy.arange(64 * 64, dtype=numpy.int32).reshape(64, 64)
        self.system.write_symbol(vector, array)
        self.system.write_symbol(factor, numpy.int32(3), [4, 5])
        run = self.system.run()
        scaled = array * numpy.where(numpy.isin(range(64), (4, 5)), 3, 2)[:, None]
        self.assertTrue((self.system.read_symbol(vector, numpy.int32) == scaled).all())
        sums = self.system.read_symbol(program.symbol('sum'), numpy.int64)
        self.assertTrue((sums[:, 0] == scaled.sum(1)).all())
        self.assertEqual(self.system.log(5), f'sum {scaled[5].sum()}\n')
        self.assertEqual((run.nr_faulted, run.faulted, run.pes), (0, [], list(range(64))))
        self.assertGreater(run.cycles, 0)
        self.assertGreater(run.seconds, 0)
        self.assertEqual(run.total['dma_bytes'], run.dma_bytes)
        self.assertGreaterEqual(run.dma_bytes, 64 * 512)
        self.assertRaises(AttributeError, lambda: run.speed)

    def test_faults(self):
        program = self.system.load(PROGRAM, slice(8, 24))
        self.system.write_symbol(program.symbol('fault'), numpy.uint32(1), [11, 20])
        with self.assertRaises(pimdimm.Fault) as caught:
            self.system.run(range(8, 24))
        fault = caught.exception
        self.assertEqual((fault.errno, fault.pe, fault.tasklet), (errno.EFAULT, 11, 0))
        self.assertEqual((fault.run.nr_faulted, fault.run.faulted), (2, [11, 20]))
        with open(SOURCE) as source:
            line = [number for number, text in enumerate(source, 1)
                    if 'the line of the fault' in text]
        self.assertEqual(re.sub('.*/', '', fault.line), f'pe.c:{line[0]}')
        self.assertEqual(fault.function, 'main')
        self.assertIsInstance(fault, OSError)
        self.system.write_symbol(program.symbol('fault'), numpy.uint32(0), [11, 20])
        self.system.load(program, [11, 20])
        self.assertEqual(self.system.run(range(8, 24)).nr_faulted, 0)

    def test_saved_and_restored(self):
        program = self.system.load(PROGRAM, slice(8, 64))
        self.system.write_symbol(program.symbol('factor'), numpy.int32(7), [9])
        with tempfile.TemporaryDirectory() as folder, \
                pimdimm.System('mem:ranks=1,mram=64K') as other:
            path = os.path.join(folder, 'saved')
            self.system.save(path)
            other.restore(path)
            found = other.program_of(9)
            self.assertEqual((found.nr_tasklets, found.has_log, found.name),
                             (program.nr_tasklets, True, '(of PE 9)'))
            self.assertEqual(found.symbol('vector'), program.symbol('vector'))
            factors = other.read_symbol(found.symbol('factor'), numpy.int32, [8, 9])
            self.assertEqual(factors.tolist(), [[2], [7]])
            other.write_symbol(found.symbol('vector'), numpy.ones(64, numpy.int32), [9])
            self.assertEqual(other.run([9]).nr_faulted, 0)
            self.assertTrue((other.read_symbol(found.symbol('vector'), numpy.int32, [9]) ==
                             7).all())
            with self.assertRaises(pimdimm.Error) as caught:
                other.program_of(0)
            self.assertEqual(caught.exception.errno, errno.ENOEXEC)
            self.assertRaises(pimdimm.Error, other.program_of, 64)

    def test_from_memory(self):
        with open(PROGRAM, 'rb') as file:
            program = pimdimm.Program(file.read(), 'scale')
        self.system.load(program, 3)
        self.assertEqual(self.system.run([3]).pes, [3])

    def test_what_is_wrong(self):
        program = pimdimm.Program(PROGRAM)
        for kind, words, call in (
                (pimdimm.Error, '/nowhere', lambda: pimdimm.Program('/nowhere')),
                (pimdimm.Error, '.', lambda: pimdimm.Program(b'no program')),
                (pimdimm.Error, 'speed', lambda: program.symbol('speed')),
                (pimdimm.Error, '.', self.system.run),
                (pimdimm.Error, '.', lambda: self.system.log(0)),
                (ValueError, '0 to 63', lambda: self.system.load(program, [64])),
                (ValueError, '-1', lambda: self.system.load(program, [-1])),
                (TypeError, 'numbers of PEs', lambda: self.system.run('all')),
                (ValueError, 'factor, which has 4', lambda: self.system.write_symbol(
                    program.symbol('factor'), numpy.int64(1))),
                (ValueError, 'whole number', lambda: self.system.read_symbol(
                    program.symbol('factor'), numpy.int64)),
                (TypeError, 'Program', lambda: self.system._handle.load(
                    numpy.zeros(1, numpy.uint32), 5)),
                (TypeError, 'uint32', lambda: self.system._handle.load(
                    numpy.zeros(1, numpy.float32), program._handle))):
            with self.assertRaisesRegex(kind, words):
                call()
        self.assertRaises(pimdimm.Error, pimdimm.Program, PROGRAM + '.c')

    def test_other_threads_run_while_a_file_is_awaited(self):
        """Who opens a pipe waits for the other end, which another thread has."""
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, 'pipe')
            os.mkfifo(pipe)
            thread = threading.Thread(target=lambda: os.close(os.open(pipe, os.O_RDWR)))
            thread.start()
            self.assertRaises(pimdimm.Error, pimdimm.Program, pipe)
            thread.join()


if __name__ == '__main__':
    unittest.main()
