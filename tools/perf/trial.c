// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/perf/oracle.h"
#include "tools/perf/trial.h"
#include "tools/tool.h"

#define MAX_PES 256
#define MAX_BYTES (256 << 10)	/* of a PE */
#define REPEATS 5

/* what a collective reads and writes besides MRAM */
enum side {
	MRAM_ONLY,
	FROM_HOST,
	TO_HOST,
};

struct arena {
	struct pimdimm *sys;
	struct pidcomm *cube;
	struct trial *trial;
	struct oracle oracle;
	uint32_t **src;		/* each PE's words, as they are at MRAM offset 0 */
	uint32_t **dst;		/* each PE's words as found afterwards */
	uint32_t **in;		/* each group's host buffer to read */
	uint32_t **out;		/* each group's host buffer to write */
};

struct collective {
	const char *name;
	enum side side;
	oracle_word expected;
	int (*run)(struct arena *arena, uint64_t bytes);
	/* is what each PE, or host buffer, gets `bytes` divided, or multiplied, by
	 * the group's members? */
	bool divided, multiplied;
};

/* Source at MRAM offset 0, destination after it. */
static int run_alltoall(struct arena *a, uint64_t bytes)
{
	return pidcomm_alltoall(a->cube, a->trial->axes, bytes, 0, bytes);
}

static int run_reduce_scatter(struct arena *a, uint64_t bytes)
{
	return pidcomm_reduce_scatter(a->cube, a->trial->axes, bytes, 0, bytes,
				      PIDCOMM_U32, PIDCOMM_SUM);
}

static int run_allreduce(struct arena *a, uint64_t bytes)
{
	return pidcomm_allreduce(a->cube, a->trial->axes, bytes, 0, bytes,
				 PIDCOMM_U32, PIDCOMM_SUM);
}

static int run_allgather(struct arena *a, uint64_t bytes)
{
	return pidcomm_allgather(a->cube, a->trial->axes, bytes, 0, bytes);
}

static int run_scatter(struct arena *a, uint64_t bytes)
{
	return pidcomm_scatter(a->cube, a->trial->axes, bytes,
			       (const void *const *)a->in, bytes);
}

static int run_gather(struct arena *a, uint64_t bytes)
{
	return pidcomm_gather(a->cube, a->trial->axes, bytes, 0,
			      (void *const *)a->out);
}

static int run_reduce(struct arena *a, uint64_t bytes)
{
	return pidcomm_reduce(a->cube, a->trial->axes, bytes, 0,
			      (void *const *)a->out, PIDCOMM_U32, PIDCOMM_SUM);
}

static int run_broadcast(struct arena *a, uint64_t bytes)
{
	return pidcomm_broadcast(a->cube, a->trial->axes, bytes,
				 (const void *const *)a->in, bytes);
}

static const struct collective collectives[TRIAL_COLLECTIVES] = {
	{ "alltoall", MRAM_ONLY, oracle_alltoall, run_alltoall, false, false },
	{ "reduce_scatter", MRAM_ONLY, oracle_reduce_scatter,
	  run_reduce_scatter, true, false },
	{ "allreduce", MRAM_ONLY, oracle_allreduce, run_allreduce, false,
	  false },
	{ "allgather", MRAM_ONLY, oracle_allgather, run_allgather, false,
	  false },
	{ "scatter", FROM_HOST, oracle_scatter, run_scatter, false, false },
	{ "gather", TO_HOST, oracle_gather, run_gather, false, true },
	{ "reduce", TO_HOST, oracle_reduce, run_reduce, false, false },
	{ "broadcast", FROM_HOST, oracle_broadcast, run_broadcast, false,
	  false },
};

static uint64_t count_wrong(const struct arena *a, const struct collective *c)
{
	const struct trial *trial = a->trial;
	uint32_t ranks = c->side == TO_HOST ? 1 : trial->members;
	size_t words = trial->bytes / 4;
	uint64_t wrong = 0;

	if (c->divided)
		words /= trial->members;
	if (c->multiplied)
		words *= trial->members;
	for (uint32_t group = 0; group < trial->groups; group++) {
		for (uint32_t rank = 0; rank < ranks; rank++) {
			const uint32_t *found = c->side == TO_HOST ?
				a->out[group] :
				a->dst[oracle_pe(&a->oracle, group, rank)];

			for (size_t w = 0; w < words; w++)
				wrong += found[w] != c->expected(&a->oracle,
								 group, rank, w);
		}
	}
	return wrong;
}

static int compare_times(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* A first run touches memory for the first time and is not counted. */
static int time_runs(struct arena *a, const struct collective *c, uint64_t *ns)
{
	uint64_t times[REPEATS];
	int ret = c->run(a, a->trial->bytes);

	for (unsigned int i = 0; i < REPEATS && !ret; i++) {
		uint64_t start = tool_now();

		ret = c->run(a, a->trial->bytes);
		times[i] = tool_now() - start;
	}
	if (ret)
		return ret;
	qsort(times, REPEATS, sizeof(*times), compare_times);
	*ns = times[REPEATS / 2];
	return 0;
}

static int try_one(struct arena *a, const struct collective *c,
		   struct trial_result *result)
{
	uint64_t bytes = a->trial->bytes;
	uint32_t nr_pes = a->trial->nr_pes;
	int ret;

	*result = (struct trial_result){
		.collective = c->name,
		.bytes = bytes * nr_pes,
	};
	/* what the one before left must not pass for this one's work */
	for (uint32_t pe = 0; pe < nr_pes; pe++)
		memset(a->dst[pe], 0xa5, bytes);
	for (uint32_t group = 0; group < a->trial->groups; group++)
		memset(a->out[group], 0xa5, bytes * a->trial->members);
	ret = pimdimm_push(a->sys, 0, nr_pes, bytes,
			   (const void *const *)a->dst, bytes);
	if (!ret)
		ret = time_runs(a, c, &result->ns);
	if (!ret)
		ret = pimdimm_pull(a->sys, 0, nr_pes, bytes,
				   (void *const *)a->dst, bytes);
	if (!ret)
		result->wrong = count_wrong(a, c);
	return ret;
}

/* count buffers of `bytes` each, in one piece of memory */
static uint32_t **alloc_buffers(uint32_t count, uint64_t bytes)
{
	uint32_t **buffers = calloc(count, sizeof(*buffers));
	char *memory = malloc(count * bytes);

	if (!buffers || !memory) {
		free(buffers);
		free(memory);
		return NULL;
	}
	for (uint32_t i = 0; i < count; i++)
		buffers[i] = (uint32_t *)(memory + i * bytes);
	return buffers;
}

static void free_buffers(uint32_t **buffers)
{
	if (buffers)
		free(buffers[0]);
	free(buffers);
}

/* xorshift64*: the same numbers in every run */
static void fill(uint32_t **buffers, uint32_t count, uint64_t bytes)
{
	uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

	for (uint32_t i = 0; i < count; i++) {
		for (uint64_t w = 0; w < bytes / 4; w++) {
			state ^= state >> 12;
			state ^= state << 25;
			state ^= state >> 27;
			buffers[i][w] = (uint32_t)(state *
				UINT64_C(0x2545f4914f6cdd1d) >> 32);
		}
	}
}

static int alloc_arena(struct arena *a)
{
	const struct trial *trial = a->trial;
	uint64_t group_bytes = trial->bytes * trial->members;

	a->src = alloc_buffers(trial->nr_pes, trial->bytes);
	a->dst = alloc_buffers(trial->nr_pes, trial->bytes);
	a->in = alloc_buffers(trial->groups, group_bytes);
	a->out = alloc_buffers(trial->groups, group_bytes);
	if (!a->src || !a->dst || !a->in || !a->out)
		return -ENOMEM;
	fill(a->src, trial->nr_pes, trial->bytes);
	fill(a->in, trial->groups, group_bytes);
	a->oracle = (struct oracle){
		.nr_dims = TRIAL_DIMS,
		.dims = trial->dims,
		.axes = trial->axes,
		.members = trial->members,
		.words = trial->bytes / 4,
		.src = a->src,
		.host = a->in,
	};
	return 0;
}

static void free_arena(struct arena *a)
{
	free_buffers(a->src);
	free_buffers(a->dst);
	free_buffers(a->in);
	free_buffers(a->out);
}

/*
 * Axes x and z of 4 x 8 x n: groups that hold half of each of their entangled
 * groups' lanes, so that no easy case is shown.
 */
static void plan(struct pimdimm *sys, struct trial *trial)
{
	const struct pimdimm_geometry *g = pimdimm_geometry(sys);
	uint64_t unit;

	trial->nr_pes = g->nr_pes < MAX_PES ? g->nr_pes : MAX_PES;
	trial->dims[0] = 4;
	trial->dims[1] = 8;
	trial->dims[2] = trial->nr_pes / 32;
	trial->axes = "101";
	trial->groups = trial->dims[1];
	trial->members = trial->dims[0] * trial->dims[2];
	unit = 8 * trial->members;
	trial->bytes = g->mram_size / 2 < MAX_BYTES ? g->mram_size / 2 :
						      MAX_BYTES;
	trial->bytes -= trial->bytes % unit;
}

static int try_all(struct arena *a,
		   void (*report)(const struct trial *trial,
				  const struct trial_result *result))
{
	struct trial *trial = a->trial;
	int ret = alloc_arena(a);

	if (!ret)
		ret = pimdimm_push(a->sys, 0, trial->nr_pes, 0,
				   (const void *const *)a->src, trial->bytes);
	for (unsigned int i = 0; i < TRIAL_COLLECTIVES && !ret; i++) {
		ret = try_one(a, &collectives[i], &trial->results[i]);
		if (!ret)
			report(trial, &trial->results[i]);
	}
	free_arena(a);
	return ret;
}

int trial_run(struct pimdimm *sys, struct trial *trial,
	      void (*report)(const struct trial *trial,
			     const struct trial_result *result))
{
	struct arena arena = { .sys = sys, .trial = trial };
	int ret;

	*trial = (struct trial){ 0 };
	plan(sys, trial);
	ret = pidcomm_create(sys, TRIAL_DIMS, trial->dims, &arena.cube);
	if (ret)
		return ret;
	ret = try_all(&arena, report);
	pidcomm_destroy(arena.cube);
	return ret;
}
