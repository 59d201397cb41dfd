// SPDX-License-Identifier: MIT
/*
 * sum: puts a vector into the MRAM of every PE and lets AllReduce leave the sum of
 * all vectors in every PE.
 *
 *     make sum && ./sum
 *     PIMDIMM_URI=mem:ranks=8 ./sum	# on other ranks: pimdimm_open(3)
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <pimdimm/pidcomm.h>
#include <pimdimm/pimdimm.h>

#define WORDS 16

/* where things lie in each PE's MRAM */
#define VECTOR 0
#define SUM (VECTOR + WORDS * sizeof(uint64_t))

static void check(int ret)
{
	if (!ret)
		return;
	fprintf(stderr, "sum: %s\n", pimdimm_errmsg());
	exit(1);
}

static void *allocate(size_t count, size_t bytes)
{
	void *memory = calloc(count, bytes);

	if (memory)
		return memory;
	fprintf(stderr, "sum: no memory for %zu x %zu bytes\n", count, bytes);
	exit(1);
}

/* Each PE's buffer, for a transfer of all PEs at once. */
static void **buffers(uint64_t *words, uint32_t nr_pes)
{
	void **bufs = allocate(nr_pes, sizeof(*bufs));

	for (uint32_t pe = 0; pe < nr_pes; pe++)
		bufs[pe] = words + (size_t)pe * WORDS;
	return bufs;
}

/* How many words differ from the sum over p of (p + 1) * (i + 1). */
static unsigned count_wrong(const uint64_t *sums, uint64_t nr_pes)
{
	unsigned wrong = 0;

	for (uint64_t pe = 0; pe < nr_pes; pe++)
		for (uint64_t i = 0; i < WORDS; i++)
			wrong += sums[pe * WORDS + i] !=
				 nr_pes * (nr_pes + 1) / 2 * (i + 1);
	return wrong;
}

int main(void)
{
	struct pimdimm *sys;
	struct pidcomm *hc;
	uint32_t nr_pes;
	uint64_t *words;
	void **bufs;
	unsigned wrong;

	/* the ranks that PIMDIMM_URI names, else four in this process */
	check(pimdimm_open(NULL, &sys));
	nr_pes = pimdimm_geometry(sys)->nr_pes;
	/* a hypercube of one axis: all PEs are one group */
	check(pidcomm_create(sys, 1, &nr_pes, &hc));

	words = allocate((size_t)nr_pes * WORDS, sizeof(*words));
	bufs = buffers(words, nr_pes);
	for (uint32_t pe = 0; pe < nr_pes; pe++)
		for (uint32_t i = 0; i < WORDS; i++)
			words[(size_t)pe * WORDS + i] =
				(pe + 1) * (uint64_t)(i + 1);

	check(pimdimm_push(sys, 0, nr_pes, VECTOR, (const void *const *)bufs,
			   WORDS * sizeof(*words)));
	check(pidcomm_allreduce(hc, "1", WORDS * sizeof(*words), VECTOR, SUM,
				PIDCOMM_U64, PIDCOMM_SUM));
	check(pimdimm_pull(sys, 0, nr_pes, SUM, bufs, WORDS * sizeof(*words)));

	wrong = count_wrong(words, nr_pes);
	if (wrong)
		fprintf(stderr, "sum: %u sums are wrong\n", wrong);
	else
		printf("sum: %" PRIu32 " PEs have the sums %" PRIu64 ", %" PRIu64
		       ", ...\n",
		       nr_pes, words[0], words[1]);
	free(bufs);
	free(words);
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	return wrong != 0;
}
