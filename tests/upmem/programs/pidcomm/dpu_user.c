// SPDX-License-Identifier: MIT
/* What is loaded while collectives go on: its printf moves the heap to 1 MiB. */
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <seqread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

BARRIER_INIT(tasklet_barrier, NR_TASKLETS);

int main(void)
{
	if (me() == 0)
		mem_reset();
	barrier_wait(&tasklet_barrier);
	printf("\n");
	barrier_wait(&tasklet_barrier);
	return 0;
}
