// SPDX-License-Identifier: MIT
/*
 * histogram: scatters bytes over all PEs, lets the tasklets of each count their
 * share of them, and reduces the PEs' histograms to one in the host's memory.
 *
 *     make histogram && ./histogram
 *     PIMDIMM_URI=mem:ranks=8 ./histogram	# on other ranks: pimdimm_open(3)
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pimdimm/pidcomm.h>
#include <pimdimm/pimdimm.h>

#define SLICE 16384	/* bytes of each PE */
#define PIECE 512	/* bytes that a tasklet reads at once */
#define TASKLETS 8
#define BINS 256
#define SHARE (BINS / TASKLETS)

/* where things lie in each PE's MRAM */
#define DATA 0
#define COUNTS (DATA + SLICE)

/* what lies in each PE's WRAM, zero at first: bins and a piece of each tasklet */
struct wram {
	uint32_t bins[TASKLETS][BINS];
	uint8_t piece[TASKLETS][PIECE];
};

static void check(int ret)
{
	if (!ret)
		return;
	fprintf(stderr, "histogram: %s\n", pimdimm_errmsg());
	exit(1);
}

/*
 * Runs on every tasklet of every PE. Each counts its pieces into bins of its own,
 * and after the barrier adds up its share of everybody's bins. An access to MRAM
 * that is refused is not to be checked here: pimdimm_launch() reports it.
 */
static void count(struct pimdimm_pe *pe, void *arg)
{
	unsigned me = pimdimm_tasklet_id(pe);
	struct wram *wram = pimdimm_wram(pe);
	uint32_t *total = wram->bins[0] + me * SHARE;

	(void)arg;
	for (unsigned at = me * PIECE; at < SLICE; at += TASKLETS * PIECE) {
		pimdimm_mram_read(pe, DATA + at, wram->piece[me], PIECE);
		for (unsigned i = 0; i < PIECE; i++)
			wram->bins[me][wram->piece[me][i]]++;
	}
	pimdimm_barrier(pe);
	for (unsigned other = 1; other < TASKLETS; other++)
		for (unsigned i = 0; i < SHARE; i++)
			total[i] += wram->bins[other][me * SHARE + i];
	pimdimm_mram_write(pe, COUNTS + me * SHARE * sizeof(*total), total,
			   SHARE * sizeof(*total));
}

/* Random bytes (xorshift), of which small ones are more frequent. */
static void fill(uint8_t *data, size_t bytes)
{
	uint32_t x = 2463534242u;

	for (size_t i = 0; i < bytes; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		data[i] = (uint8_t)(x & x >> 8);
	}
}

static int is_right(const uint32_t *counts, const uint8_t *data, size_t bytes)
{
	uint32_t expected[BINS] = { 0 };

	for (size_t i = 0; i < bytes; i++)
		expected[data[i]]++;
	return !memcmp(counts, expected, sizeof(expected));
}

int main(void)
{
	uint32_t counts[BINS], nr_pes;
	struct pimdimm *sys;
	struct pidcomm *hc;
	size_t bytes;
	uint8_t *data;
	int right;

	check(pimdimm_open(NULL, &sys));
	nr_pes = pimdimm_geometry(sys)->nr_pes;
	check(pidcomm_create(sys, 1, &nr_pes, &hc));
	bytes = (size_t)nr_pes * SLICE;
	data = malloc(bytes);
	if (!data) {
		fprintf(stderr, "histogram: no memory for %zu bytes\n", bytes);
		return 1;
	}
	fill(data, bytes);

	/* the host is the root of both: one group, so one buffer */
	check(pidcomm_scatter(hc, "1", SLICE, (const void *[]){ data }, DATA));
	check(pimdimm_launch(sys, 0, nr_pes, TASKLETS, count, NULL));
	check(pidcomm_reduce(hc, "1", sizeof(counts), COUNTS,
			     (void *[]){ counts }, PIDCOMM_U32, PIDCOMM_SUM));

	right = is_right(counts, data, bytes);
	if (right)
		printf("histogram: %zu bytes counted on %" PRIu32
		       " PEs, %" PRIu32 " of them 0\n",
		       bytes, nr_pes, counts[0]);
	else
		fprintf(stderr, "histogram: the counts are wrong\n");
	free(data);
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	return !right;
}
