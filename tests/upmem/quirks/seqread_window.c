// SPDX-License-Identifier: MIT
/*
 * A sequential reader shows two pages from a page's start on; it reads past the
 * data, even where MRAM ends.
 * quirk: tasklets=8
 * flags: -DSEQREAD_CACHE_SIZE=64
 */
#include <alloc.h>
#include <barrier.h>
#include <seqread.h>

#include "quirk.h"

BARRIER_INIT(barrier, NR_TASKLETS);
__mram_noinit uint32_t data[4096];

static void check_from(seqreader_buffer_t cache, uint32_t from, uint32_t step)
{
	seqreader_t reader;
	uint32_t *p = seqread_init(cache, &data[from], &reader);

	CHECK(reader.wram_cache == cache);
	CHECK(reader.mram_addr == ((uintptr_t)&data[from] & ~63ul));
	for (uint32_t i = from; i < 4096; i += step) {
		CHECK(*p == i * 7);
		CHECK(seqread_tell(p, &reader) == &data[i]);
		/* the second page is there as well */
		if (i + 16 < 4096)
			CHECK(p[16 - (i % 16)] == (i / 16 * 16 + 16) * 7);
		p = seqread_get(p, step * sizeof(*p), &reader);
	}
	p = seqread_seek(&data[1234], &reader);
	CHECK(*p == 1234 * 7);
}

/* the last bytes of MRAM, and a reader that runs to its end */
static void check_end(seqreader_buffer_t cache)
{
	__mram_ptr uint8_t *end = (__mram_ptr uint8_t *)(uintptr_t)
		(0x08000000 + PE_SELF->mram_bytes);
	seqreader_t reader;
	uint8_t *p = seqread_init(cache, end - 100, &reader);

	for (int i = 0; i < 100; i++)
		p = seqread_get(p, 1, &reader);
	CHECK(seqread_tell(p, &reader) == end);
	seqread_init(cache, end, &reader);
}

int main(void)
{
	seqreader_buffer_t cache;

	if (me() == 0)
		mem_reset();
	barrier_wait(&barrier);
	for (uint32_t i = me(); i < 4096; i += NR_TASKLETS)
		data[i] = i * 7;
	barrier_wait(&barrier);
	mem_alloc(12);
	cache = seqread_alloc();
	CHECK(cache % 64 == 0);
	check_from(cache, me(), 1);
	check_from(cache, 33 + me(), 3);
	check_from(cache, 5, 15);
	check_end(cache);
	quirk_end();
	return 0;
}
