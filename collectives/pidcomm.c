/* SPDX-License-Identifier: MIT */
/* The eight calls: check the arguments, choose an algorithm, run it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "call.h"
#include "error.h"

/* a call as it was made */
struct args {
	enum pc_collective id;
	const char *axes;
	uint64_t bytes, src, dst;
	void *const *bufs;
	enum pidcomm_type type;
	pidcomm_op op;
};

/* what each collective asks of its arguments */
static const struct rule {
	bool chunked;		/* bytes is n chunks: a multiple of 8n */
	bool reduces;
	bool reads_mram, writes_mram;
	bool in_place;		/* src == dst is allowed */
	/* the side that is only a chunk long */
	bool src_chunk, dst_chunk;
} rules[PC_NR_COLLECTIVES] = {
	[PC_ALLTOALL] = { .chunked = true, .reads_mram = true,
			  .writes_mram = true, .in_place = true },
	[PC_REDUCE_SCATTER] = { .chunked = true, .reduces = true,
				.reads_mram = true, .writes_mram = true,
				.in_place = true, .dst_chunk = true },
	[PC_ALLREDUCE] = { .reduces = true, .reads_mram = true,
			   .writes_mram = true, .in_place = true },
	[PC_ALLGATHER] = { .chunked = true, .reads_mram = true,
			   .writes_mram = true, .in_place = true,
			   .src_chunk = true },
	[PC_SCATTER] = { .writes_mram = true },
	[PC_GATHER] = { .reads_mram = true },
	[PC_REDUCE] = { .reduces = true, .reads_mram = true },
	[PC_BROADCAST] = { .writes_mram = true },
};

static int check_bytes(const struct args *a, const struct rule *rule,
		       uint32_t members)
{
	uint64_t unit = rule->chunked ? 8 * (uint64_t)members : 8;

	if (a->bytes % unit)
		return pd_error(EINVAL,
				"bytes=%" PRIu64 ", expected a multiple of %" PRIu64
				"%s", a->bytes, unit,
				rule->chunked ? ", 8 for each member" : "");
	return 0;
}

static int check_offset(const struct pimdimm *sys, const char *what,
			uint64_t off, uint64_t bytes)
{
	if (off % 8)
		return pd_error(EINVAL,
				"%s=%" PRIu64 ", expected a multiple of 8",
				what, off);
	return pd_check_range(sys, what, off, bytes);
}

static int check_mram(const struct pimdimm *sys, const struct args *a,
		      const struct rule *rule, uint64_t chunk)
{
	uint64_t read = rule->src_chunk ? chunk : a->bytes;
	uint64_t written = rule->dst_chunk ? chunk : a->bytes;
	int ret = 0;

	if (rule->reads_mram)
		ret = check_offset(sys, "src", a->src, read);
	if (!ret && rule->writes_mram)
		ret = check_offset(sys, "dst", a->dst, written);
	if (ret || !rule->in_place || !a->bytes || a->src == a->dst)
		return ret;
	if (a->src < a->dst + written && a->dst < a->src + read)
		return pd_error(EINVAL,
				"src=%" PRIu64 " and dst=%" PRIu64
				" overlap, expected them equal or %" PRIu64
				" bytes read and %" PRIu64 " written apart",
				a->src, a->dst, read, written);
	return 0;
}

static int check_bufs(const struct args *a, const struct rule *rule,
		      uint32_t groups)
{
	if ((rule->reads_mram && rule->writes_mram) || !a->bytes)
		return 0;
	if (!a->bufs)
		return pd_error(EINVAL,
				"bufs is NULL, expected a buffer for each of %u groups",
				groups);
	for (uint32_t g = 0; g < groups; g++) {
		if (!a->bufs[g])
			return pd_error(EINVAL,
					"bufs[%u] is NULL, expected the buffer of group %u",
					g, g);
	}
	return 0;
}

static int check_args(struct pidcomm *hc, const struct args *a,
		      const struct pc_shape **shape)
{
	const struct rule *rule = &rules[a->id];
	uint32_t axes;
	int ret;

	ret = pc_parse_axes(hc, a->axes, &axes);
	if (!ret && rule->reduces)
		ret = pc_op_check(a->type, a->op);
	if (ret)
		return ret;
	*shape = pc_shape_get(hc, axes);
	ret = check_bytes(a, rule, (*shape)->members);
	if (!ret)
		ret = check_mram(hc->sys, a, rule,
				 a->bytes / (*shape)->members);
	if (!ret)
		ret = check_bufs(a, rule, (*shape)->groups);
	return ret;
}

static const struct pc_kernels *const kernels[PD_NR_ISAS] = {
	[PD_ISA_PORTABLE] = &pc_kernels_portable,
#ifdef __x86_64__
	[PD_ISA_AVX2] = &pc_kernels_avx2,
	[PD_ISA_AVX512BW] = &pc_kernels_avx512bw,
	[PD_ISA_AVX512VBMI] = &pc_kernels_avx512vbmi,
#endif
};

static const struct pc_folds *const folds[PD_NR_ISAS] = {
	[PD_ISA_PORTABLE] = &pc_folds_portable,
#ifdef __x86_64__
	[PD_ISA_AVX2] = &pc_folds_avx2,
	[PD_ISA_AVX512BW] = &pc_folds_avx512bw,
	[PD_ISA_AVX512VBMI] = &pc_folds_avx512vbmi,
#endif
};

/* bytes that the call reads and writes, all PEs and host buffers together */
static uint64_t work_set(const struct args *a, const struct pc_shape *s)
{
	uint64_t vectors = (uint64_t)s->groups * s->members * a->bytes;

	switch (a->id) {
	case PC_REDUCE_SCATTER:
	case PC_ALLGATHER:
		return vectors + vectors / s->members;
	case PC_REDUCE:
	case PC_BROADCAST:
		return vectors + s->groups * a->bytes;
	default:
		return a->src == a->dst && rules[a->id].in_place ? vectors :
								   2 * vectors;
	}
}

static void prepare(struct pc_call *call, struct pidcomm *hc,
		    const struct args *a, const struct pc_shape *shape)
{
	struct pimdimm *sys = hc->sys;

	*call = (struct pc_call){
		.hc = hc,
		.sys = sys,
		.shape = shape,
		.kernels = kernels[sys->isa],
		.id = a->id,
		.bytes = a->bytes,
		.words = a->bytes / 8,
		.src = a->src / 8,
		.dst = a->dst / 8,
		.bufs = (uint8_t *const *)a->bufs,
		.type = a->type,
		.op = a->op,
		.stream = pd_store_streams(sys, work_set(a, shape)),
	};
	if (rules[a->id].chunked)
		call->words /= shape->members;
	if (rules[a->id].reduces)
		pc_fold_init(&call->fold, folds[sys->isa], a->type, a->op,
			     shape->members);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void keep_stats(struct pidcomm *hc, const struct pc_call *call,
		       uint64_t ns)
{
	hc->stats = (struct pidcomm_stats){
		.mram_blocks_read = call->blocks_read,
		.mram_blocks_written = call->blocks_written,
		.domain_transfers = call->transfers,
		.host_bytes_read = call->host_read,
		.host_bytes_written = call->host_written,
		.ns = ns,
	};
}

static void trace(const struct args *a, const struct pc_call *call,
		  const struct pidcomm_algorithm *algorithm, bool chosen,
		  uint64_t ns)
{
	bool reduces = rules[a->id].reduces;

	fprintf(stderr,
		"pidcomm: %s axes=%s bytes=%" PRIu64
		" type=%s op=%s algorithm=%s (%s) stores=%s isa=%s ns=%" PRIu64 "\n",
		pc_collective_name(a->id), a->axes, a->bytes,
		reduces ? pc_type_name(a->type) : "-",
		reduces ? pc_op_name(a->op) : "-", algorithm->name,
		chosen ? "set by the caller" : "auto: first that serves",
		call->stream ? "non-temporal" : "temporal",
		pd_isa_name(call->sys->isa), ns);
}

static int run(struct pidcomm *hc, const struct args *a)
{
	const struct pidcomm_algorithm *algorithm;
	const struct pc_shape *shape;
	struct pc_call call;
	uint64_t start;
	int ret = check_args(hc, a, &shape);

	if (ret)
		return ret;
	start = now_ns();
	prepare(&call, hc, a, shape);
	algorithm = hc->algorithm[a->id];
	if (!algorithm)
		algorithm = pc_algorithm_auto(a->id);
	if (a->bytes)
		ret = algorithm->run(&call);
	if (ret)
		return ret;
	keep_stats(hc, &call, now_ns() - start);
	if (hc->sys->trace)
		trace(a, &call, algorithm, hc->algorithm[a->id], hc->stats.ns);
	return 0;
}

/* NULL if no collective has such an algorithm; `known` whether any has it */
static const struct pidcomm_algorithm *find(enum pc_collective id,
					    const char *name, bool *known)
{
	const struct pidcomm_algorithm *found = NULL, *table;
	size_t count;

	table = pidcomm_algorithms(&count);
	for (size_t i = 0; i < count; i++) {
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

int pidcomm_alltoall(struct pidcomm *hc, const char *axes, uint64_t bytes,
		     uint64_t src, uint64_t dst)
{
	return run(hc, &(struct args){ .id = PC_ALLTOALL, .axes = axes,
				       .bytes = bytes, .src = src, .dst = dst });
}

int pidcomm_reduce_scatter(struct pidcomm *hc, const char *axes, uint64_t bytes,
			   uint64_t src, uint64_t dst, enum pidcomm_type type,
			   pidcomm_op op)
{
	return run(hc, &(struct args){ .id = PC_REDUCE_SCATTER, .axes = axes,
				       .bytes = bytes, .src = src, .dst = dst,
				       .type = type, .op = op });
}

int pidcomm_allreduce(struct pidcomm *hc, const char *axes, uint64_t bytes,
		      uint64_t src, uint64_t dst, enum pidcomm_type type,
		      pidcomm_op op)
{
	return run(hc, &(struct args){ .id = PC_ALLREDUCE, .axes = axes,
				       .bytes = bytes, .src = src, .dst = dst,
				       .type = type, .op = op });
}

int pidcomm_allgather(struct pidcomm *hc, const char *axes, uint64_t bytes,
		      uint64_t src, uint64_t dst)
{
	return run(hc, &(struct args){ .id = PC_ALLGATHER, .axes = axes,
				       .bytes = bytes, .src = src, .dst = dst });
}

int pidcomm_scatter(struct pidcomm *hc, const char *axes, uint64_t bytes,
		    const void *const bufs[], uint64_t dst)
{
	return run(hc, &(struct args){ .id = PC_SCATTER, .axes = axes,
				       .bytes = bytes, .dst = dst,
				       .bufs = (void *const *)bufs });
}

int pidcomm_gather(struct pidcomm *hc, const char *axes, uint64_t bytes,
		   uint64_t src, void *const bufs[])
{
	return run(hc, &(struct args){ .id = PC_GATHER, .axes = axes,
				       .bytes = bytes, .src = src,
				       .bufs = bufs });
}

int pidcomm_reduce(struct pidcomm *hc, const char *axes, uint64_t bytes,
		   uint64_t src, void *const bufs[], enum pidcomm_type type,
		   pidcomm_op op)
{
	return run(hc, &(struct args){ .id = PC_REDUCE, .axes = axes,
				       .bytes = bytes, .src = src,
				       .bufs = bufs, .type = type, .op = op });
}

int pidcomm_broadcast(struct pidcomm *hc, const char *axes, uint64_t bytes,
		      const void *const bufs[], uint64_t dst)
{
	return run(hc, &(struct args){ .id = PC_BROADCAST, .axes = axes,
				       .bytes = bytes, .dst = dst,
				       .bufs = (void *const *)bufs });
}
