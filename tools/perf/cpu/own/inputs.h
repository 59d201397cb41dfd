/* SPDX-License-Identifier: MIT */
/*
 * The applications' inputs in plain arrays, for whoever works on them: our own programs
 * and plug-ins, which share nothing else with the tool.
 */
#ifndef PIMDIMM_PERF_CPU_INPUTS_H
#define PIMDIMM_PERF_CPU_INPUTS_H

#include <stdbool.h>
#include <stdint.h>

#define CPU_MAX_LAYERS	16
#define CPU_MAX_TABLES	26
#define CPU_MAX_DIM	32

/* what vertices have as their level that are not reached */
#define CPU_UNREACHED	UINT32_MAX

/* Of elements; sums are modulo 2^w of that type, but of CPU_I8_I32 of 32 bits. */
enum cpu_type {
	CPU_I8,
	CPU_I16,
	CPU_I32,
	CPU_F32,
	CPU_I8_I32,
	CPU_NR_TYPES,
};

/*
 * The edges of vertex v lead to targets[first[v]] up to targets[first[v + 1] - 1], which
 * ascend; `in` are the edges turned round, the same arrays of an undirected graph.
 */
struct cpu_graph {
	uint32_t vertices;
	uint64_t edges;
	const uint64_t *first, *in_first;
	const uint32_t *targets, *in_targets;
	uint32_t source;	/* of a search */
};

/* outputs = inputs times weights, and a bias to each unless it is NULL */
struct cpu_layer {
	uint32_t inputs, outputs;
	const void *weights;
	const void *bias;
	bool by_inputs;		/* weights are [inputs][outputs], else [outputs][inputs] */
	uint32_t shift;		/* CPU_I8_I32: as mlp divides what the next layer gets */
};

/* Each layer sums the rows of a vertex's neighbours, then multiplies by the weights. */
struct cpu_gnn {
	struct cpu_graph graph;
	enum cpu_type type;
	unsigned int nr_layers;
	struct cpu_layer layers[CPU_MAX_LAYERS];
	bool relu;
	const void *features;	/* [vertices][inputs of layer 0] */
};

struct cpu_mlp {
	enum cpu_type type;
	unsigned int nr_layers;
	struct cpu_layer layers[CPU_MAX_LAYERS];
	bool relu, last_relu;	/* between layers, and behind the last one */
	uint32_t batch;
	const void *features;	/* [batch][inputs of layer 0] */
};

struct cpu_dlrm {
	enum cpu_type type;	/* CPU_F32 or CPU_I32 */
	uint32_t dim, nr_tables;
	const void *tables[CPU_MAX_TABLES];	/* [rows][dim] */
	unsigned int bottom, top;		/* numbers of layers, bottom ones first */
	struct cpu_layer layers[CPU_MAX_LAYERS];
	uint64_t samples;
	const void *dense;		/* [samples][inputs of layer 0] */
	const uint32_t *categories;	/* [samples][stride]: `pooling` rows of a table, and
					 * behind them the next table's */
	uint32_t pooling, stride;
};

#endif /* PIMDIMM_PERF_CPU_INPUTS_H */
