// SPDX-License-Identifier: MIT
/* Callbacks: how often, with what, when, and what they may do. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "check.h"

#define NR	130	/* three ranks */

static struct dpu_set_t set;
static atomic_uint calls, dpus, indices;

static dpu_error_t count(struct dpu_set_t some, uint32_t index, void *arg)
{
	uint32_t nr;

	OK(dpu_get_nr_dpus(some, &nr));
	CHECK(arg == &calls);
	atomic_fetch_add(&dpus, nr);
	atomic_fetch_or(&indices, index == UINT32_MAX ? 1u << 31 : 1u << index);
	atomic_fetch_add(&calls, 1);	/* last: it is what is waited for */
	return DPU_OK;
}

static void counted(unsigned int flags, unsigned int nr, unsigned int which)
{
	calls = dpus = indices = 0;
	OK(dpu_callback(set, count, &calls, (dpu_callback_flags_t)flags));
	OK(dpu_sync(set));
	/* a callback that queues do not wait for may be under way still */
	while (atomic_load(&calls) < nr)
		;
	CHECK(calls == nr && dpus == NR && indices == which);
}

/* all calls at once, or none would come back */
static dpu_error_t meet(__attribute__((unused)) struct dpu_set_t some,
			__attribute__((unused)) uint32_t index, void *arg)
{
	pthread_barrier_wait(arg);
	return DPU_OK;
}

static void parallel(void)
{
	pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, 3);
	OK(dpu_callback(set, meet, &barrier, DPU_CALLBACK_DEFAULT));
	OK(dpu_callback(set, meet, &barrier, DPU_CALLBACK_ASYNC));
	OK(dpu_sync(set));
	pthread_barrier_destroy(&barrier);
}

/* uses its rank: transfers and launches there wait for nobody */
static dpu_error_t use(struct dpu_set_t some,
		       __attribute__((unused)) uint32_t index,
		       __attribute__((unused)) void *arg)
{
	uint64_t words[64], base = 5;
	struct dpu_set_t dpu;
	uint32_t i, nr;

	OK(dpu_get_nr_dpus(some, &nr));
	CHECK(nr <= 64);
	OK(dpu_broadcast_to(some, "word", 0, &base, 8, DPU_XFER_DEFAULT));
	OK(dpu_launch(some, DPU_SYNCHRONOUS));
	DPU_FOREACH(some, dpu, i)
		OK(dpu_prepare_xfer(dpu, &words[i]));
	OK(dpu_push_xfer(some, DPU_XFER_FROM_DPU, "word", 0, 8,
			 DPU_XFER_DEFAULT));
	for (i = 0; i < nr; i++)
		CHECK(words[i] == 51);
	return DPU_OK;
}

/* what a callback prepares is not what the program prepared */
static void own_matrix(void)
{
	uint64_t outer[NR], back;
	struct dpu_set_t dpu;
	uint32_t i;

	DPU_FOREACH(set, dpu, i) {
		outer[i] = 1000 + i;
		OK(dpu_prepare_xfer(dpu, &outer[i]));
	}
	OK(dpu_callback(set, use, NULL, DPU_CALLBACK_DEFAULT));
	OK(dpu_push_xfer(set, DPU_XFER_TO_DPU, "word", 0, 8, DPU_XFER_DEFAULT));
	DPU_FOREACH(set, dpu, i) {
		OK(dpu_copy_from(dpu, "word", 0, &back, 8));
		CHECK(back == outer[i]);
	}
}

static dpu_error_t refuse(__attribute__((unused)) struct dpu_set_t some,
			  uint32_t index, __attribute__((unused)) void *arg)
{
	return index == 1 ? DPU_ERR_TIMEOUT : DPU_OK;
}

static dpu_error_t add_digit(__attribute__((unused)) struct dpu_set_t some,
			     uint32_t index, void *arg)
{
	uint64_t *sums = arg;

	if (index == UINT32_MAX) {
		/* all ranks have come here, and none has gone on */
		for (int r = 0; r < 3; r++) {
			CHECK(sums[r] == 1);
			sums[r] = 2;
		}
		return DPU_OK;
	}
	sums[index] = sums[index] == 2 ? 3 : sums[index] + 1;
	return DPU_OK;
}

static void barrier_over_ranks(void)
{
	uint64_t sums[3] = { 0 };

	OK(dpu_callback(set, add_digit, sums, DPU_CALLBACK_ASYNC));
	OK(dpu_callback(set, add_digit, sums,
			(dpu_callback_flags_t)(DPU_CALLBACK_ASYNC |
					       DPU_CALLBACK_SINGLE_CALL)));
	OK(dpu_callback(set, add_digit, sums, DPU_CALLBACK_ASYNC));
	OK(dpu_sync(set));
	for (int r = 0; r < 3; r++)
		CHECK(sums[r] == 3);
}

/* a queue goes on while its callback that does not block is under way */
static dpu_error_t wait_for_flag(__attribute__((unused)) struct dpu_set_t some,
				 __attribute__((unused)) uint32_t index,
				 void *arg)
{
	while (!atomic_load((atomic_uint *)arg))
		;
	atomic_fetch_add(&calls, 1);
	return DPU_OK;
}

static void nonblocking(void)
{
	static atomic_uint flag;

	calls = 0;
	OK(dpu_callback(set, wait_for_flag, &flag,
			(dpu_callback_flags_t)(DPU_CALLBACK_ASYNC |
					       DPU_CALLBACK_NONBLOCKING)));
	OK(dpu_launch(set, DPU_ASYNCHRONOUS));
	OK(dpu_sync(set));
	CHECK(calls == 0);
	atomic_store(&flag, 1);
	/* freeing waits for them, too */
	OK(dpu_free(set));
	CHECK(calls == 3);
}

/* a page of the program's, which its handler for SIGSEGV opens */
static uint8_t *page;
static atomic_uint opened;

static void open_page(int sig, siginfo_t *info,
		      __attribute__((unused)) void *context)
{
	if (info->si_addr != page)
		signal(sig, SIG_DFL);
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
	opened++;
}

static dpu_error_t touch_page(__attribute__((unused)) struct dpu_set_t some,
			      __attribute__((unused)) uint32_t index,
			      __attribute__((unused)) void *arg)
{
	sigset_t blocked;

	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	/* what others send is for the program's own threads */
	CHECK(sigismember(&blocked, SIGINT) && sigismember(&blocked, SIGALRM));
	*(volatile uint8_t *)page = 1;
	return DPU_OK;
}

/* A program that handles its own faults does so in callbacks, too. */
static void handled(void)
{
	struct sigaction action = { .sa_sigaction = open_page,
				    .sa_flags = SA_SIGINFO }, old;

	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &action, &old);
	OK(dpu_callback(set, touch_page, NULL,
			DPU_CALLBACK_ASYNC | DPU_CALLBACK_SINGLE_CALL));
	OK(dpu_sync(set));
	CHECK(opened == 1 && *page == 1);
	sigaction(SIGSEGV, &old, NULL);
	munmap(page, 4096);
}

int main(void)
{
	struct dpu_set_t dpu;
	uint64_t never = 0xdead;

	OK(dpu_alloc(NR, NULL, &set));
	OK(dpu_load(set, "jobs.dpu", NULL));
	OK(dpu_copy_to(set, "fault_if", 0, &never, 8));
	counted(DPU_CALLBACK_DEFAULT, 3, 7);
	counted(DPU_CALLBACK_ASYNC, 3, 7);
	counted(DPU_CALLBACK_ASYNC | DPU_CALLBACK_NONBLOCKING, 3, 7);
	counted(DPU_CALLBACK_SINGLE_CALL, 1, 1u << 31);
	counted(DPU_CALLBACK_ASYNC | DPU_CALLBACK_SINGLE_CALL, 1, 1u << 31);
	counted(DPU_CALLBACK_ASYNC | DPU_CALLBACK_SINGLE_CALL |
			DPU_CALLBACK_NONBLOCKING,
		1, 1u << 31);
	FAILS(DPU_ERR_NONBLOCKING_SYNC_CALLBACK,
	      dpu_callback(set, count, &calls, DPU_CALLBACK_NONBLOCKING));
	parallel();
	handled();
	own_matrix();
	OK(dpu_callback(set, use, NULL, DPU_CALLBACK_ASYNC));
	OK(dpu_sync(set));
	RETURNS(DPU_ERR_TIMEOUT,
		dpu_callback(set, refuse, NULL, DPU_CALLBACK_DEFAULT));
	OK(dpu_sync(set));
	OK(dpu_callback(set, refuse, NULL, DPU_CALLBACK_ASYNC));
	RETURNS(DPU_ERR_ASYNC_JOBS | 12 << 16 | DPU_ERR_TIMEOUT, dpu_sync(set));
	barrier_over_ranks();
	DPU_FOREACH(set, dpu) {
		OK(dpu_callback(dpu, use, NULL, DPU_CALLBACK_DEFAULT));
		break;
	}
	nonblocking();
	return check_result();
}
