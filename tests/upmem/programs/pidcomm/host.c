// SPDX-License-Identifier: MIT
/* All eight collectives along x, y and both, against the same done here. */
#include <assert.h>
#include <dpu.h>
#include <dpu_error.h>
#include <dpu_management.h>
#include <dpu_program.h>
#include <dpu_types.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <pidcomm.h>

#ifndef DPU_BINARY_USER
#define DPU_BINARY_USER "./bin/dpu_user"
#endif

#define WORDS 1024	/* of a DPU */
#define BYTES (WORDS * sizeof(T))
#define TARGET (1024 * 1024)

static struct dpu_set_t dpu_set;
static uint32_t nr_dpus = NR_DPUS, axis_len[3], wrong;
static hypercube_manager *manager;
static T *in, *out, *expected;

static void move(T *data, dpu_xfer_t xfer, uint32_t offset, uint32_t bytes)
{
	struct dpu_set_t dpu;
	uint32_t each_dpu;

	DPU_FOREACH_ENTANGLED_GROUP(dpu_set, dpu, each_dpu, nr_dpus){
		DPU_ASSERT(dpu_prepare_xfer(dpu, data + each_dpu * WORDS));
	}
	DPU_ASSERT(dpu_push_xfer(dpu_set, xfer, DPU_MRAM_HEAP_POINTER_NAME, offset, bytes, DPU_XFER_DEFAULT));
}

/* members of the group of node i along the axes, and its rank among them */
static uint32_t group(const char *comm, uint32_t i, uint32_t members[], uint32_t *rank, uint32_t *number)
{
	uint32_t n = 1, stride = 1, base = i, groups = 1;

	members[0] = 0;
	*rank = *number = 0;
	for (uint32_t d = 0; d < 3; stride *= axis_len[d], d++) {
		uint32_t at = i / stride % axis_len[d];

		if (comm[d] != '1') {
			*number += at * groups;
			groups *= axis_len[d];
			continue;
		}
		*rank += at * n;
		base -= at * stride;
		for (uint32_t k = n; k < n * axis_len[d]; k++)
			members[k] = members[k % n] + k / n * stride;
		n *= axis_len[d];
	}
	for (uint32_t k = 0; k < n; k++)
		members[k] += base;
	return n;
}

static void compare(const char *what, const char *comm, uint32_t words)
{
	move(out, DPU_XFER_FROM_DPU, TARGET, words * sizeof(T));
	for (uint32_t i = 0; i < nr_dpus; i++)
		if (memcmp(out + i * WORDS, expected + i * WORDS, words * sizeof(T))) {
			printf("%s %s: DPU %u is wrong\n", what, comm, i);
			wrong++;
			return;
		}
}

static void reductions(char *comm, uint32_t n, uint32_t *members, void **buffers)
{
	const uint32_t chunk = WORDS / n;
	uint32_t rank, number;

	pidcomm_all_reduce(manager, comm, BYTES, 0, TARGET, 0, sizeof(T), 0);
	memset(expected, 0, nr_dpus * BYTES);
	for (uint32_t i = 0; i < nr_dpus; i++) {
		group(comm, i, members, &rank, &number);
		for (uint32_t m = 0; m < n; m++)
			for (uint32_t w = 0; w < WORDS; w++)
				expected[i * WORDS + w] += in[members[m] * WORDS + w];
	}
	compare("all_reduce", comm, WORDS);
	pidcomm_reduce(manager, comm, BYTES, 0, 0, sizeof(T), buffers);
	for (uint32_t i = 0; i < nr_dpus; i++) {
		group(comm, i, members, &rank, &number);
		if (memcmp(buffers[number], expected + i * WORDS, BYTES)) {
			printf("reduce %s: group %u is wrong\n", comm, number);
			wrong++;
		}
	}
	pidcomm_reduce_scatter(manager, comm, BYTES, 0, TARGET, 0, sizeof(T));
	for (uint32_t i = 0; i < nr_dpus; i++) {
		group(comm, i, members, &rank, &number);
		memmove(expected + i * WORDS, expected + i * WORDS + rank * chunk, chunk * sizeof(T));
	}
	compare("reduce_scatter", comm, chunk);

	pidcomm_all_reduce(manager, comm, BYTES, 0, TARGET, 0, sizeof(T), 1);
	for (uint32_t i = 0; i < nr_dpus; i++) {
		group(comm, i, members, &rank, &number);
		for (uint32_t w = 0; w < WORDS; w++) {
			expected[i * WORDS + w] = in[members[0] * WORDS + w];
			for (uint32_t m = 1; m < n; m++)
				if (in[members[m] * WORDS + w] > expected[i * WORDS + w])
					expected[i * WORDS + w] = in[members[m] * WORDS + w];
		}
	}
	compare("all_reduce (maximum)", comm, WORDS);
}

static void along(char *comm)
{
	uint32_t *members = malloc(nr_dpus * sizeof(*members)), n, rank, number, groups;
	void **buffers;

	n = group(comm, 0, members, &rank, &number);
	groups = nr_dpus / n;
	const uint32_t chunk = WORDS / n;
	buffers = malloc(groups * sizeof(*buffers));
	for (uint32_t g = 0; g < groups; g++)
		buffers[g] = calloc(n, BYTES);
	move(in, DPU_XFER_TO_DPU, 0, BYTES);

	pidcomm_alltoall(manager, comm, BYTES, 0, TARGET, 0);
	for (uint32_t i = 0; i < nr_dpus; i++) {
		group(comm, i, members, &rank, &number);
		for (uint32_t m = 0; m < n; m++)
			memcpy(expected + i * WORDS + m * chunk, in + members[m] * WORDS + rank * chunk, chunk * sizeof(T));
	}
	compare("alltoall", comm, WORDS);

	reductions(comm, n, members, buffers);

	pidcomm_allgather(manager, comm, BYTES, 0, TARGET, 0);
	for (uint32_t i = 0; i < nr_dpus; i++) {
		group(comm, i, members, &rank, &number);
		for (uint32_t m = 0; m < n; m++)
			memcpy(expected + i * WORDS + m * chunk, in + members[m] * WORDS, chunk * sizeof(T));
	}
	compare("allgather", comm, WORDS);

	pidcomm_gather(manager, comm, BYTES, 0, 0, buffers);
	for (uint32_t i = 0; i < nr_dpus; i++) {
		group(comm, i, members, &rank, &number);
		if (memcmp((char *)buffers[number] + rank * BYTES, in + i * WORDS, BYTES)) {
			printf("gather %s: DPU %u is wrong\n", comm, i);
			wrong++;
		}
	}
	pidcomm_scatter(manager, comm, BYTES, TARGET, 0, buffers);
	memcpy(expected, in, nr_dpus * BYTES);
	compare("scatter", comm, WORDS);

	for (uint32_t g = 0; g < groups; g++)
		free(buffers[g]);
	free(buffers);
	free(members);
}

int main(void)
{
	DPU_ASSERT(dpu_alloc_comm(nr_dpus, NULL, &dpu_set, 1));
	DPU_ASSERT(dpu_load(dpu_set, DPU_BINARY_USER, NULL));
	axis_len[0] = nr_dpus >= 64 ? 8 : 4;
	axis_len[1] = nr_dpus / axis_len[0];
	axis_len[2] = 1;
	manager = init_hypercube_manager(dpu_set, 3, axis_len);
	in = calloc(nr_dpus, BYTES);
	out = calloc(nr_dpus, BYTES);
	expected = calloc(nr_dpus, BYTES);
	#pragma omp parallel for
	for (uint32_t i = 0; i < nr_dpus * WORDS; i++)
		in[i] = (T)(i * 2654435761u) >> 8;
	along("100");
	along("010");
	along("110");
	pidcomm_broadcast(manager, BYTES, TARGET, in);
	for (uint32_t i = 0; i < nr_dpus; i++)
		memcpy(expected + i * WORDS, in, BYTES);
	compare("broadcast", "000", WORDS);
	/* the program is still there */
	DPU_ASSERT(dpu_launch(dpu_set, DPU_SYNCHRONOUS));
	printf("%u wrong\n", wrong);
	free(manager);
	DPU_ASSERT(dpu_free(dpu_set));
	return wrong != 0;
}
