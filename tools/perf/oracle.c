// SPDX-License-Identifier: MIT
#include "tools/perf/oracle.h"

/*
 * The coordinates of the chosen axes are the digits of the rank, those of the
 * others the digits of the group's number, axis 0 the lowest in both; all of
 * them are the digits of the PE's number.
 */
uint32_t oracle_pe(const struct oracle *o, uint32_t group, uint32_t rank)
{
	uint32_t pe = 0, weight = 1;

	for (unsigned int i = 0; i < o->nr_dims; i++) {
		uint32_t *from = o->axes[i] == '1' ? &rank : &group;

		pe += *from % o->dims[i] * weight;
		*from /= o->dims[i];
		weight *= o->dims[i];
	}
	return pe;
}

static uint32_t source(const struct oracle *o, uint32_t group, uint32_t rank,
		       size_t word)
{
	return o->src[oracle_pe(o, group, rank)][word];
}

static uint32_t sum(const struct oracle *o, uint32_t group, size_t word)
{
	uint32_t result = 0;

	for (uint32_t rank = 0; rank < o->members; rank++)
		result += source(o, group, rank, word);
	return result;
}

static size_t chunk_words(const struct oracle *o)
{
	return o->words / o->members;
}

uint32_t oracle_alltoall(const struct oracle *o, uint32_t group, uint32_t rank,
			 size_t word)
{
	size_t chunk = chunk_words(o);

	/* chunk c here is chunk `rank` of member c */
	return source(o, group, (uint32_t)(word / chunk),
		      rank * chunk + word % chunk);
}

uint32_t oracle_reduce_scatter(const struct oracle *o, uint32_t group,
			       uint32_t rank, size_t word)
{
	return sum(o, group, rank * chunk_words(o) + word);
}

uint32_t oracle_allreduce(const struct oracle *o, uint32_t group, uint32_t rank,
			  size_t word)
{
	(void)rank;
	return sum(o, group, word);
}

uint32_t oracle_allgather(const struct oracle *o, uint32_t group, uint32_t rank,
			  size_t word)
{
	size_t chunk = chunk_words(o);

	(void)rank;
	return source(o, group, (uint32_t)(word / chunk), word % chunk);
}

uint32_t oracle_scatter(const struct oracle *o, uint32_t group, uint32_t rank,
			size_t word)
{
	return o->host[group][rank * o->words + word];
}

uint32_t oracle_broadcast(const struct oracle *o, uint32_t group, uint32_t rank,
			  size_t word)
{
	(void)rank;
	return o->host[group][word];
}

uint32_t oracle_gather(const struct oracle *o, uint32_t group, uint32_t rank,
		       size_t word)
{
	(void)rank;
	return source(o, group, (uint32_t)(word / o->words), word % o->words);
}

uint32_t oracle_reduce(const struct oracle *o, uint32_t group, uint32_t rank,
		       size_t word)
{
	(void)rank;
	return sum(o, group, word);
}
