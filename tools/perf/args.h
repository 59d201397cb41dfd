/* SPDX-License-Identifier: MIT */
/* What options of `perf` ask for. */
#ifndef PIMDIMM_PERF_ARGS_H
#define PIMDIMM_PERF_ARGS_H

#include "tools/nearest.h"
#include "tools/options.h"
#include "tools/perf/report.h"

#define PERF_MAX_SHAPES 16
#define PERF_MAX_AXES 16
#define PERF_MAX_NAMES 8
/* built-in operations, from 1 on */
#define PERF_OPS 10

/* what `--host-buffers` runs beside the library: MPI's collectives and streams, a plain loop */
#define PERF_MPI	"mpi"
#define PERF_MPI_BLOCK	"mpi-block"	/* MPI_Reduce_scatter_block() */
#define PERF_ROOFLINE	"roofline"
#define PERF_STREAM	"stream"

/* the words that options take */
tool_word_fn perf_collective_word, perf_type_word, perf_op_word,
	perf_algorithm_word, perf_buffers_word, perf_opponent_word, perf_layout_word,
	perf_place_word, perf_check_word;
/* whether one of them is the first `length` bytes of an item */
bool perf_is_word(tool_word_fn *word, const char *item, size_t length);

struct perf_args {
	struct perf_how how;
	uint64_t begin, end, factor;
	struct perf_case shapes[PERF_MAX_SHAPES];	/* dims alone */
	unsigned int nr_shapes;
	char axes[PERF_MAX_AXES][PIDCOMM_MAX_DIMS + 1];
	unsigned int nr_axes;
	unsigned int types, ops, collectives;	/* bit sets */
	char names[PERF_MAX_NAMES][32];		/* algorithms */
	unsigned int nr_names;
	unsigned int opponents;	/* bit set, of `--suite datatypes` */
	bool out_of_place, in_place;
	bool latency;		/* sizes and table of --osu */
	enum perf_format format;
	const char *output, *suite, *plot, *programs, *figures, *reproduce;
	const char *compare[2];	/* reports, or NULL */
	bool host_buffers;	/* collectives on these, not on hypercubes */
	bool given_sizes, given_shapes, given_iters;
	uint32_t hosts;		/* 0: this process alone */
};

/* 0, or TOOL_USAGE after a message */
int perf_args_read(const struct command *self, int argc, char **argv,
		   struct perf_args *args);

#endif /* PIMDIMM_PERF_ARGS_H */
