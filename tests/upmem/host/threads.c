// SPDX-License-Identifier: MIT
/* Sets of several threads at once: each has its own ranks. */
#include <pthread.h>

#include "check.h"

#define THREADS	6
#define ROUNDS	8

static void one_round(uint64_t seed)
{
	uint64_t word = seed + 1, never = 0xdead, back[70];
	struct dpu_set_t set, dpu;
	uint32_t i;

	OK(dpu_alloc(70, NULL, &set));
	OK(dpu_load(set, "jobs.dpu", NULL));
	OK(dpu_copy_to(set, "fault_if", 0, &never, 8));
	OK(dpu_broadcast_to(set, "word", 0, &word, 8, DPU_XFER_ASYNC));
	OK(dpu_launch(set, DPU_ASYNCHRONOUS));
	OK(dpu_launch(set, DPU_SYNCHRONOUS));
	DPU_FOREACH(set, dpu, i)
		OK(dpu_prepare_xfer(dpu, &back[i]));
	OK(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "word", 0, 8,
			 DPU_XFER_DEFAULT));
	for (i = 0; i < 70; i++)
		CHECK(back[i] == word * 100 + 11);
	OK(dpu_free(set));
}

static void *thread(void *arg)
{
	for (uint64_t round = 0; round < ROUNDS; round++)
		one_round((uint64_t)(uintptr_t)arg * 1000 + round);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (uintptr_t t = 0; t < THREADS; t++)
		pthread_create(&threads[t], NULL, thread, (void *)t);
	for (int t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	return check_result();
}
