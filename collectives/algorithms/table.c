/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "runtime/base/error.h"
#include "collectives/call/hypercube.h"

#define ALL_SIZES	"all sizes"
#define ALL_TYPES	"all sizes, types and operations"
#define BYTES		"all sizes, i8 and u8, built-in operations"

static const struct pidcomm_algorithm table[] = {
	{ PC_ALLTOALL, "alltoall", "direct",
	  "lane exchange between pairs of entangled groups, in registers",
	  ALL_SIZES, pc_alltoall_direct, NULL, false },
	{ PC_ALLTOALL, "alltoall", "conventional",
	  "pull, rearrange in host memory, push", ALL_SIZES,
	  pc_alltoall_conventional, NULL, false },
	{ PC_ALLTOALL, "alltoall", "pr",
	  "PEs reorder, pull, turn blocks in host memory, push, PEs reorder",
	  ALL_SIZES, pc_alltoall_pr, NULL, true },
	{ PC_ALLTOALL, "alltoall", "pr+im",
	  "PEs reorder, turn in registers between domain transfers, PEs reorder",
	  ALL_SIZES, pc_alltoall_pr_im, NULL, true },
	{ PC_ALLTOALL, "alltoall", "pr+im+cm",
	  "PEs reorder, turn in registers in the PIM domain, PEs reorder",
	  ALL_SIZES, pc_alltoall_pr_im_cm, NULL, true },
	{ PC_REDUCE_SCATTER, "reduce_scatter", "direct",
	  "lane exchange, domain transfer, folds in registers, back", ALL_TYPES,
	  pc_reduce_scatter_direct, NULL, false },
	{ PC_REDUCE_SCATTER, "reduce_scatter", "conventional",
	  "pull, reduce in host memory, push", ALL_TYPES,
	  pc_reduce_scatter_conventional, NULL, false },
	{ PC_REDUCE_SCATTER, "reduce_scatter", "pr",
	  "PEs reorder, pull, fold turned blocks in host memory, push",
	  ALL_TYPES ", not in place", pc_reduce_scatter_pr,
	  pc_reduce_scatter_pr_check, true },
	{ PC_REDUCE_SCATTER, "reduce_scatter", "pr+im",
	  "PEs reorder, domain transfer, turn and fold in registers, back",
	  ALL_TYPES ", not in place", pc_reduce_scatter_pr_im,
	  pc_reduce_scatter_pr_im_check, true },
	{ PC_REDUCE_SCATTER, "reduce_scatter", "pr+im+cm",
	  "PEs reorder, turn and fold in registers in the PIM domain",
	  BYTES ", not in place", pc_reduce_scatter_pr_im_cm,
	  pc_reduce_scatter_pr_im_cm_check, true },
	{ PC_ALLREDUCE, "allreduce", "direct",
	  "folds in registers, then lane broadcast: one read, one write",
	  ALL_TYPES, pc_allreduce_direct, NULL, false },
	{ PC_ALLREDUCE, "allreduce", "conventional",
	  "pull, reduce in host memory, push to all", ALL_TYPES,
	  pc_allreduce_conventional, NULL, false },
	{ PC_ALLREDUCE, "allreduce", "ring",
	  "reduce-scatter, then allgather, step by step through MRAM",
	  "all sizes, types and built-in operations", pc_allreduce_ring,
	  pc_allreduce_ring_check, false },
	{ PC_ALLREDUCE, "allreduce", "tree",
	  "pairs of PEs up to rank 0 and down, round by round through MRAM",
	  ALL_TYPES, pc_allreduce_tree, NULL, false },
	{ PC_ALLREDUCE, "allreduce", "pr",
	  "PEs reorder, pull, fold in host memory, push turned, PEs reorder",
	  ALL_TYPES, pc_allreduce_pr,
	  pc_allreduce_pr_check, true },
	{ PC_ALLREDUCE, "allreduce", "pr+im",
	  "PEs reorder, domain transfer, fold and turn in registers, back, PEs reorder",
	  ALL_TYPES, pc_allreduce_pr_im,
	  pc_allreduce_pr_im_check, true },
	{ PC_ALLREDUCE, "allreduce", "pr+im+cm",
	  "PEs reorder, fold and turn in the PIM domain, PEs reorder",
	  BYTES, pc_allreduce_pr_im_cm,
	  pc_allreduce_pr_im_cm_check, true },
	{ PC_ALLGATHER, "allgather", "direct",
	  "lane broadcast of each block to all entangled groups", ALL_SIZES,
	  pc_allgather_direct, NULL, false },
	{ PC_ALLGATHER, "allgather", "conventional",
	  "pull side by side into host memory, push to all", ALL_SIZES,
	  pc_allgather_conventional, NULL, false },
	{ PC_ALLGATHER, "allgather", "pr",
	  "pull into host memory, push turned to all, PEs reorder",
	  ALL_SIZES, pc_allgather_pr, NULL, true },
	{ PC_ALLGATHER, "allgather", "pr+im",
	  "turn in registers between domain transfers, PEs reorder",
	  ALL_SIZES, pc_allgather_pr_im, NULL, true },
	{ PC_ALLGATHER, "allgather", "pr+im+cm",
	  "turn in registers in the PIM domain, PEs reorder",
	  ALL_SIZES, pc_allgather_pr_im_cm, NULL, true },
	{ PC_SCATTER, "scatter", "direct",
	  "qword and byte transposition in registers", ALL_SIZES, pc_scatter,
	  NULL, false },
	{ PC_SCATTER, "scatter", "conventional",
	  "the same: there is no host staging to leave out", ALL_SIZES,
	  pc_scatter, NULL, false },
	{ PC_GATHER, "gather", "direct",
	  "byte and qword transposition in registers", ALL_SIZES, pc_gather,
	  NULL, false },
	{ PC_GATHER, "gather", "conventional",
	  "the same: there is no host staging to leave out", ALL_SIZES,
	  pc_gather, NULL, false },
	{ PC_REDUCE, "reduce", "direct",
	  "folds in registers, whole lines to the host buffers", ALL_TYPES,
	  pc_reduce_direct, NULL, false },
	{ PC_REDUCE, "reduce", "conventional",
	  "pull, reduce in host memory", ALL_TYPES, pc_reduce_conventional,
	  NULL, false },
	{ PC_REDUCE, "reduce", "pr",
	  "PEs reorder, pull, fold turned blocks in host memory", ALL_TYPES,
	  pc_reduce_pr, pc_reduce_pr_check, true },
	{ PC_REDUCE, "reduce", "pr+im",
	  "PEs reorder, domain transfer, turn and fold in registers", ALL_TYPES,
	  pc_reduce_pr_im, pc_reduce_pr_im_check, true },
	{ PC_REDUCE, "reduce", "pr+im+cm",
	  "PEs reorder, turn and fold in the PIM domain, transfer the result",
	  BYTES, pc_reduce_pr_im_cm, pc_reduce_pr_im_cm_check, true },
	{ PC_BROADCAST, "broadcast", "direct",
	  "one domain transfer for all members, then lane broadcast", ALL_SIZES,
	  pc_broadcast_direct, NULL, false },
	{ PC_BROADCAST, "broadcast", "conventional",
	  "push to every member, transposing every block", ALL_SIZES,
	  pc_broadcast_conventional, NULL, false },
};

static const char *const names[PC_NR_COLLECTIVES] = {
	[PC_ALLTOALL] = "alltoall",
	[PC_REDUCE_SCATTER] = "reduce_scatter",
	[PC_ALLREDUCE] = "allreduce",
	[PC_ALLGATHER] = "allgather",
	[PC_SCATTER] = "scatter",
	[PC_GATHER] = "gather",
	[PC_REDUCE] = "reduce",
	[PC_BROADCAST] = "broadcast",
};

const struct pidcomm_algorithm *pidcomm_algorithms(size_t *count)
{
	*count = sizeof(table) / sizeof(*table);
	return table;
}

const char *pc_collective_name(enum pc_collective id)
{
	return names[id];
}

/* of each collective, found once: every call asks for it */
static const struct pidcomm_algorithm *firsts[PC_NR_COLLECTIVES];

__attribute__((constructor))
static void find_firsts(void)
{
	for (size_t i = sizeof(table) / sizeof(*table); i--;)
		firsts[table[i].id] = &table[i];
}

const struct pidcomm_algorithm *pc_algorithm_auto(enum pc_collective id)
{
	return firsts[id];
}

/* NULL if no collective has such an algorithm; `known` whether any has it */
static const struct pidcomm_algorithm *find(enum pc_collective id,
					    const char *name, bool *known)
{
	const struct pidcomm_algorithm *found = NULL;

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		if (strcmp(table[i].name, name))
			continue;
		*known = true;
		if (table[i].id == id)
			found = &table[i];
	}
	return found;
}

static int set_algorithm(struct pidcomm *hc, enum pc_collective id,
			 const char *name, bool apply)
{
	const struct pidcomm_algorithm *algorithm = NULL;
	bool known = false;

	if (strcmp(name, "auto")) {
		algorithm = find(id, name, &known);
		if (!known)
			return pd_error(EINVAL,
					"algorithm=\"%s\", expected auto, direct, conventional or another of the table",
					name);
		if (!algorithm)
			return pd_error(EOPNOTSUPP,
					"algorithm=%s does not serve %s", name,
					pc_collective_name(id));
	}
	if (apply)
		hc->algorithm[id] = algorithm;
	return 0;
}

int pidcomm_set_algorithm(struct pidcomm *hc, const char *collective,
			  const char *algorithm)
{
	bool matched = false;

	if (!hc || !algorithm)
		return pd_error(EINVAL, "%s is NULL", hc ? "algorithm" : "hc");
	/* all are checked before any is set */
	for (int apply = 0; apply < 2; apply++) {
		for (int id = 0; id < PC_NR_COLLECTIVES; id++) {
			int ret;

			if (collective && strcmp(collective,
						 pc_collective_name(id)))
				continue;
			matched = true;
			ret = set_algorithm(hc, id, algorithm, apply);
			if (ret)
				return ret;
		}
	}
	if (!matched)
		return pd_error(EINVAL,
				"collective=\"%s\", expected one of the eight, such as alltoall",
				collective);
	return 0;
}
