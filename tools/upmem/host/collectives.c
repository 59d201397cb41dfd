// SPDX-License-Identifier: MIT
/* PID-Comm's collectives, as its programs call them, by those of libpimdimm. */
#include <stdlib.h>
#include <string.h>

#include "tools/upmem/host/hypercube.h"

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

static dpu_error_t check_axes(const struct call *call, uint32_t *members)
{
	const hypercube_manager *m = call->manager;

	if (!m || m->dimension < 1 || m->dimension > PIDCOMM_MAX_DIMS || !m->axis_len)
		return host_fail(DPU_ERR_INTERNAL,
				 "%s: the hypercube has %u axes: expected 1 to %u",
				 call->name, m ? m->dimension : 0, PIDCOMM_MAX_DIMS);
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
	assert_ok(__func__, hypercube_do(&call));
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
	assert_ok(__func__, hypercube_do(&call));
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
	assert_ok(__func__, hypercube_do(&call));
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
	assert_ok(__func__, hypercube_do(&call));
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
	assert_ok(__func__, hypercube_do(&call));
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
	assert_ok(__func__, hypercube_do(&call));
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
	assert_ok(__func__, hypercube_do(&call));
}
