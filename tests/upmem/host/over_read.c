// SPDX-License-Identifier: MIT
/* Programs round sizes up to 8 bytes and so read past their buffers' ends. */
#include <string.h>
#include <sys/mman.h>

#include "check.h"

int main(void)
{
	/* rounded up, the buffer's page has the bytes, the buffer not */
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char back[24] = "", *buffer = page + 4096 - 24;
	struct dpu_set_t set, dpu;

	memcpy(buffer, "seventeen bytes..", 17);
	OK(dpu_alloc(1, NULL, &set));
	OK(dpu_load(set, "errors.dpu", NULL));
	OK(dpu_copy_to(set, DPU_MRAM_HEAP_POINTER_NAME, 0, buffer, 24));
	DPU_FOREACH(set, dpu)
		OK(dpu_copy_from(dpu, DPU_MRAM_HEAP_POINTER_NAME, 0, back, 24));
	CHECK(!memcmp(back, "seventeen bytes..", 17));
	OK(dpu_free(set));
	return check_result();
}
