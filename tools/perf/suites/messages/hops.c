// SPDX-License-Identifier: MIT
/*
 * Launches of few and of many hops, whose difference has no begin and no end of a launch; the
 * median of several.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/inside.h"
#include "tools/perf/measure.h"
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

/* of times in any order */
static double median(double of[REPEATS])
{
	perf_sort_times(of, REPEATS);
	return perf_median(of, REPEATS);
}

static int failed(void)
{
	return tool_error("hops: %s", pimdimm_errmsg());
}

/* what all PEs have received is what was sent */
static int check_came(struct pimdimm *sys, const struct pimdimm_program *program,
		      const struct hop_args *args)
{
	uint64_t sum = 0, count, want = args->hops + (uint64_t)args->each * args->pes;
	struct pimdimm_symbol came;

	if (pimdimm_program_symbol(program, "came", &came))
		return failed();
	for (uint32_t pe = 0; pe < args->pes; pe++) {
		if (pimdimm_wram_read(sys, pe, came.address, &count, sizeof(count)))
			return failed();
		sum += count;
	}
	return sum == want ? TOOL_OK :
	       tool_error("hops among %u PEs: %" PRIu64 " parcels came, expected %" PRIu64, args->pes,
			  sum, want);
}

/* nanoseconds of a launch */
static int launch(struct pimdimm *sys, struct pimdimm_program *program,
		  const struct hop_args *args, double *ns)
{
	struct pimdimm_run run = { .size = sizeof(run) };
	uint32_t pes[MOST_PES];
	struct pimdimm_symbol to;

	for (uint32_t pe = 0; pe < args->pes; pe++)
		pes[pe] = pe;
	if (pimdimm_load(sys, pes, args->pes, program) ||
	    pimdimm_program_symbol(program, "args", &to))
		return failed();
	for (uint32_t pe = 0; pe < args->pes; pe++) {
		if (pimdimm_wram_write(sys, pe, to.address, args, sizeof(*args)))
			return failed();
	}
	if (pimdimm_run(sys, pes, args->pes, &run))
		return failed();
	*ns = (double)run.ns;
	return check_came(sys, program, args);
}

static int repeat(struct pimdimm *sys, struct pimdimm_program *program,
		  const struct hop_args *few, const struct hop_args *many, double ns[REPEATS])
{
	double of_few, of_many;

	for (unsigned int i = 0; i < REPEATS; i++) {
		if (perf_interrupted())
			return tool_error("interrupted");
		if (launch(sys, program, many, &of_many) || launch(sys, program, few, &of_few))
			return TOOL_FAILED;
		ns[i] = of_many - of_few;
	}
	return TOOL_OK;
}

/* of each of what `many` has more than `few` */
static int measure(const struct hop_args *few, const struct hop_args *many, double more,
		   double *each)
{
	struct pimdimm_program *program = NULL;
	struct pimdimm *sys;
	double ns[REPEATS];
	int ret;

	if (pimdimm_open("mem:ranks=1,mram=64K", &sys))
		return failed();
	ret = pe_image_open(PE_HOP, &program);
	if (!ret)
		ret = repeat(sys, program, few, many, ns);
	if (!ret)
		*each = median(ns) / more;
	pimdimm_program_close(program);
	pimdimm_close(sys);
	return ret;
}

int hops_around(uint32_t pes, double *ns)
{
	const struct hop_args few = { .pes = pes, .hops = FEW_HOPS };
	const struct hop_args many = { .pes = pes, .hops = MANY_HOPS };

	return measure(&few, &many, MANY_HOPS - FEW_HOPS, ns);
}

int hops_rate(uint32_t pes, double *ns)
{
	const struct hop_args few = { .pes = pes, .each = FEW_EACH };
	const struct hop_args many = { .pes = pes, .each = MANY_EACH };

	return measure(&few, &many, (double)(MANY_EACH - FEW_EACH) * pes, ns);
}

/* until the word is mine; the one who has it may have ended */
static bool wait_for(_Atomic uint32_t *word, uint32_t mine, pid_t other)
{
	const struct timespec second = { 1, 0 };

	while (atomic_load(word) != mine) {
		if (syscall(SYS_futex, word, FUTEX_WAIT, !mine, &second, NULL, 0) &&
		    errno == ETIMEDOUT && other && waitpid(other, NULL, WNOHANG))
			return false;
	}
	return true;
}

static void give(_Atomic uint32_t *word, uint32_t mine)
{
	atomic_store(word, !mine);
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static bool hand_overs(_Atomic uint32_t *word, pid_t other, double *ns)
{
	double times[REPEATS];

	for (unsigned int i = 0; i < REPEATS; i++) {
		uint64_t start = pd_now_ns();

		for (unsigned int n = 0; n < HAND_OVERS; n++) {
			give(word, 0);
			if (!wait_for(word, 0, other))
				return false;
		}
		times[i] = (double)(pd_now_ns() - start) / (2.0 * HAND_OVERS);
	}
	*ns = median(times);
	return true;
}

/* the other process, which ends with the one that measures, as it may do at any time */
_Noreturn static void answer(_Atomic uint32_t *word, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	for (;;) {
		wait_for(word, 1, 0);
		give(word, 1);
	}
}

int hops_futex(double *ns)
{
	_Atomic uint32_t *word = mmap(NULL, sizeof(*word), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t parent = getpid(), pid;
	int ret = TOOL_OK;

	if (word == MAP_FAILED)
		return tool_error("hand-overs by a futex: no memory that two processes share");
	pid = fork();
	if (!pid)
		answer(word, parent);
	if (pid < 0) {
		ret = tool_error("hand-overs by a futex: no process: %s", strerror(errno));
	} else if (hand_overs(word, pid, ns)) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	} else {
		ret = tool_error("hand-overs by a futex: the other process has ended");
	}
	munmap(word, sizeof(*word));
	return ret;
}
