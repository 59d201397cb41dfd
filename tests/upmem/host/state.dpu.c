// SPDX-License-Identifier: MIT
/* Changes variables of each kind, to show which of them outlive a launch or a load. */
#include <stdint.h>

#include <alloc.h>
#include <defs.h>
#include <mram.h>

__host uint64_t launches = 100;
__host uint64_t allocated;
__mram uint64_t in_mram = 200;
__mram_noinit_keep uint64_t not_loaded;

static char *first;

int main(void)
{
	char *block = mem_alloc(16);

	if (!first)
		first = block;
	allocated = (uint64_t)(block - first) + 16;
	launches++;
	in_mram++;
	return 0;
}
