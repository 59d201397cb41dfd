// SPDX-License-Identifier: MIT
/*
 * Compiles a user's function for host and DPUs as it runs, and applies it to a
 * vector.
 */
#include <dlfcn.h>
#include <dpu.h>
#include <dpu_log.h>
#include <stdio.h>
#include <stdlib.h>

#include "map.h"

#define ELEMENTS (64 * 50)

static map_function_t compile(const char *header)
{
	char command[1024];
	void *object;

	snprintf(command, sizeof(command), "dpu-upmem-dpurte-clang -g -O2 -DNR_TASKLETS=%d -D__mapfunc_filename__='\"%s\"' -Ilib -I. -o bin/dpu_map lib/map_dpu.c", NR_TASKLETS, header);
	if (system(command))
		return NULL;
	snprintf(command, sizeof(command), "gcc -O2 -shared -fPIC -D__mapfunc_filename__='\"%s\"' -I. -o bin/map_host.so lib/map_host.c", header);
	if (system(command))
		return NULL;
	object = dlopen("./bin/map_host.so", RTLD_NOW);
	return object ? (map_function_t)dlsym(object, "map_host") : NULL;
}

int main(void)
{
	struct dpu_set_t set, dpu;
	uint32_t nr, i, wrong = 0;
	int32_t factor[2] = { -3, 0 };
	map_function_t function = compile("user/axpy.h");

	if (!function) {
		printf("nothing was compiled\n");
		return 1;
	}
	DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
	DPU_ASSERT(dpu_load(set, "bin/dpu_map", NULL));
	DPU_ASSERT(dpu_get_nr_dpus(set, &nr));
	int32_t (*in)[2] = malloc((size_t)ELEMENTS * nr * sizeof(*in));
	int64_t *out = malloc((size_t)ELEMENTS * nr * sizeof(*out)), expected;
	for (size_t k = 0; k < (size_t)ELEMENTS * nr; k++) {
		in[k][0] = (int32_t)k * 1001;
		in[k][1] = -(int32_t)k;
	}
	map_arguments_t arguments = { ELEMENTS, sizeof(*in), sizeof(*out), sizeof(factor), ELEMENTS * sizeof(*in), 0 };
	DPU_ASSERT(dpu_broadcast_to(set, "arguments", 0, &arguments, sizeof(arguments), DPU_XFER_DEFAULT));
	DPU_ASSERT(dpu_broadcast_to(set, "context", 0, factor, sizeof(factor), DPU_XFER_DEFAULT));
	DPU_FOREACH(set, dpu, i)
		DPU_ASSERT(dpu_prepare_xfer(dpu, in + (size_t)ELEMENTS * i));
	DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, ELEMENTS * sizeof(*in), DPU_XFER_DEFAULT));
	DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
	DPU_FOREACH(set, dpu, i)
		DPU_ASSERT(dpu_prepare_xfer(dpu, out + (size_t)ELEMENTS * i));
	DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, DPU_MRAM_HEAP_POINTER_NAME, ELEMENTS * sizeof(*in), ELEMENTS * sizeof(*out), DPU_XFER_DEFAULT));
	for (size_t k = 0; k < (size_t)ELEMENTS * nr; k++) {
		function(in[k], &expected, factor);
		wrong += out[k] != expected;
	}
	DPU_FOREACH(set, dpu) {
		uint32_t pointers;

		DPU_ASSERT(dpu_copy_from(dpu, "pointers", 0, &pointers, sizeof(pointers)));
		wrong += pointers != NR_TASKLETS;
	}
	printf("%u wrong\n", wrong);
	return wrong != 0;
}
