// SPDX-License-Identifier: MIT
/* Random calls of collectives. */
#include "tests/conformance/call.h"
#include "tests/conformance/numeric.h"
#include "tests/conformance/userop.h"

const struct collective_traits collectives[NR_COLLECTIVES] = {
	[ALLTOALL] = { .name = "alltoall", .chunked = true, .in_place = true },
	[REDUCE_SCATTER] = { .name = "reduce_scatter", .reduces = true,
			     .chunked = true, .in_place = true },
	[ALLREDUCE] = { .name = "allreduce", .reduces = true,
			.in_place = true },
	[ALLGATHER] = { .name = "allgather", .chunked = true,
			.in_place = true },
	[SCATTER] = { .name = "scatter", .host_in = true },
	[GATHER] = { .name = "gather", .host_out = true },
	[REDUCE] = { .name = "reduce", .host_out = true, .reduces = true },
	[BROADCAST] = { .name = "broadcast", .host_in = true },
};

static const char *const data_names[NR_DATA] = {
	"bits", "small", "normal", "special",
};

uint64_t call_reads(const struct call *call, uint32_t members)
{
	if (collectives[call->collective].host_in)
		return 0;
	if (call->collective == ALLGATHER)
		return call->bytes / members;
	return call->bytes;
}

uint64_t call_writes(const struct call *call, uint32_t members)
{
	if (collectives[call->collective].host_out)
		return 0;
	if (call->collective == REDUCE_SCATTER)
		return call->bytes / members;
	return call->bytes;
}

uint64_t call_host_bytes(const struct call *call, uint32_t members)
{
	switch (call->collective) {
	case SCATTER:
	case GATHER:
		return call->bytes * members;
	case REDUCE:
	case BROADCAST:
		return call->bytes;
	default:
		return 0;
	}
}

/* A multiple of 8 from 0 to @most, often at an end or near a run's border. */
static uint64_t random_offset(struct rng *rng, uint64_t most)
{
	uint64_t off = rng_below(rng, most / 8 + 1) * 8;

	switch (rng_below(rng, 8)) {
	case 0:
		return 0;
	case 1:
		return most;
	case 2:
		return off / 64 * 64;
	case 3:
		off = off / 8192 * 8192 + 8 * rng_below(rng, 3);
		return off <= most ? off : most;
	default:
		return off;
	}
}

static void place_two(struct rng *rng, uint64_t mram, uint64_t reads,
		      uint64_t writes, struct call *call)
{
	uint64_t free = mram - reads - writes;
	uint64_t first = random_offset(rng, free);
	uint64_t gap = rng_chance(rng, 30) ? 0 :
		random_offset(rng, free - first);

	if (rng_chance(rng, 50)) {
		call->src = first;
		call->dst = first + reads + gap;
	} else {
		call->dst = first;
		call->src = first + writes + gap;
	}
}

static void place(struct rng *rng, uint64_t mram, uint32_t members,
		  struct call *call)
{
	uint64_t reads = call_reads(call, members);
	uint64_t writes = call_writes(call, members);
	bool may = collectives[call->collective].in_place;

	if (may && (reads + writes > mram || rng_chance(rng, 40))) {
		call->src = random_offset(rng, mram -
					  (reads > writes ? reads : writes));
		call->dst = call->src;
	} else {
		place_two(rng, mram, reads, writes, call);
	}
}

/* Units of a call, of which at most @most fit. */
static uint64_t random_units(struct rng *rng, uint64_t most, bool tile_ends)
{
	uint64_t units;

	switch (tile_ends ? 7 : rng_below(rng, 16)) {
	case 0:
		return 0;
	case 1:	/* registers, which have a word for each lane of a group */
		units = 1u << rng_below(rng, 5);
		break;
	case 2:
		return most;
	case 3:
	case 4:
		return 1 + rng_below(rng, most);
	case 5:
	case 6:
		units = 1 + rng_below(rng, 300);
		break;
	case 7:	/* tiles end at multiples of a power of two */
		units = 128 * (1 + rng_below(rng, 8)) - 7 + rng_below(rng, 15);
		break;
	default:
		units = 1 + rng_below(rng, 40);
	}
	return units < most ? units : most;
}

static uint64_t random_bytes(struct rng *rng, const struct shape *shape,
			     const struct limits *limits, uint32_t members,
			     const struct call *call)
{
	const struct collective_traits *traits = &collectives[call->collective];
	uint64_t unit = traits->chunked ? 8 * members : 8;
	uint64_t room = limits->mram_size;
	uint64_t share = limits->budget / shape->pes;
	uint64_t most;

	/* two ranges, where they cannot be one and the same */
	if (!traits->host_in && !traits->host_out &&
	    (!traits->in_place || rng_chance(rng, 70)))
		room /= 2;
	if (room / unit == 0)
		room = limits->mram_size;
	most = (room < share ? room : share) / unit;
	return unit * random_units(rng, most ? most : 1,
				   limits->tile_ends);
}

static pidcomm_op random_op(struct rng *rng, enum pidcomm_type type)
{
	pidcomm_op op;

	if (rng_chance(rng, 25))
		return userops[rng_below(rng, NR_USEROPS)].handle;
	do
		op = num_op((unsigned)rng_below(rng, NUM_OPS));
	while (num_is_float(type) && num_is_bitwise(op));
	return op;
}

static unsigned random_mode(struct rng *rng)
{
	if (rng_chance(rng, 85))
		return 0;
	return 1 + (unsigned)rng_below(rng, 5);
}

void call_random(struct rng *rng, const struct shape *shape,
		 const struct limits *limits, struct call *call)
{
	struct grouping g;

	axes_random(rng, shape->ndims, call->axes);
	grouping_make(shape, call->axes, &g);
	call->type = (enum pidcomm_type)rng_below(rng, NUM_TYPES);
	call->op = random_op(rng, call->type);
	call->bytes = random_bytes(rng, shape, limits, g.members, call);
	place(rng, limits->mram_size, g.members, call);
	call->data = rng_chance(rng, 30) ? DATA_SPECIAL :
		(enum data)rng_below(rng, NR_DATA);
	call->misalign = rng_chance(rng, 40) ? 0 : (unsigned)rng_below(rng, 64);
	call->shared = rng_chance(rng, 20);
	call->mode = random_mode(rng);
	grouping_free(&g);
}

void call_print(FILE *out, const struct shape *shape, const struct call *call)
{
	const struct userop *user = userop_find(call->op);

	fprintf(out, "%s algorithm=%s dims=", collectives[call->collective].name,
		call->algorithm);
	for (unsigned i = 0; i < shape->ndims; i++)
		fprintf(out, "%s%u", i ? "," : "", shape->dims[i]);
	fprintf(out, " axes=%s bytes=%llu src=%llu dst=%llu type=%s op=%s "
		"data=%s misalign=%u shared=%d mode=%u", call->axes,
		(unsigned long long)call->bytes, (unsigned long long)call->src,
		(unsigned long long)call->dst, num_type_name(call->type),
		user ? user->name : num_op_name(call->op),
		data_names[call->data], call->misalign, call->shared,
		call->mode);
}
