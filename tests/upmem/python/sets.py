# SPDX-License-Identifier: MIT
"""Sets of DPUs from Python: usage: sets.py DPUS"""

import io
import struct
import sys

from dpu import ALLOCATE_ALL, DpuError, DpuSet
from dpu import driver

PROGRAM = '''
#include <mram.h>
#include <stdint.h>
#include <stdio.h>
__host uint32_t factor = 3;
__host uint64_t sum;
__mram_noinit uint32_t values[256];
int main(void)
{
	__dma_aligned uint32_t part[256];
	sum = 0;
	mram_read(values, part, sizeof(part));
	for (unsigned i = 0; i < 256; i++)
		sum += part[i] * factor;
	printf("factor %u\\n", factor);
	return 0;
}
'''


def fails(function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except DpuError as error:
        return str(error)
    raise AssertionError('no error')


def main(nr_dpus):
    assert ALLOCATE_ALL == 0xffffffff and driver.DpuSet is DpuSet
    log = io.StringIO()
    with DpuSet(nr_dpus, c_source=io.StringIO(PROGRAM), log=log) as dpus:
        assert len(dpus) == nr_dpus == len(dpus.dpus()) == len(list(dpus))
        assert len(dpus.ranks()) == (nr_dpus + 63) // 64

        # one buffer for all, read-only; then one each
        dpus.copy('values', struct.pack('<256I', *range(256)))
        dpus.exec()
        total = 3 * sum(range(256))
        results = [bytearray(8) for _ in dpus]
        dpus.copy(results, 'sum')
        assert all(struct.unpack('<Q', r) == (total,) for r in results)
        assert log.getvalue().count('factor 3\n') == nr_dpus
        assert log.getvalue().count('=== DPU#0x') == nr_dpus
        own = [memoryview(bytearray(struct.pack('<256I', *[i] * 256)))
               for i in range(nr_dpus)]
        dpus.copy('values', own)
        dpus.factor = bytearray(struct.pack('<I', 2))
        own_log = io.StringIO()
        dpus.exec(log=own_log)
        assert own_log.getvalue().count('factor 2\n') == nr_dpus
        found = dpus.sum.uint64()
        assert (found if nr_dpus > 1 else [found]) == [512 * i for i in range(nr_dpus)]
        last = dpus.dpus()[-1]
        assert last.sum.uint64() == 512 * (nr_dpus - 1)
        assert list(last.values.uint32()) == [nr_dpus - 1] * 256

        # parts of objects, and of sets
        last.copy('values', b'\1\0\0\0\2\0\0\0', offset=16)
        part = bytearray(64)
        last.copy(part, 'values', size=16, offset=8)
        assert struct.unpack('<4I', part[:16]) == (nr_dpus - 1, nr_dpus - 1, 1, 2)
        assert not any(part[16:])
        skip = [None] * (nr_dpus - 1) + [bytearray(8)]
        dpus.copy('values', skip)
        assert last.values.uint32()[0] == 0

        # queued
        seen = []
        dpus.copy('values', bytes(1024), async_mode=True)
        dpus.exec(async_mode=True)
        dpus.call(lambda part, index, arg: seen.append((len(part), index, arg)),
                  'rank', async_mode=True)
        dpus.call(lambda part, index, arg: seen.append((part is dpus, arg)), 'set',
                  async_mode=True, single_call=True)
        dpus.sync()
        assert sorted(one for one in seen if one[-1] == 'rank') == sorted(
            (len(rank), i, 'rank') for i, rank in enumerate(dpus.ranks()))
        assert seen[-1] == (True, 'set')
        assert last.sum.uint64() == 0

        assert 'undefined symbol' in fails(dpus.copy, 'nothing', bytes(8))
        fails(dpus.copy, 'values', [bytes(8)] * (nr_dpus + 1))
        fails(dpus.copy, 'values', 'sum')
        fails(dpus.copy, 'values', bytes(8), size=16)
        fails(dpus.copy, bytes(8), 'sum')
        try:
            dpus.nothing
            raise RuntimeError('an object that is not there')
        except AttributeError:
            pass
        dpus.other = 5
        assert dpus.other == 5
    fails(DpuSet, nr_dpus=1, nr_ranks=1)
    fails(DpuSet, nr_dpus=1, binary='/nonexistent')
    fails(DpuSet, nr_dpus=1, c_source=io.StringIO('int main(void) {'))


main(int(sys.argv[1]))
