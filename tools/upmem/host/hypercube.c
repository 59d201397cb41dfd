// SPDX-License-Identifier: MIT
/*
 * PID-Comm's collectives, by those of libpimdimm. A hypercube there lies over
 * the first PEs of a system. Where the DPUs of a set are these, a collective is
 * done in place; otherwise in a system made for it, of as many PEs, between two
 * transfers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pimdimm/pidcomm.h>

#include "host.h"

#define MAX_DIMS	PIDCOMM_MAX_DIMS

/* the same as in <pidcomm.h>, whose macros would rename what is used here */
typedef struct {
	struct dpu_set_t dpu_set;
	uint32_t dimension;
	uint32_t *axis_len;
} hypercube_manager;

/* one collective, as its function was called */
struct call {
	struct op op;
	const char *name;
	const hypercube_manager *manager;
	const char *axes;
	uint64_t bytes;		/* of a DPU on the larger side */
	uint64_t src, dst;	/* offsets in MRAM */
	uint64_t in, out;	/* bytes read and written of a DPU's MRAM */
	enum pidcomm_type type;
	pidcomm_op reduction;
	void **bufs;
	int (*collective)(struct pidcomm *hc, const struct call *call,
			  uint64_t src, uint64_t dst);
};

hypercube_manager *init_hypercube_manager(struct dpu_set_t dpu_set,
					  uint32_t dimension,
					  uint32_t *axis_len);

DPU_API hypercube_manager *init_hypercube_manager(struct dpu_set_t dpu_set,
						  uint32_t dimension,
						  uint32_t *axis_len)
{
	hypercube_manager *manager = malloc(sizeof(*manager));

	if (!manager)
		return NULL;
	manager->dpu_set = dpu_set;
	manager->dimension = dimension;
	manager->axis_len = axis_len;
	return manager;
}

/* ---- where it is done ---- */

static bool overlap(uint64_t a, uint64_t b, uint64_t a_bytes, uint64_t b_bytes)
{
	return a_bytes && b_bytes && a < b + b_bytes && b < a + a_bytes;
}

/* whether the set's DPUs are the system's first PEs, and it can be in place */
static bool fits_in_place(const struct call *call, const uint32_t pes[],
			  uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		if (pes[i] != i)
			return false;
	return call->src == call->dst ||
	       !overlap(call->src, call->dst, call->in, call->out);
}

static int on_hypercube(struct pimdimm *sys, const struct call *call,
			uint64_t src, uint64_t dst)
{
	struct pidcomm *hc;
	int ret = pidcomm_create(sys, call->manager->dimension,
				 call->manager->axis_len, &hc);

	if (ret)
		return ret;
	ret = call->collective(hc, call, src, dst);
	pidcomm_destroy(hc);
	return ret;
}

static uint64_t round_up(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

/* between the set's PEs and memory of `bytes` for each, in their order */
static int move_set(bool push, const uint32_t pes[], uint32_t nr, uint64_t off,
		    uint8_t *mem, uint64_t bytes)
{
	struct pimdimm *sys = host_system();
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
	uint64_t dst = round_up(call->in, 8);
	int ret = 0;

	if (call->in)
		ret = move_set(false, pes, nr, call->src, mem, call->in);
	if (!ret && call->in)
		ret = move_scratch(true, scratch, nr, 0, mem, call->in);
	if (!ret)
		ret = on_hypercube(scratch, call, 0, dst);
	if (!ret && call->out)
		ret = move_scratch(false, scratch, nr, dst, mem, call->out);
	if (!ret && call->out)
		ret = move_set(true, pes, nr, call->dst, mem, call->out);
	return ret;
}

static int through_scratch(const struct call *call, const uint32_t pes[],
			   uint32_t nr)
{
	uint64_t larger = call->in > call->out ? call->in : call->out;
	uint64_t mram = round_up(round_up(call->in, 8) + call->out, 65536);
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
		if (fits_in_place(call, pes, nr))
			ret = on_hypercube(host_system(), call, call->src,
					   call->dst);
		else
			ret = through_scratch(call, pes, nr);
		if (ret)
			status = host_fail(DPU_ERR_INTERNAL, "%s: %s",
					   call->name, pimdimm_errmsg());
	}
	free(pes);
	return status;
}

/* ---- what is called ---- */

/* offsets are from the heap of the loaded program */
static dpu_error_t add_heap(struct call *call)
{
	uint64_t size = pimdimm_geometry(host_system())->mram_size;
	struct dpu_symbol_t heap;
	dpu_error_t status = program_symbol(&call->op.on,
					    DPU_MRAM_HEAP_POINTER_NAME, &heap);

	if (status != DPU_OK)
		return status;
	call->src += heap.address & 0x07ffffff;
	call->dst += heap.address & 0x07ffffff;
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

static dpu_error_t check_axes(const struct call *call, uint32_t *members)
{
	const hypercube_manager *m = call->manager;

	if (!m || m->dimension < 1 || m->dimension > MAX_DIMS || !m->axis_len)
		return host_fail(DPU_ERR_INTERNAL,
				 "%s: the hypercube has %u axes: expected 1 to %u",
				 call->name, m ? m->dimension : 0, MAX_DIMS);
	if (!call->axes || strlen(call->axes) != m->dimension)
		return host_fail(DPU_ERR_INTERNAL,
				 "%s: comm='%s': expected a 0 or 1 for each of %u axes",
				 call->name, call->axes ? call->axes : "",
				 m->dimension);
	*members = 1;
	for (uint32_t i = 0; i < m->dimension; i++)
		if (call->axes[i] == '1')
			*members *= m->axis_len[i];
	return DPU_OK;
}

static dpu_error_t set_type(struct call *call, uint32_t element)
{
	switch (element) {
	case 1:
		call->type = PIDCOMM_I8;
		return DPU_OK;
	case 2:
		call->type = PIDCOMM_I16;
		return DPU_OK;
	case 4:
		call->type = PIDCOMM_I32;
		return DPU_OK;
	case 8:
		call->type = PIDCOMM_I64;
		return DPU_OK;
	default:
		return host_fail(DPU_ERR_INTERNAL,
				 "%s: size=%u: expected 1, 2, 4 or 8 bytes",
				 call->name, element);
	}
}

static dpu_error_t do_call(struct call *call)
{
	dpu_error_t status = members_of(&call->manager->dpu_set, &call->op.on);

	call->op.type = JOB_CALLBACK;
	call->op.run = run_call;
	if (status == DPU_OK)
		status = add_heap(call);
	return status == DPU_OK ? op_do(&call->op) : status;
}

/* as DPU_ASSERT in PID-Comm's own functions */
static void assert_ok(const char *name, dpu_error_t status)
{
	if (status == DPU_OK)
		return;
	_dpu_check_failed("libdpu", 0, name, status);
	exit(EXIT_FAILURE);
}

static int alltoall(struct pidcomm *hc, const struct call *c, uint64_t src,
		    uint64_t dst)
{
	return pidcomm_alltoall(hc, c->axes, c->bytes, src, dst);
}

static int reduce_scatter(struct pidcomm *hc, const struct call *c,
			  uint64_t src, uint64_t dst)
{
	return pidcomm_reduce_scatter(hc, c->axes, c->bytes, src, dst, c->type,
				      c->reduction);
}

static int allreduce(struct pidcomm *hc, const struct call *c, uint64_t src,
		     uint64_t dst)
{
	return pidcomm_allreduce(hc, c->axes, c->bytes, src, dst, c->type,
				 c->reduction);
}

static int allgather(struct pidcomm *hc, const struct call *c, uint64_t src,
		     uint64_t dst)
{
	return pidcomm_allgather(hc, c->axes, c->bytes, src, dst);
}

static int reduce(struct pidcomm *hc, const struct call *c, uint64_t src,
		  __attribute__((unused)) uint64_t dst)
{
	return pidcomm_reduce(hc, c->axes, c->bytes, src, c->bufs, c->type,
			      c->reduction);
}

static int gather(struct pidcomm *hc, const struct call *c, uint64_t src,
		  __attribute__((unused)) uint64_t dst)
{
	return pidcomm_gather(hc, c->axes, c->bytes, src, c->bufs);
}

static int scatter(struct pidcomm *hc, const struct call *c,
		   __attribute__((unused)) uint64_t src, uint64_t dst)
{
	return pidcomm_scatter(hc, c->axes, c->bytes,
			       (const void *const *)c->bufs, dst);
}

/* exported for the macros of <pidcomm.h> */
void dpu_pidcomm_broadcast(hypercube_manager *manager, uint32_t total_data_size,
			   uint32_t target_offset, void *data);
void dpu_pidcomm_alltoall(hypercube_manager *manager, char *comm,
			  uint32_t total_data_size, uint32_t start_offset,
			  uint32_t target_offset, uint32_t buffer_offset);
void dpu_pidcomm_reduce_scatter(hypercube_manager *manager, char *comm,
				uint32_t total_data_size, uint32_t start_offset,
				uint32_t target_offset, uint32_t buffer_offset,
				uint32_t size);
void dpu_pidcomm_all_reduce(hypercube_manager *manager, char *comm,
			    uint32_t total_data_size, uint32_t start_offset,
			    uint32_t target_offset, uint32_t buffer_offset,
			    uint32_t size, uint32_t reduce_type);
void dpu_pidcomm_allgather(hypercube_manager *manager, char *comm,
			   uint32_t total_data_size, uint32_t start_offset,
			   uint32_t target_offset, uint32_t buffer_offset);
void dpu_pidcomm_reduce(hypercube_manager *manager, char *comm,
			uint32_t total_data_size, uint32_t start_offset,
			uint32_t buffer_offset, uint32_t size,
			void **host_buffer);
void dpu_pidcomm_gather(hypercube_manager *manager, char *comm,
			uint32_t total_data_size, uint32_t start_offset,
			uint32_t buffer_offset, void **host_buffer);
void dpu_pidcomm_scatter(hypercube_manager *manager, char *comm,
			 uint32_t total_data_size, uint32_t start_offset,
			 uint32_t buffer_offset, void **host_buffer);

#define UNUSED_BUFFER __attribute__((unused)) uint32_t buffer_offset

DPU_API void dpu_pidcomm_broadcast(hypercube_manager *manager,
				   uint32_t total_data_size,
				   uint32_t target_offset, void *data)
{
	assert_ok(__func__,
		  dpu_broadcast_to(manager->dpu_set, DPU_MRAM_HEAP_POINTER_NAME,
				   target_offset, data, total_data_size,
				   DPU_XFER_DEFAULT));
}

DPU_API void dpu_pidcomm_alltoall(hypercube_manager *manager, char *comm,
				  uint32_t total_data_size,
				  uint32_t start_offset, uint32_t target_offset,
				  UNUSED_BUFFER)
{
	struct call call = {
		.name = "alltoall", .manager = manager, .axes = comm,
		.bytes = total_data_size, .src = start_offset,
		.dst = target_offset, .in = total_data_size,
		.out = total_data_size, .collective = alltoall,
	};
	uint32_t members;

	assert_ok(__func__, check_axes(&call, &members));
	assert_ok(__func__, do_call(&call));
}

DPU_API void dpu_pidcomm_reduce_scatter(hypercube_manager *manager, char *comm,
					uint32_t total_data_size,
					uint32_t start_offset,
					uint32_t target_offset, UNUSED_BUFFER,
					uint32_t size)
{
	struct call call = {
		.name = "reduce_scatter", .manager = manager, .axes = comm,
		.bytes = total_data_size, .src = start_offset,
		.dst = target_offset, .in = total_data_size,
		.reduction = PIDCOMM_SUM, .collective = reduce_scatter,
	};
	uint32_t members;

	assert_ok(__func__, check_axes(&call, &members));
	assert_ok(__func__, set_type(&call, size));
	call.out = total_data_size / members;
	assert_ok(__func__, do_call(&call));
}

DPU_API void dpu_pidcomm_all_reduce(hypercube_manager *manager, char *comm,
				    uint32_t total_data_size,
				    uint32_t start_offset,
				    uint32_t target_offset, UNUSED_BUFFER,
				    uint32_t size, uint32_t reduce_type)
{
	struct call call = {
		.name = "all_reduce", .manager = manager, .axes = comm,
		.bytes = total_data_size, .src = start_offset,
		.dst = target_offset, .in = total_data_size,
		.out = total_data_size, .collective = allreduce,
		.reduction = reduce_type ? PIDCOMM_MAX : PIDCOMM_SUM,
	};
	uint32_t members;

	assert_ok(__func__, check_axes(&call, &members));
	assert_ok(__func__, set_type(&call, size));
	if (reduce_type > 1)
		assert_ok(__func__,
			  host_fail(DPU_ERR_INTERNAL,
				    "all_reduce: reduce_type=%u: expected 0 (sum) or 1 (maximum)",
				    reduce_type));
	assert_ok(__func__, do_call(&call));
}

DPU_API void dpu_pidcomm_allgather(hypercube_manager *manager, char *comm,
				   uint32_t total_data_size,
				   uint32_t start_offset,
				   uint32_t target_offset, UNUSED_BUFFER)
{
	struct call call = {
		.name = "allgather", .manager = manager, .axes = comm,
		.bytes = total_data_size, .src = start_offset,
		.dst = target_offset, .out = total_data_size,
		.collective = allgather,
	};
	uint32_t members;

	assert_ok(__func__, check_axes(&call, &members));
	call.in = total_data_size / members;
	assert_ok(__func__, do_call(&call));
}

DPU_API void dpu_pidcomm_reduce(hypercube_manager *manager, char *comm,
				uint32_t total_data_size, uint32_t start_offset,
				UNUSED_BUFFER, uint32_t size,
				void **host_buffer)
{
	struct call call = {
		.name = "reduce", .manager = manager, .axes = comm,
		.bytes = total_data_size, .src = start_offset,
		.in = total_data_size, .reduction = PIDCOMM_SUM,
		.bufs = host_buffer, .collective = reduce,
	};
	uint32_t members;

	assert_ok(__func__, check_axes(&call, &members));
	assert_ok(__func__, set_type(&call, size));
	assert_ok(__func__, do_call(&call));
}

DPU_API void dpu_pidcomm_gather(hypercube_manager *manager, char *comm,
				uint32_t total_data_size, uint32_t start_offset,
				UNUSED_BUFFER, void **host_buffer)
{
	struct call call = {
		.name = "gather", .manager = manager, .axes = comm,
		.bytes = total_data_size, .src = start_offset,
		.in = total_data_size, .bufs = host_buffer,
		.collective = gather,
	};
	uint32_t members;

	assert_ok(__func__, check_axes(&call, &members));
	assert_ok(__func__, do_call(&call));
}

DPU_API void dpu_pidcomm_scatter(hypercube_manager *manager, char *comm,
				 uint32_t total_data_size,
				 uint32_t start_offset, UNUSED_BUFFER,
				 void **host_buffer)
{
	struct call call = {
		.name = "scatter", .manager = manager, .axes = comm,
		.bytes = total_data_size, .dst = start_offset,
		.out = total_data_size, .bufs = host_buffer,
		.collective = scatter,
	};
	uint32_t members;

	assert_ok(__func__, check_axes(&call, &members));
	assert_ok(__func__, do_call(&call));
}
