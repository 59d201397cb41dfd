/* SPDX-License-Identifier: MIT */
/* What a benchmark ran on. */
#ifndef PIMDIMM_PERF_MACHINE_H
#define PIMDIMM_PERF_MACHINE_H

#include <stdio.h>

#include "tools/csv.h"
#include "tools/perf/rig.h"

struct json_object;

struct perf_machine {
	struct tool_head head;
	char machine[128], cpu[128], caches[160], places[160], module[32];
	char pages[80];		/* of MRAM; "" where they are not the library's to ask for */
	const char *tier, *layout, *backend, *library, *source;
	const char *commit;	/* of the sources; "" where these were no checkout */
	unsigned int threads;
	uint32_t hosts;		/* that have so many each; 0: one process alone */
};

/* `sys`: whose threads and instruction set they are, NULL for one process's own of this CPU */
void perf_head_read(struct tool_head *head, const struct pimdimm *sys);
void perf_machine_read(struct perf_machine *m, const struct perf_rig *rig);
void perf_machine_print(const struct perf_machine *m, FILE *out);
struct json_object *perf_machine_json(const struct perf_machine *m);

#endif /* PIMDIMM_PERF_MACHINE_H */
