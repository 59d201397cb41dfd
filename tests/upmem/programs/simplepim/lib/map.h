/* SPDX-License-Identifier: MIT */
/* What the parts of a framework that maps functions over vectors share. */
#ifndef MAP_H
#define MAP_H

#include <stdint.h>

typedef struct {
	uint32_t elements;
	uint32_t input_size;	/* bytes of an element */
	uint32_t output_size;
	uint32_t context_size;
	uint32_t output_offset;
	uint32_t unused;
} map_arguments_t;

/* what a user gives: the function for DPUs, and the same for the host */
typedef void (*map_function_t)(void *input, void *output, void *context);

#endif
