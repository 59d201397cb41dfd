// SPDX-License-Identifier: MIT
/* Deals two vectors out to DPUs, and compares their sum with its own. */
#include <assert.h>
#include <dpu.h>
#include <dpu_log.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if ENERGY
#include <dpu_probe.h>
#endif

#include "common.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

static T *A, *B, *C;

static void read_input(size_t size)
{
	for (size_t i = 0; i < size; i++) {
		A[i] = (T)(i * 2654435761u);
		B[i] = (T)(i * 40503u + 7);
		C[i] = (T)((uint32_t)A[i] + (uint32_t)B[i]);
	}
}

static void move_vector(struct dpu_set_t set, dpu_xfer_t direction, T *v, unsigned int at, unsigned int n)
{
	struct dpu_set_t dpu;
	unsigned int i;

	DPU_FOREACH(set, dpu, i) {
		DPU_ASSERT(dpu_prepare_xfer(dpu, v + (size_t)n * i));
	}
	DPU_ASSERT(dpu_push_xfer(set, direction, DPU_MRAM_HEAP_POINTER_NAME, at * sizeof(T), n * sizeof(T), DPU_XFER_DEFAULT));
}

int main(int argc, char **argv)
{
	const unsigned int input_size_dpu = argc > 1 ? atoi(argv[1]) : 5001;
	struct dpu_set_t dpu_set, dpu;
	uint32_t nr_of_dpus;
	unsigned int i = 0;

#if ENERGY
	struct dpu_probe_t probe;
	double energy;
	DPU_ASSERT(dpu_probe_init("energy_probe", &probe));
#endif
	DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &dpu_set));
	DPU_ASSERT(dpu_load(dpu_set, DPU_BINARY, NULL));
	DPU_ASSERT(dpu_get_nr_dpus(dpu_set, &nr_of_dpus));
	printf("Allocated %d DPU(s)\n", nr_of_dpus);

	const unsigned int padded = (input_size_dpu + 1) / 2 * 2;
	const size_t total = (size_t)padded * nr_of_dpus;
	dpu_arguments_t arguments = { input_size_dpu * sizeof(T),
				      padded * sizeof(T) };
	A = malloc(total * sizeof(T));
	B = malloc(total * sizeof(T));
	C = malloc(total * sizeof(T));
	read_input(total);

	DPU_FOREACH(dpu_set, dpu, i) {
		DPU_ASSERT(dpu_prepare_xfer(dpu, &arguments));
	}
	DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_TO_DPU, "DPU_INPUT_ARGUMENTS", 0, sizeof(arguments), DPU_XFER_DEFAULT));
	move_vector(dpu_set, DPU_XFER_TO_DPU, A, 0, padded);
	move_vector(dpu_set, DPU_XFER_TO_DPU, B, padded, padded);

#if ENERGY
	DPU_ASSERT(dpu_probe_start(&probe));
#endif
	DPU_ASSERT(dpu_launch(dpu_set, DPU_SYNCHRONOUS));
#if ENERGY
	DPU_ASSERT(dpu_probe_stop(&probe));
	DPU_ASSERT(dpu_probe_get(&probe, DPU_ENERGY, DPU_AVERAGE, &energy));
	DPU_ASSERT(dpu_probe_deinit(&probe));
#endif
#if PRINT
	DPU_FOREACH(dpu_set, dpu) {
		DPU_ASSERT(dpu_log_read(dpu, stdout));
	}
#endif
	dpu_results_t results[nr_of_dpus][NR_TASKLETS];
	DPU_FOREACH(dpu_set, dpu, i) {
		DPU_ASSERT(dpu_prepare_xfer(dpu, results[i]));
	}
	DPU_ASSERT(dpu_push_xfer(dpu_set, DPU_XFER_FROM_DPU, "DPU_RESULTS", 0, NR_TASKLETS * sizeof(dpu_results_t), DPU_XFER_DEFAULT));
	move_vector(dpu_set, DPU_XFER_FROM_DPU, B, padded, padded);

	bool status = true;
	for (i = 0; i < nr_of_dpus; i++) {
		status &= !memcmp(B + (size_t)padded * i, C + (size_t)padded * i, input_size_dpu * sizeof(T));
		status &= results[i][0].cycles > 0;
	}
	printf("%s\n", status ? "Outputs are equal" : "Outputs differ!");
	free(A);
	free(B);
	free(C);
	DPU_ASSERT(dpu_free(dpu_set));
	return status ? 0 : -1;
}
