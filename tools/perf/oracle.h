/* SPDX-License-Identifier: MIT */
/*
 * What the collectives should give, written from their definitions in plain C on
 * host arrays, one element at a time and with nothing of the library.
 */
#ifndef PIMDIMM_ORACLE_H
#define PIMDIMM_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* elements are uint32_t and reductions sums, here */
struct oracle {
	unsigned int nr_dims;
	const uint32_t *dims;
	const char *axes;
	uint32_t members;	/* of a group */
	size_t words;		/* of a PE, on the larger side */
	uint32_t *const *src;	/* each PE's words before */
	uint32_t *const *host;	/* each group's buffer, or NULL */
};

/* The PE that is a group's member of this rank. */
uint32_t oracle_pe(const struct oracle *oracle, uint32_t group, uint32_t rank);

/* One word of what a PE, or a group's host buffer, holds afterwards. */
typedef uint32_t (*oracle_word)(const struct oracle *oracle, uint32_t group,
				uint32_t rank, size_t word);

uint32_t oracle_alltoall(const struct oracle *oracle, uint32_t group,
			 uint32_t rank, size_t word);
uint32_t oracle_reduce_scatter(const struct oracle *oracle, uint32_t group,
			       uint32_t rank, size_t word);
uint32_t oracle_allreduce(const struct oracle *oracle, uint32_t group,
			  uint32_t rank, size_t word);
uint32_t oracle_allgather(const struct oracle *oracle, uint32_t group,
			  uint32_t rank, size_t word);
uint32_t oracle_scatter(const struct oracle *oracle, uint32_t group,
			uint32_t rank, size_t word);
uint32_t oracle_broadcast(const struct oracle *oracle, uint32_t group,
			  uint32_t rank, size_t word);
/* of the group's buffer; rank is not looked at */
uint32_t oracle_gather(const struct oracle *oracle, uint32_t group,
		       uint32_t rank, size_t word);
uint32_t oracle_reduce(const struct oracle *oracle, uint32_t group,
		       uint32_t rank, size_t word);

#endif /* PIMDIMM_ORACLE_H */
