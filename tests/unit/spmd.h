/* SPDX-License-Identifier: MIT */
/* What tests of resident kernels have in common. */
#ifndef TESTS_SPMD_H
#define TESTS_SPMD_H

#include <pimdimm/spmd.h>

#include "tests/unit/unit.h"

/* The sanitizer of threads makes a context of its own for each, which takes long. */
#ifdef __SANITIZE_THREAD__
#define FEW(most, few)	(few)
#else
#define FEW(most, few)	(most)
#endif

#define TWO_RANKS	"mem:ranks=2,mram=64K"

static inline struct pimdimm_spmd one(uint32_t nr_tasklets, uint64_t seed)
{
	return (struct pimdimm_spmd){
		.size = sizeof(struct pimdimm_spmd),
		.nr_tasklets = nr_tasklets,
		.seed = seed,
	};
}

static inline struct pimdimm *open_threads(const char *uri, const char *threads)
{
	struct pimdimm *sys;

	setenv("PIMDIMM_THREADS", threads, 1);
	sys = unit_open(uri);
	unsetenv("PIMDIMM_THREADS");
	return sys;
}

#endif /* TESTS_SPMD_H */
