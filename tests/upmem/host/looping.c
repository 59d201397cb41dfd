// SPDX-License-Identifier: MIT
/* An asynchronous launch is one launch: a DPU that loops ends it in every rank. */
#include <string.h>
#include <unistd.h>

#include "check.h"

#define RANKS		5
#define THREADS		2	/* so many DPUs run at once */
#define WATCHDOG	"2000"

static struct dpu_set_t set;

static void set_word(const char *name, uint64_t value)
{
	OK(dpu_broadcast_to(set, name, 0, &value, 8, DPU_XFER_DEFAULT));
}

static void allocate(void)
{
	OK(dpu_alloc_ranks(RANKS, NULL, &set));
	OK(dpu_load(set, "looping.dpu", NULL));
	set_word("for_ever", 1);
}

static bool timed_out(void)
{
	return strstr(dpu_error_detail(), "did not end in " WATCHDOG " ms");
}

/* Those that ran first have had their time: nobody waits for the others as well. */
static void ends_at_the_first(void)
{
	uint32_t nr_timed_out = 0, nr_stopped = 0;
	struct dpu_set_t rank;
	bool done, fault;

	allocate();
	OK(dpu_launch(set, DPU_ASYNCHRONOUS));
	DPU_RANK_FOREACH(set, rank) {
		CHECK(dpu_sync(rank) & DPU_ERR_ASYNC_JOBS);
		nr_timed_out += timed_out();
		nr_stopped += !!strstr(dpu_error_detail(), "64 PEs were stopped");
		OK(dpu_status(rank, &done, &fault));
		CHECK(done && fault);
	}
	CHECK(nr_timed_out >= 1 && nr_timed_out <= THREADS);
	CHECK(nr_timed_out + nr_stopped == RANKS);
	/* the next launch has nothing to do with it */
	set_word("for_ever", 0);
	OK(dpu_launch(set, DPU_ASYNCHRONOUS));
	OK(dpu_sync(set));
	OK(dpu_status(set, &done, &fault));
	CHECK(done && !fault);
	OK(dpu_free(set));
}

static dpu_error_t tarry(struct dpu_set_t rank, uint32_t id, void *args)
{
	(void)rank;
	(void)args;
	if (!id)
		usleep(400000);
	return DPU_OK;
}

/* Of all ranks' errors the one is told that says why, not the first rank's. */
static void cause_is_told(void)
{
	allocate();
	OK(dpu_callback(set, tarry, NULL, DPU_CALLBACK_ASYNC));
	OK(dpu_launch(set, DPU_ASYNCHRONOUS));
	CHECK(dpu_sync(set) & DPU_ERR_ASYNC_JOBS);
	CHECK(timed_out());
	OK(dpu_free(set));
}

int main(void)
{
	char threads[8];

	snprintf(threads, sizeof(threads), "%d", THREADS);
	setenv("PIMDIMM_THREADS", threads, 1);
	setenv("PIMDIMM_WATCHDOG", WATCHDOG, 1);
	ends_at_the_first();
	cause_is_told();
	return check_result();
}
