// SPDX-License-Identifier: MIT
/* Asynchronous jobs: their order, their errors, full queues. */
#include <string.h>

#include "check.h"

#define NR	130	/* three ranks */

static struct dpu_set_t set;

static void allocate(const char *profile)
{
	uint64_t never = 0xdead;

	OK(dpu_alloc(NR, profile, &set));
	OK(dpu_load(set, "jobs.dpu", NULL));
	OK(dpu_copy_to(set, "fault_if", 0, &never, 8));
}

static void prepare(uint64_t bufs[])
{
	struct dpu_set_t dpu;
	uint32_t i;

	DPU_FOREACH(set, dpu, i)
		OK(dpu_prepare_xfer(dpu, &bufs[i]));
}

/* each job sees what the one before it left, many more than the queue holds */
static void in_order(const char *profile)
{
	uint64_t start[NR], middle[NR], end[NR];

	allocate(profile);
	for (uint64_t i = 0; i < NR; i++)
		start[i] = i + 2;
	prepare(start);
	OK(dpu_push_xfer(set, DPU_XFER_TO_DPU, "word", 0, 8, DPU_XFER_ASYNC));
	OK(dpu_launch(set, DPU_ASYNCHRONOUS));
	prepare(middle);
	OK(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "word", 0, 8, DPU_XFER_ASYNC));
	for (int n = 0; n < 4; n++)
		OK(dpu_launch(set, DPU_ASYNCHRONOUS));
	prepare(end);
	/* a synchronous call waits for its turn */
	OK(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "word", 0, 8,
			 DPU_XFER_DEFAULT));
	for (uint64_t i = 0; i < NR; i++) {
		CHECK(middle[i] == (i + 2) * 10 + 1);
		CHECK(end[i] == middle[i] * 10000 + 1111);
	}
	OK(dpu_sync(set));
	OK(dpu_free(set));
}

/* ranks do not wait for each other, and are waited for by rank */
static void by_rank(void)
{
	struct dpu_set_t rank, dpu;
	uint64_t value, word;
	uint32_t r;

	allocate(NULL);
	DPU_RANK_FOREACH(set, rank, r) {
		word = r + 1;
		OK(dpu_broadcast_to(rank, "word", 0, &word, 8, DPU_XFER_ASYNC));
		OK(dpu_sync(rank));
		OK(dpu_launch(rank, DPU_ASYNCHRONOUS));
	}
	CHECK(r == 3);
	DPU_RANK_FOREACH(set, rank, r) {
		OK(dpu_sync(rank));
		DPU_FOREACH(rank, dpu) {
			OK(dpu_copy_from(dpu, "word", 0, &value, 8));
			CHECK(value == (r + 1) * 10 + 1);
		}
	}
	OK(dpu_free(set));
}

/* the first error comes back once; what was queued behind it is not done */
static void errors(void)
{
	uint64_t words[NR], fault = 7;
	bool done, faulted;

	allocate(NULL);
	for (int i = 0; i < NR; i++)
		words[i] = i == 100 ? fault : 1;
	prepare(words);
	OK(dpu_push_xfer(set, DPU_XFER_TO_DPU, "word", 0, 8, DPU_XFER_DEFAULT));
	OK(dpu_copy_to(set, "fault_if", 0, &fault, 8));
	FAILS(DPU_ERR_DPU_FAULT, dpu_launch(set, DPU_SYNCHRONOUS));
	CHECK(strstr(dpu_error_detail(), "halt"));
	OK(dpu_status(set, &done, &faulted));
	CHECK(done && faulted);
	prepare(words);
	OK(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "word", 0, 8,
			 DPU_XFER_DEFAULT));
	for (int i = 0; i < NR; i++)
		CHECK(words[i] == (i == 100 ? fault : 11));

	OK(dpu_launch(set, DPU_ASYNCHRONOUS));
	FAILS(DPU_ERR_ASYNC_JOBS | DPU_ERR_DPU_FAULT, dpu_sync(set));
	OK(dpu_sync(set));
	OK(dpu_launch(set, DPU_ASYNCHRONOUS));
	OK(dpu_status(set, &done, &faulted));
	CHECK(done && faulted);
	/* a transfer that MRAM does not allow is told when it is done */
	prepare(words);
	OK(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 4, 8,
			 DPU_XFER_ASYNC));
	FAILS(DPU_ERR_ASYNC_JOBS | 5 << 16 | DPU_ERR_INVALID_MRAM_ACCESS,
	      dpu_sync(set));
	fault = 0xdead;
	OK(dpu_copy_to(set, "fault_if", 0, &fault, 8));
	OK(dpu_launch(set, DPU_SYNCHRONOUS));
	OK(dpu_status(set, &done, &faulted));
	CHECK(done && !faulted);
	OK(dpu_free(set));
}

/* freeing waits for what is queued */
static void freeing(void)
{
	uint64_t word = 3, words[NR];

	allocate(NULL);
	OK(dpu_broadcast_to(set, "word", 0, &word, 8, DPU_XFER_ASYNC));
	OK(dpu_launch(set, DPU_ASYNCHRONOUS));
	prepare(words);
	OK(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "word", 0, 8, DPU_XFER_ASYNC));
	OK(dpu_free(set));
	for (int i = 0; i < NR; i++)
		CHECK(words[i] == 31);
}

int main(void)
{
	in_order(NULL);
	in_order("nrJobsPerRank=1");
	in_order("nrJobsPerRank=256");
	by_rank();
	errors();
	freeing();
	return check_result();
}
