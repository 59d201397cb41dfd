/* SPDX-License-Identifier: MIT */
/* A system under test with what its MRAM should hold. */
#ifndef TESTS_RIG_H
#define TESTS_RIG_H

#include "tests/conformance/call.h"
#include "tests/conformance/crew.h"
#include "tests/conformance/shadow.h"

struct rig {
	const char *uri;
	struct pimdimm *sys;
	struct shadow shadow;
	uint64_t seed;
	uint64_t budget;	/* bytes of all PEs that a call may have */
	bool tile_ends;		/* calls end about where tiles do */
	bool parts;		/* hypercubes lie on parts of the system */
	uint64_t margin;	/* how far around a call's ranges to look each time */
	uint64_t calls;		/* made so far */
	struct crew *crew;	/* of several hosts, or NULL */
};

/* Returns 0 or what pimdimm_open() said. crew: NULL, or the hosts, who have joined. */
int rig_open(struct rig *rig, const char *uri, uint64_t seed, struct crew *crew);
void rig_close(struct rig *rig);

/* Compares all MRAM, and what is none. */
bool rig_check_all(struct rig *rig);

/*
 * Case @index with a given collective and algorithm: a random hypercube, one
 * call or a few. Prints the case when it fails.
 */
bool rig_case(struct rig *rig, uint64_t index, enum collective collective,
	      const char *algorithm);

/* Case @index of the calls that must be refused. */
bool rig_refusal(struct rig *rig, uint64_t index);

#endif
