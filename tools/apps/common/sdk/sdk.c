// SPDX-License-Identifier: MIT
/* Collectives by way of memory of the host, on the SDK's two transfers. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "tools/apps/common/sdk/sdk.h"
#include "tools/apps/common/sdk/sdk_fold.h"

/* of a vector, so that the fold so far stays in the cache */
#define SDK_PIECE	(16 << 10)
/* members whose chunks are exchanged with each other's before the next ones' */
#define SDK_TILE	16
#define SDK_HUGE_PAGE	((size_t)2 << 20)

struct sdk_work {
	struct sdk *sdk;
	const struct sdk_call *call;
	uint64_t chunk;		/* of a member, of an exchange */
	uint8_t *made;		/* what comes out: a vector a PE, or a group */
	sdk_fold_fn fold;
};

static const struct {
	const char *name;
	bool chunks;		/* bytes are a chunk for each member */
	bool reduces;
	bool pulls;		/* into staging memory */
	bool makes;		/* something else to push */
} sdk_traits[] = {
	[SDK_ALLTOALL] = { "alltoall", true, false, true, true },
	[SDK_REDUCE_SCATTER] = { "reduce_scatter", true, true, true, true },
	[SDK_ALLREDUCE] = { "allreduce", false, true, true, true },
	[SDK_ALLGATHER] = { "allgather", true, false, false, true },
	[SDK_SCATTER] = { "scatter", false, false, false, false },
	[SDK_GATHER] = { "gather", false, false, false, false },
	[SDK_REDUCE] = { "reduce", false, true, true, false },
	[SDK_BROADCAST] = { "broadcast", false, false, false, false },
};

const char *sdk_name(enum sdk_collective collective)
{
	return sdk_traits[collective].name;
}

static int sdk_refuse(struct sdk *sdk, int error, const char *reason)
{
	sdk->reason = reason;
	return -error;
}

static int sort_groups(struct sdk *sdk, const char *axes)
{
	size_t pes = sdk->nr_pes;
	int ret = pidcomm_group_count(sdk->cube, axes, &sdk->groups, &sdk->members);

	if (ret)
		return ret;
	if (!sdk->bufs) {
		sdk->bufs = malloc(pes * sizeof(*sdk->bufs));
		sdk->pe_at = malloc(pes * sizeof(*sdk->pe_at));
		sdk->place = malloc(pes * sizeof(*sdk->place));
	}
	if (!sdk->bufs || !sdk->pe_at || !sdk->place)
		return sdk_refuse(sdk, ENOMEM, "no memory for tables of PEs");
	for (uint32_t pe = 0; pe < pes && !ret; pe++) {
		uint32_t group, rank;

		ret = pidcomm_group_of(sdk->cube, axes, pe, &group, &rank);
		sdk->place[pe] = group * sdk->members + rank;
		sdk->pe_at[sdk->place[pe]] = pe;
	}
	return ret;
}

/* Memory that is there: the kernel has zeroed each of its pages. */
static int sdk_stage(struct sdk *sdk, uint64_t bytes)
{
	if (bytes <= sdk->staging_bytes)
		return 0;
	free(sdk->staging);
	sdk->staging_bytes = 0;
	sdk->staging = bytes > SIZE_MAX - SDK_HUGE_PAGE ? NULL :
		       aligned_alloc(SDK_HUGE_PAGE,
				     (bytes + SDK_HUGE_PAGE - 1) &
				     ~(SDK_HUGE_PAGE - 1));
	if (!sdk->staging)
		return sdk_refuse(sdk, ENOMEM, "no memory for vectors of all PEs");
	sdk->staging_bytes = bytes;
	/* a kernel without huge pages says so, and gives small ones */
	madvise(sdk->staging, bytes, MADV_HUGEPAGE);
	memset(sdk->staging, 0, bytes);
	return 0;
}

/* how many vectors of all PEs are pulled into staging memory, which begins with them */
static uint64_t pulled_vectors(enum sdk_collective collective, uint32_t pes)
{
	return sdk_traits[collective].pulls ? pes : 0;
}

static uint64_t made_vectors(enum sdk_collective collective, uint32_t pes,
			     uint32_t groups)
{
	if (!sdk_traits[collective].makes)
		return 0;
	return collective == SDK_ALLTOALL ? pes : groups;
}

uint64_t sdk_staging(enum sdk_collective collective, uint32_t pes, uint32_t groups,
		     uint64_t bytes)
{
	uint64_t vectors = pulled_vectors(collective, pes) +
			   made_vectors(collective, pes, groups), all;

	return __builtin_mul_overflow(vectors, bytes, &all) ? UINT64_MAX : all;
}

int sdk_prepare(struct sdk *sdk, const struct sdk_call *call)
{
	uint64_t unit = 8;
	int ret;

	sdk->reason = NULL;
	ret = sort_groups(sdk, call->axes);
	if (ret)
		return ret;
	if (sdk_traits[call->collective].chunks)
		unit *= sdk->members;
	if (call->bytes % unit)
		return sdk_refuse(sdk, EINVAL,
				  "bytes are no multiple of 8 for each member");
	if (sdk_traits[call->collective].reduces && !sdk_fold(call->type, call->op))
		return sdk_refuse(sdk, EOPNOTSUPP,
				  "algorithm sdk does not serve this type or operation");
	return sdk_stage(sdk, sdk_staging(call->collective, sdk->nr_pes, sdk->groups,
					  call->bytes));
}

/* So many bytes of each PE to where bufs names. */
static int sdk_pull(struct sdk *sdk, uint64_t bytes, uint64_t src)
{
	sdk->mram_bytes += sdk->nr_pes * bytes;
	sdk->host_bytes += sdk->nr_pes * bytes;
	return pimdimm_pull(sdk->sys, 0, sdk->nr_pes, src, sdk->bufs, bytes);
}

static int sdk_push(struct sdk *sdk, uint64_t bytes, uint64_t dst)
{
	sdk->mram_bytes += sdk->nr_pes * bytes;
	sdk->host_bytes += sdk->nr_pes * bytes;
	return pimdimm_push(sdk->sys, 0, sdk->nr_pes, dst,
			    (const void *const *)sdk->bufs, bytes);
}

/* of a clock of its own: programs need nothing of the tool for these collectives */
static uint64_t sdk_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void sdk_in_parallel(struct sdk *sdk, sdk_part_fn fn, void *arg)
{
	uint64_t start = sdk_now();

	sdk->parallel(sdk->threads, fn, arg);
	sdk->host_ns += sdk_now() - start;
}

/* PEs' pieces, which lie at `begin` by group and in it by rank, so far apart. */
static void name_pieces(struct sdk *sdk, uint8_t *begin, uint64_t group, uint64_t rank)
{
	for (uint32_t pe = 0; pe < sdk->nr_pes; pe++)
		sdk->bufs[pe] = begin + sdk->place[pe] / sdk->members * group +
				sdk->place[pe] % sdk->members * rank;
}

/* The same of the caller's buffers, of which each group has one. */
static void name_buffers(struct sdk *sdk, void *const *groups, uint64_t rank)
{
	for (uint32_t pe = 0; pe < sdk->nr_pes; pe++)
		sdk->bufs[pe] = (uint8_t *)groups[sdk->place[pe] / sdk->members] +
				sdk->place[pe] % sdk->members * rank;
}

/* Vectors of all PEs, the members of a group one after the other. */
static int pull_vectors(struct sdk_work *work)
{
	struct sdk *sdk = work->sdk;
	uint64_t bytes = work->call->bytes;

	name_pieces(sdk, sdk->staging, sdk->members * bytes, bytes);
	return sdk_pull(sdk, bytes, work->call->src);
}

static void copy_chunk(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
	/* a word is moved by two instructions, not by a call */
	if (bytes == 8)
		memcpy(to, from, 8);
	else
		memcpy(to, from, bytes);
}

/* Chunk `to` of member `from`, a tile of both, in a group that begins at `group`. */
static void exchange_tile(const struct sdk_work *work, uint64_t group, uint32_t to,
			  uint32_t from)
{
	uint32_t members = work->sdk->members;
	uint32_t to_end = to + SDK_TILE < members ? to + SDK_TILE : members;
	uint32_t from_end = from + SDK_TILE < members ? from + SDK_TILE : members;
	const uint8_t *pulled = work->sdk->staging + group;
	uint8_t *made = work->made + group;

	for (uint32_t t = to; t < to_end; t++) {
		for (uint32_t f = from; f < from_end; f++)
			copy_chunk(made + t * work->call->bytes + f * work->chunk,
				   pulled + f * work->call->bytes + t * work->chunk,
				   work->chunk);
	}
}

/* where part `part` of `parts` of `count` things begins */
static uint64_t part_first(uint64_t count, unsigned int part, unsigned int parts)
{
	return count / parts * part + count % parts * part / parts;
}

static void exchange_part(unsigned int part, unsigned int parts, void *arg)
{
	const struct sdk_work *work = arg;
	uint32_t members = work->sdk->members;
	uint64_t tiles = (members + SDK_TILE - 1) / SDK_TILE;
	uint64_t count = work->sdk->groups * tiles;
	uint64_t end = part_first(count, part + 1, parts);

	for (uint64_t i = part_first(count, part, parts); i < end; i++) {
		for (uint32_t from = 0; from < members; from += SDK_TILE)
			exchange_tile(work, i / tiles * members * work->call->bytes,
				      (uint32_t)(i % tiles) * SDK_TILE, from);
	}
}

static int run_alltoall(struct sdk_work *work)
{
	struct sdk *sdk = work->sdk;
	uint64_t bytes = work->call->bytes;
	int ret = pull_vectors(work);

	if (ret)
		return ret;
	sdk_in_parallel(sdk, exchange_part, work);
	sdk->host_bytes += 2 * sdk->nr_pes * bytes;
	name_pieces(sdk, work->made, sdk->members * bytes, bytes);
	return sdk_push(sdk, bytes, work->call->dst);
}

/* A piece of a group's vectors: in rank order, into memory of any alignment. */
static void reduce_piece(const struct sdk_work *work, uint32_t group, uint64_t at,
			 uint64_t bytes)
{
	_Alignas(64) uint8_t sum[SDK_PIECE];
	const struct sdk *sdk = work->sdk;
	const uint8_t *vector = sdk->staging +
				group * sdk->members * work->call->bytes + at;
	uint8_t *result = work->call->to ? work->call->to[group] :
					   work->made + group * work->call->bytes;
	size_t count = bytes / sdk_element_bytes(work->call->type);

	memcpy(sum, vector, bytes);
	for (uint32_t rank = 1; rank < sdk->members; rank++) {
		vector += work->call->bytes;
		work->fold(sum, vector, count);
	}
	memcpy(result + at, sum, bytes);
}

static void reduce_part(unsigned int part, unsigned int parts, void *arg)
{
	const struct sdk_work *work = arg;
	uint64_t bytes = work->call->bytes;
	uint64_t pieces = (bytes + SDK_PIECE - 1) / SDK_PIECE;
	uint64_t count = work->sdk->groups * pieces;
	uint64_t end = part_first(count, part + 1, parts);

	for (uint64_t i = part_first(count, part, parts); i < end; i++) {
		uint64_t at = i % pieces * SDK_PIECE;

		reduce_piece(work, (uint32_t)(i / pieces), at,
			     bytes - at < SDK_PIECE ? bytes - at : SDK_PIECE);
	}
}

/* What groups' vectors come to, in `made` or in the caller's buffers. */
static int reduce_vectors(struct sdk_work *work)
{
	struct sdk *sdk = work->sdk;
	int ret = pull_vectors(work);

	if (ret)
		return ret;
	sdk_in_parallel(sdk, reduce_part, work);
	sdk->host_bytes += ((uint64_t)sdk->nr_pes + sdk->groups) * work->call->bytes;
	return 0;
}

static int run_reduce_scatter(struct sdk_work *work)
{
	int ret = reduce_vectors(work);

	if (ret)
		return ret;
	name_pieces(work->sdk, work->made, work->call->bytes, work->chunk);
	return sdk_push(work->sdk, work->chunk, work->call->dst);
}

static int run_allreduce(struct sdk_work *work)
{
	int ret = reduce_vectors(work);

	if (ret)
		return ret;
	name_pieces(work->sdk, work->made, work->call->bytes, 0);
	return sdk_push(work->sdk, work->call->bytes, work->call->dst);
}

/* Chunks are pulled to where they are wanted. */
static int run_allgather(struct sdk_work *work)
{
	uint64_t bytes = work->call->bytes;
	int ret;

	name_pieces(work->sdk, work->made, bytes, work->chunk);
	ret = sdk_pull(work->sdk, work->chunk, work->call->src);
	if (ret)
		return ret;
	name_pieces(work->sdk, work->made, bytes, 0);
	return sdk_push(work->sdk, bytes, work->call->dst);
}

static int run_rooted(struct sdk_work *work)
{
	const struct sdk_call *call = work->call;

	if (call->collective == SDK_GATHER) {
		name_buffers(work->sdk, call->to, call->bytes);
		return sdk_pull(work->sdk, call->bytes, call->src);
	}
	name_buffers(work->sdk, (void *const *)call->from,
		     call->collective == SDK_SCATTER ? call->bytes : 0);
	return sdk_push(work->sdk, call->bytes, call->dst);
}

int sdk_run(struct sdk *sdk, const struct sdk_call *call)
{
	struct sdk_work work = {
		.sdk = sdk,
		.call = call,
		.chunk = call->bytes / sdk->members,
		.made = sdk->staging + pulled_vectors(call->collective, sdk->nr_pes) *
				       call->bytes,
		.fold = sdk_fold(call->type, call->op),
	};

	sdk->mram_bytes = sdk->host_bytes = sdk->host_ns = 0;
	if (!call->bytes)
		return 0;
	switch (call->collective) {
	case SDK_ALLTOALL:
		return run_alltoall(&work);
	case SDK_REDUCE_SCATTER:
		return run_reduce_scatter(&work);
	case SDK_ALLREDUCE:
		return run_allreduce(&work);
	case SDK_ALLGATHER:
		return run_allgather(&work);
	case SDK_REDUCE:
		return reduce_vectors(&work);
	default:
		return run_rooted(&work);
	}
}

void sdk_free(struct sdk *sdk)
{
	free(sdk->staging);
	free(sdk->bufs);
	free(sdk->pe_at);
	free(sdk->place);
	sdk->staging = NULL;
	sdk->staging_bytes = 0;
	sdk->bufs = NULL;
	sdk->pe_at = sdk->place = NULL;
}
