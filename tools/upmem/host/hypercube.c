// SPDX-License-Identifier: MIT
/*
 * Where PID-Comm's collectives are done. A hypercube of libpimdimm lies over whole
 * entangled groups of a system. Where the DPUs of a set are these, a collective is
 * done in place; otherwise in a system made for it, of as many PEs, between two
 * transfers.
 */
#include <errno.h>
#include <stdlib.h>

#include <pimdimm/report.h>

#include "tools/upmem/host/hypercube.h"
#include "tools/upmem/host/core/program.h"
#include "tools/upmem/host/core/range.h"
#include "tools/upmem/host/inside.h"

static bool overlap(uint64_t a, uint64_t b, uint64_t a_bytes, uint64_t b_bytes)
{
	return a_bytes && b_bytes && a < b + b_bytes && b < a + a_bytes;
}

/* whether the set's DPUs are whole entangled groups, and it can be in place */
static bool fits_in_place(const struct call *call, const uint32_t pes[],
			  uint32_t nr)
{
	if (nr % PIMDIMM_CHIPS)
		return false;
	for (uint32_t i = 0; i < nr; i++)
		if (pes[i] != pes[i - i % PIMDIMM_CHIPS] + i % PIMDIMM_CHIPS ||
		    pes[i] % PIMDIMM_CHIPS != i % PIMDIMM_CHIPS)
			return false;
	return call->src == call->dst ||
	       !overlap(call->src, call->dst, call->in, call->out);
}

/* egs: of the set's DPUs; NULL: the system's first ones */
static int on_hypercube(struct pimdimm *sys, const uint32_t egs[], uint32_t nr,
			const struct call *call, uint64_t src, uint64_t dst)
{
	struct pidcomm *hc;
	int ret = pidcomm_create_on(sys, egs, 0, nr / PIMDIMM_CHIPS,
				    call->manager->dimension,
				    call->manager->axis_len, &hc);

	if (ret)
		return ret;
	ret = call->collective(hc, call, src, dst);
	pidcomm_destroy(hc);
	return ret;
}

static int in_place(const struct call *call, const uint32_t pes[], uint32_t nr)
{
	uint32_t *egs = malloc(nr / PIMDIMM_CHIPS * sizeof(*egs) + 1);
	int ret;

	if (!egs)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr / PIMDIMM_CHIPS; i++)
		egs[i] = pes[PIMDIMM_CHIPS * i] / PIMDIMM_CHIPS;
	ret = on_hypercube(members_system(&call->op.on), egs, nr, call, call->src, call->dst);
	free(egs);
	return ret;
}

/* between the set's PEs and memory of `bytes` for each, in their order */
static int move_set(bool push, struct pimdimm *sys, const uint32_t pes[], uint32_t nr,
		    uint64_t off, uint8_t *mem, uint64_t bytes)
{
	int ret = 0;

	for (uint32_t i = 0, n; i < nr && !ret; i += n) {
		void *bufs[RANK_DPUS] = { NULL };

		/* those of one rank */
		for (n = 0; i + n < nr &&
			    pes[i + n] / RANK_DPUS == pes[i] / RANK_DPUS;
		     n++)
			bufs[pes[i + n] % RANK_DPUS] = mem + (i + n) * bytes;
		if (push)
			ret = pimdimm_push(sys, pes[i] / RANK_DPUS * RANK_DPUS,
					   RANK_DPUS, off,
					   (const void *const *)bufs, bytes);
		else
			ret = pimdimm_pull(sys, pes[i] / RANK_DPUS * RANK_DPUS,
					   RANK_DPUS, off, bufs, bytes);
	}
	return ret;
}

/* between the first PEs of a system and such memory */
static int move_scratch(bool push, struct pimdimm *sys, uint32_t nr,
			uint64_t off, uint8_t *mem, uint64_t bytes)
{
	void **bufs = malloc(nr * sizeof(*bufs));
	int ret;

	if (!bufs)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		bufs[i] = mem + i * bytes;
	if (push)
		ret = pimdimm_push(sys, 0, nr, off, (const void *const *)bufs,
				   bytes);
	else
		ret = pimdimm_pull(sys, 0, nr, off, bufs, bytes);
	free(bufs);
	return ret;
}

static int in_scratch(struct pimdimm *scratch, const struct call *call,
		      const uint32_t pes[], uint32_t nr, uint8_t *mem)
{
	struct pimdimm *sys = members_system(&call->op.on);
	uint64_t dst = pd_round_up(call->in, 8);
	int ret = 0;

	if (call->in)
		ret = move_set(false, sys, pes, nr, call->src, mem, call->in);
	if (!ret && call->in)
		ret = move_scratch(true, scratch, nr, 0, mem, call->in);
	if (!ret)
		ret = on_hypercube(scratch, NULL, nr, call, 0, dst);
	if (!ret && call->out)
		ret = move_scratch(false, scratch, nr, dst, mem, call->out);
	if (!ret && call->out)
		ret = move_set(true, sys, pes, nr, call->dst, mem, call->out);
	return ret;
}

static int through_scratch(const struct call *call, const uint32_t pes[],
			   uint32_t nr)
{
	uint64_t larger = call->in > call->out ? call->in : call->out;
	uint64_t mram = pd_round_up(pd_round_up(call->in, 8) + call->out, 65536);
	struct pimdimm *scratch;
	uint8_t *mem;
	char uri[96];
	int ret;

	snprintf(uri, sizeof(uri), "mem:channels=1,ranks=%u,mram=%lluK",
		 (nr + RANK_DPUS - 1) / RANK_DPUS,
		 (unsigned long long)(mram ? mram : 65536) / 1024);
	ret = pimdimm_open(uri, &scratch);
	if (ret)
		return ret;
	mem = malloc(nr * larger + 1);
	ret = mem ? in_scratch(scratch, call, pes, nr, mem) : -ENOMEM;
	free(mem);
	pimdimm_close(scratch);
	return ret;
}

static dpu_error_t check_size(const struct call *call, uint32_t nr)
{
	uint64_t nodes = 1;

	for (uint32_t i = 0; i < call->manager->dimension; i++)
		nodes *= call->manager->axis_len[i];
	if (nodes == nr)
		return DPU_OK;
	return host_fail(DPU_ERR_INVALID_DPU_SET,
			 "%s: the hypercube has %llu nodes and the set %u DPUs",
			 call->name, (unsigned long long)nodes, nr);
}

static dpu_error_t run_call(struct op *op)
{
	struct call *call = (struct call *)op;
	uint32_t *pes = malloc(op->on.nr_ranks * RANK_DPUS * sizeof(*pes));
	dpu_error_t status;
	uint32_t nr;
	int ret;

	if (!pes)
		return host_fail(DPU_ERR_SYSTEM, "no memory for a collective");
	nr = members_pes(&op->on, pes);
	status = check_size(call, nr);
	if (status == DPU_OK) {
		/* transfers through another system are none of hardware's */
		pimdimm_report_enter(PIMDIMM_REPORT_COLLECTIVE);
		if (fits_in_place(call, pes, nr))
			ret = in_place(call, pes, nr);
		else
			ret = through_scratch(call, pes, nr);
		pimdimm_report_leave();
		if (ret)
			status = host_fail(DPU_ERR_INTERNAL, "%s: %s",
					   call->name, pimdimm_errmsg());
	}
	free(pes);
	return status;
}

/* offsets are from the heap of the loaded program */
static dpu_error_t add_heap(struct call *call)
{
	uint64_t size = pimdimm_geometry(members_system(&call->op.on))->mram_size;
	struct dpu_symbol_t heap;
	dpu_error_t status = program_symbol(&call->op.on,
					    DPU_MRAM_HEAP_POINTER_NAME, &heap);

	if (status != DPU_OK)
		return status;
	call->src += heap.address & (MRAM_TAG - 1);
	call->dst += heap.address & (MRAM_TAG - 1);
	if (call->src + call->in <= size && call->dst + call->out <= size)
		return DPU_OK;
	return host_fail(DPU_ERR_INVALID_MRAM_ACCESS,
			 "%s: %llu bytes at %#llx to %llu at %#llx reach past the MRAM of %llu bytes",
			 call->name, (unsigned long long)call->in,
			 (unsigned long long)call->src,
			 (unsigned long long)call->out,
			 (unsigned long long)call->dst,
			 (unsigned long long)size);
}

dpu_error_t hypercube_do(struct call *call)
{
	dpu_error_t status = members_of(&call->manager->dpu_set, &call->op.on);

	call->op.type = JOB_CALLBACK;
	call->op.run = run_call;
	if (status == DPU_OK)
		status = add_heap(call);
	return status == DPU_OK ? op_do(&call->op) : status;
}
