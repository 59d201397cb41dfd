/* SPDX-License-Identifier: MIT */
/* What algorithms that go by way of the host spend their time on, as PID-Comm's figure 4. */
#ifndef PIMDIMM_PERF_APPS_SPLIT_H
#define PIMDIMM_PERF_APPS_SPLIT_H

#include <stdint.h>

struct app_context;

/* of the collectives of a run, without its loading */
struct apps_split {
	double modulation;	/* measured: rearranging and folding in host memory */
	uint64_t blocks;	/* that went through the domain transfer */
	double block_ns;	/* of one, on all threads together */
};

/* From here on the context's collectives are added up, in all their runs. */
void apps_split_begin(struct apps_split *split, struct app_context *ctx);
/*
 * What the transpositions take alone, on blocks that stay in the cache; in a transfer they
 * are part of the loop that moves bytes, and can take no more than `moves`.
 */
double apps_split_domain(const struct apps_split *split, double moves);

#endif /* PIMDIMM_PERF_APPS_SPLIT_H */
