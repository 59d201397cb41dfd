// SPDX-License-Identifier: MIT
/*
 * Launches of few and of many hops, whose difference has no begin and no end of a launch; the
 * median of several.
 */
#include <linux/futex.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/inside.h"
#include "tools/perf/pe/hop.h"
#include "tools/perf/suites/messages/hops.h"
#include "tools/perf/suites/pe/pe_images.h"
#include "tools/tool.h"

#define REPEATS		5
#define MOST_PES	64u
#define FEW_HOPS	500u
#define MANY_HOPS	4500u
#define FEW_EACH	100u
#define MANY_EACH	900u
#define HAND_OVERS	2000u

static int less(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double of[REPEATS])
{
	qsort(of, REPEATS, sizeof(*of), less);
	return of[REPEATS / 2];
}

/* what all PEs have received is what was sent */
static bool all_came(struct pimdimm *sys, const struct pimdimm_program *program,
		     const struct hop_args *args)
{
	uint64_t sum = 0, count, want = args->hops + (uint64_t)args->each * args->pes;
	struct pimdimm_symbol came;

	if (pimdimm_program_symbol(program, "came", &came))
		return false;
	for (uint32_t pe = 0; pe < args->pes; pe++) {
		if (pimdimm_wram_read(sys, pe, came.address, &count, sizeof(count)))
			return false;
		sum += count;
	}
	if (sum != want)
		tool_error("%llu parcels came, expected %llu", (unsigned long long)sum,
			   (unsigned long long)want);
	return sum == want;
}

/* nanoseconds of a launch, or NAN */
static double launch(struct pimdimm *sys, struct pimdimm_program *program,
		     const struct hop_args *args)
{
	struct pimdimm_run run = { .size = sizeof(run) };
	uint32_t pes[MOST_PES];
	struct pimdimm_symbol to;

	for (uint32_t pe = 0; pe < args->pes; pe++)
		pes[pe] = pe;
	if (pimdimm_load(sys, pes, args->pes, program) ||
	    pimdimm_program_symbol(program, "args", &to))
		return NAN;
	for (uint32_t pe = 0; pe < args->pes; pe++) {
		if (pimdimm_wram_write(sys, pe, to.address, args, sizeof(*args)))
			return NAN;
	}
	if (pimdimm_run(sys, pes, args->pes, &run) || !all_came(sys, program, args))
		return NAN;
	return (double)run.ns;
}

/* of each of what `many` has more than `few` */
static double measure(const struct hop_args *few, const struct hop_args *many, double more)
{
	struct pimdimm_program *program = NULL;
	struct pimdimm *sys;
	double ns[REPEATS];

	if (pimdimm_open("mem:ranks=1,mram=64K", &sys)) {
		tool_error("%s", pimdimm_errmsg());
		return NAN;
	}
	for (unsigned int i = 0; i < REPEATS; i++)
		ns[i] = NAN;
	if (!pe_image_open(PE_HOP, &program)) {
		for (unsigned int i = 0; i < REPEATS; i++)
			ns[i] = (launch(sys, program, many) - launch(sys, program, few)) / more;
	}
	if (isnan(ns[0]) && *pimdimm_errmsg())
		tool_error("%s", pimdimm_errmsg());
	pimdimm_program_close(program);
	pimdimm_close(sys);
	return median(ns);
}

double hops_around(uint32_t pes)
{
	const struct hop_args few = { .pes = pes, .hops = FEW_HOPS };
	const struct hop_args many = { .pes = pes, .hops = MANY_HOPS };

	return measure(&few, &many, MANY_HOPS - FEW_HOPS);
}

double hops_rate(uint32_t pes)
{
	const struct hop_args few = { .pes = pes, .each = FEW_EACH };
	const struct hop_args many = { .pes = pes, .each = MANY_EACH };

	return measure(&few, &many, (double)(MANY_EACH - FEW_EACH) * pes);
}

static void hand_over(_Atomic uint32_t *word, uint32_t mine)
{
	atomic_store(word, !mine);
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
	while (atomic_load(word) != mine)
		syscall(SYS_futex, word, FUTEX_WAIT, !mine, NULL, NULL, 0);
}

static double hand_overs(_Atomic uint32_t *word)
{
	double ns[REPEATS];

	for (unsigned int i = 0; i < REPEATS; i++) {
		uint64_t start = pd_now_ns();

		for (unsigned int n = 0; n < HAND_OVERS; n++)
			hand_over(word, 0);
		ns[i] = (double)(pd_now_ns() - start) / (2.0 * HAND_OVERS);
	}
	return median(ns);
}

double hops_futex(void)
{
	_Atomic uint32_t *word = mmap(NULL, sizeof(*word), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	double ns = NAN;
	pid_t pid;

	if (word == MAP_FAILED)
		return NAN;
	pid = fork();
	if (!pid) {
		while (atomic_load(word) != 1)
			syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0);
		for (;;)
			hand_over(word, 1);
	}
	if (pid > 0) {
		ns = hand_overs(word);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	munmap(word, sizeof(*word));
	return ns;
}
