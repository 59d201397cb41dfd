// SPDX-License-Identifier: MIT
/*
 * What printing leaves in the log: records of words, formats and strings; and what
 * does not fit any more is counted.
 * quirk: tasklets=1 launches=2
 */
#include <inttypes.h>
#include <mram.h>
#include <stdio.h>
#include <string.h>

#include "quirk.h"

STDOUT_BUFFER_INIT(256)

static __dma_aligned uint64_t record[32];

int main(void)
{
	const struct pe_log_record *r = (void *)record;
	const char *text = (const char *)record;
	double real = 2.5;

	CHECK(__sys_log.used == 0 && __sys_log.lost == 0);
	printf("%d %u %ld %lx %c%% %s %5.2f %p\n", -1, 4000000000u, -2l, 1ul << 40,
	       'x', "string", real, (void *)text);
	mram_read((__mram_ptr void *)0, record, 256);
	CHECK(r->nr_args == 8 && r->bytes == __sys_log.used);
	CHECK(record[1] == ~0ul && record[2] == 4000000000u);
	CHECK(record[3] == -2ul && record[4] == 1ul << 40 && record[5] == 'x');
	CHECK(!strcmp(text + record[6], "string"));
	CHECK(!memcmp(&record[7], &real, 8));
	CHECK(record[8] == (uintptr_t)text);
	CHECK(!strcmp(text + 72, "%d %u %ld %lx %c%% %s %5.2f %p\n"));
	CHECK(r->format_bytes == 32);
	while (!__sys_log.lost)
		printf("%" PRIu64 "\n", (uint64_t)1);
	CHECK(__sys_log.used <= 256 && __sys_log.lost == 1);
	quirk_end();
	return 0;
}
