// SPDX-License-Identifier: MIT
/*
 * The inputs of suite apps. What matters is how long the vectors are that collectives
 * move: the graphs are sparse, so that emulating PEs does not take all of the time.
 */
#include <inttypes.h>
#include <stdio.h>

#include "tools/apps/apps.h"
#include "tools/perf/suites/apps/apps_programs.h"

/* features of a vertex: a row of bytes, or of wider words */
#define ROW_FEATURES	128
#define MLP_BATCH	16
/* bytes that dlrm's PEs send for each sample */
#define SAMPLE_BYTES	32
/* below this size the tables of the whole model would be all that takes time */
#define WHOLE_TABLES	(64 << 10)

static const struct {
	const char *name;
	const struct app *app;
} programs[APPS_PROGRAMS] = {
	[APPS_BFS] = { "bfs", &app_bfs },
	[APPS_CC] = { "cc", &app_cc },
	[APPS_RSAR] = { "gnn rsar", &app_gnn },
	[APPS_ARAG] = { "gnn arag", &app_gnn },
	[APPS_MLP] = { "mlp", &app_mlp },
	[APPS_DLRM] = { "dlrm", &app_dlrm },
};

const char *apps_program_name(enum apps_program program)
{
	return programs[program].name;
}

const struct app *apps_program_app(enum apps_program program)
{
	return programs[program].app;
}

/* the largest power of two that is no more */
static unsigned int log2_of(uint64_t n)
{
	return 63 - (unsigned int)__builtin_clzll(n | 1);
}

/* vertices whose features make strips of this size on a square of PEs */
static uint64_t strips_vertices(const struct apps_scale *scale)
{
	return (scale->bytes / ROW_FEATURES) << (log2_of(scale->pes) / 2);
}

void apps_program_line(enum apps_program program, const struct apps_scale *scale,
		       uint32_t pes, enum apps_width width, char *line, size_t bytes)
{
	uint64_t size = scale->bytes;

	switch (program) {
	case APPS_BFS:	/* a bit for each vertex */
		snprintf(line, bytes, "bfs --pes %u kron:scale=%u,edges=2", pes,
			 log2_of(size * 8));
		break;
	case APPS_CC:	/* a label */
		snprintf(line, bytes, "cc --pes %u kron:scale=%u,edges=8", pes,
			 log2_of(size / 4));
		break;
	case APPS_RSAR:
	case APPS_ARAG:
		snprintf(line, bytes, "gnn --pes %u --strategy %s --type I%u --features %u uniform:vertices=%" PRIu64 ",edges=4",
			 pes, program == APPS_RSAR ? "rsar" : "arag", 8u << width,
			 ROW_FEATURES, strips_vertices(scale));
		break;
	case APPS_MLP:
		snprintf(line, bytes, "mlp --pes %u --type i%u --features %" PRIu64 " --layers 3 --batch %u",
			 pes, 8u << width, size / MLP_BATCH, MLP_BATCH);
		break;
	default:
		snprintf(line, bytes, "dlrm --pes %u%s criteo:rows=%" PRIu64, pes,
			 size < WHOLE_TABLES ? " --max-rows 1000" : "",
			 size / SAMPLE_BYTES);
	}
}
