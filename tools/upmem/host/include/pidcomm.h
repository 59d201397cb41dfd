/* SPDX-License-Identifier: MIT */
/*
 * PID-Comm's interface: collectives on virtual hypercubes of DPUs. Noh et al.,
 * "PID-Comm: A Fast and Flexible Collective Communication Framework for
 * Commodity Processing-in-DIMM Devices", ISCA 2024.
 *
 * The hypercube's node i is DPU i in the order of DPU_FOREACH_ENTANGLED_GROUP.
 * Offsets are bytes from the heap of the program that is loaded. Calls return
 * when all is done; where one cannot be done they say why and exit, as
 * DPU_ASSERT does. The loaded program stays as it is.
 */
#ifndef DPU_PIDCOMM_H
#define DPU_PIDCOMM_H

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#include <x86intrin.h>
#endif

#include <dpu.h>
#include <dpu_management.h>
#include <dpu_memory.h>
#include <dpu_program.h>
#include <dpu_transfer_matrix.h>
#include <support.h>

#ifdef __cplusplus
extern "C" {
#endif

/* names of their own in the library: libpimdimm has others called pidcomm_ */
#define pidcomm_broadcast	dpu_pidcomm_broadcast
#define pidcomm_alltoall	dpu_pidcomm_alltoall
#define pidcomm_reduce_scatter	dpu_pidcomm_reduce_scatter
#define pidcomm_all_reduce	dpu_pidcomm_all_reduce
#define pidcomm_allgather	dpu_pidcomm_allgather
#define pidcomm_reduce		dpu_pidcomm_reduce
#define pidcomm_gather		dpu_pidcomm_gather
#define pidcomm_scatter		dpu_pidcomm_scatter

typedef struct {
	struct dpu_set_t dpu_set;
	uint32_t dimension;
	uint32_t *axis_len;
} hypercube_manager;

/**
 * init_hypercube_manager() - lay a hypercube over a set
 * @dpu_set: the set, which must have as many DPUs as the hypercube
 * @dimension: number of axes
 * @axis_len: their lengths, axis 0 fastest; must live as long as the hypercube
 *
 * Return: the hypercube, to be given to free().
 */
hypercube_manager *init_hypercube_manager(struct dpu_set_t dpu_set,
					  uint32_t dimension,
					  uint32_t *axis_len);

/**
 * pidcomm_broadcast() - copy a buffer to all DPUs
 * @manager: the hypercube
 * @total_data_size: bytes
 * @target_offset: where to
 * @data: the buffer
 */
void pidcomm_broadcast(hypercube_manager *manager, uint32_t total_data_size,
		       uint32_t target_offset, void *data);

/**
 * pidcomm_alltoall() - chunk c of member r becomes chunk r of member c
 * @manager: the hypercube
 * @comm: a character an axis, '1' for those that form the groups
 * @total_data_size: bytes of a DPU, all chunks together
 * @start_offset: where from
 * @target_offset: where to
 * @buffer_offset: not needed here
 */
void pidcomm_alltoall(hypercube_manager *manager, char *comm,
		      uint32_t total_data_size, uint32_t start_offset,
		      uint32_t target_offset, uint32_t buffer_offset);

/**
 * pidcomm_reduce_scatter() - member r gets the sum of all chunks r
 * @manager: the hypercube
 * @comm: a character an axis, '1' for those that form the groups
 * @total_data_size: bytes of a DPU, all chunks together
 * @start_offset: where from
 * @target_offset: where to
 * @buffer_offset: not needed here
 * @size: bytes of an element, an integer
 */
void pidcomm_reduce_scatter(hypercube_manager *manager, char *comm,
			    uint32_t total_data_size, uint32_t start_offset,
			    uint32_t target_offset, uint32_t buffer_offset,
			    uint32_t size);

/**
 * pidcomm_all_reduce() - every member gets the sum or maximum
 * @manager: the hypercube
 * @comm: a character an axis, '1' for those that form the groups
 * @total_data_size: bytes of a DPU
 * @start_offset: where from
 * @target_offset: where to
 * @buffer_offset: not needed here
 * @size: bytes of an element, an integer
 * @reduce_type: 0: sum, 1: maximum
 */
void pidcomm_all_reduce(hypercube_manager *manager, char *comm,
			uint32_t total_data_size, uint32_t start_offset,
			uint32_t target_offset, uint32_t buffer_offset,
			uint32_t size, uint32_t reduce_type);

/**
 * pidcomm_allgather() - every member gets the chunks of all
 * @manager: the hypercube
 * @comm: a character an axis, '1' for those that form the groups
 * @total_data_size: bytes that a DPU gets, all chunks together
 * @start_offset: where from
 * @target_offset: where to
 * @buffer_offset: not needed here
 */
void pidcomm_allgather(hypercube_manager *manager, char *comm,
		       uint32_t total_data_size, uint32_t start_offset,
		       uint32_t target_offset, uint32_t buffer_offset);

/**
 * pidcomm_reduce() - the host gets each group's sum
 * @manager: the hypercube
 * @comm: a character an axis, '1' for those that form the groups
 * @total_data_size: bytes of a DPU
 * @start_offset: where from
 * @buffer_offset: not needed here
 * @size: bytes of an element, an integer
 * @host_buffer: a buffer for each group
 */
void pidcomm_reduce(hypercube_manager *manager, char *comm,
		    uint32_t total_data_size, uint32_t start_offset,
		    uint32_t buffer_offset, uint32_t size, void **host_buffer);

/**
 * pidcomm_gather() - the host gets each group's data, member after member
 * @manager: the hypercube
 * @comm: a character an axis, '1' for those that form the groups
 * @total_data_size: bytes of a DPU
 * @start_offset: where from
 * @buffer_offset: not needed here
 * @host_buffer: a buffer for each group
 */
void pidcomm_gather(hypercube_manager *manager, char *comm,
		    uint32_t total_data_size, uint32_t start_offset,
		    uint32_t buffer_offset, void **host_buffer);

/**
 * pidcomm_scatter() - each member gets its piece of its group's buffer
 * @manager: the hypercube
 * @comm: a character an axis, '1' for those that form the groups
 * @total_data_size: bytes that a DPU gets
 * @start_offset: where to
 * @buffer_offset: not needed here
 * @host_buffer: a buffer for each group
 */
void pidcomm_scatter(hypercube_manager *manager, char *comm,
		     uint32_t total_data_size, uint32_t start_offset,
		     uint32_t buffer_offset, void **host_buffer);

#ifdef __cplusplus
}
#endif

#endif /* DPU_PIDCOMM_H */
