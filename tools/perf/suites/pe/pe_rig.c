// SPDX-License-Identifier: MIT
/* A system with a program on its PEs; launches that are timed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pimdimm/pimdimm_layout.h>

#include "tools/perf/measure.h"
#include "tools/perf/suites/pe/pe_rig.h"
#include "tools/tool.h"

static int pe_rig_failed(void)
{
	return tool_error("%s", pimdimm_errmsg());
}

int pe_rig_open(struct pe_rig *rig, struct perf_suite *suite, uint32_t nr_pes,
		uint64_t operand)
{
	uint64_t mram = PIMDIMM_MRAM_MIN;
	char uri[128];

	*rig = (struct pe_rig){ .suite = suite };
	/* three operands and GEMV's vectors */
	while (mram < 4 * operand)
		mram *= 2;
	snprintf(uri, sizeof(uri), "mem:channels=1,ranks=%u,mram=%" PRIu64 ",layout=%s",
		 (nr_pes + PIMDIMM_RANK_PES - 1) / PIMDIMM_RANK_PES, mram,
		 suite->how.layout);
	if (pimdimm_open(uri, &rig->sys))
		return pe_rig_failed();
	rig->pes = calloc(nr_pes, sizeof(*rig->pes));
	if (!rig->pes)
		return tool_error("no memory");
	for (uint32_t i = 0; i < nr_pes; i++)
		rig->pes[i] = i;
	return TOOL_OK;
}

void pe_rig_close(struct pe_rig *rig)
{
	pimdimm_program_close(rig->program);
	free(rig->pes);
	if (rig->sys)
		pimdimm_close(rig->sys);
}

int pe_rig_load(struct pe_rig *rig, enum pe_image image, uint32_t nr_pes,
		double *ns)
{
	uint64_t start;

	pimdimm_program_close(rig->program);
	rig->program = NULL;
	start = tool_now();
	if (pe_image_open(image, &rig->program))
		return TOOL_FAILED;
	rig->nr_pes = nr_pes;
	if (pimdimm_load(rig->sys, rig->pes, nr_pes, rig->program))
		return pe_rig_failed();
	if (ns)
		*ns = (double)(tool_now() - start);
	return TOOL_OK;
}

static int pe_rig_find(struct pe_rig *rig, const char *name, size_t bytes,
		       struct pimdimm_symbol *symbol)
{
	if (pimdimm_program_symbol(rig->program, name, symbol))
		return pe_rig_failed();
	if (symbol->space != PIMDIMM_WRAM || symbol->bytes < bytes)
		return tool_error("%s is no object of %zu bytes in WRAM", name,
				  bytes);
	return TOOL_OK;
}

int pe_rig_write(struct pe_rig *rig, const char *symbol, const void *value,
		 size_t bytes)
{
	struct pimdimm_symbol found;

	if (pe_rig_find(rig, symbol, bytes, &found))
		return TOOL_FAILED;
	for (uint32_t pe = 0; pe < rig->nr_pes; pe++) {
		if (pimdimm_wram_write(rig->sys, pe, found.address, value,
				       bytes))
			return pe_rig_failed();
	}
	return TOOL_OK;
}

int pe_rig_read(struct pe_rig *rig, const char *symbol, void *values,
		size_t bytes)
{
	struct pimdimm_symbol found;

	if (pe_rig_find(rig, symbol, bytes, &found))
		return TOOL_FAILED;
	for (uint32_t pe = 0; pe < rig->nr_pes; pe++) {
		if (pimdimm_wram_read(rig->sys, pe, found.address,
				      (char *)values + pe * bytes, bytes))
			return pe_rig_failed();
	}
	return TOOL_OK;
}

/* Pushes or pulls an operand of each PE, entangled group after entangled group. */
static int pe_rig_move(struct pe_rig *rig, uint64_t off, uint64_t *words,
		       uint64_t bytes, bool push)
{
	int ret = 0;

	off += pimdimm_program_info(rig->program)->mram_bytes;
	for (uint32_t pe = 0; pe < rig->nr_pes && !ret; pe += PIMDIMM_CHIPS) {
		void *bufs[PIMDIMM_CHIPS];

		for (uint32_t i = 0; i < PIMDIMM_CHIPS; i++)
			bufs[i] = words + (pe + i) * (bytes / PIMDIMM_WORD_BYTES);
		ret = push ? pimdimm_push(rig->sys, pe, PIMDIMM_CHIPS, off,
					  (const void *const *)bufs, bytes) :
			     pimdimm_pull(rig->sys, pe, PIMDIMM_CHIPS, off, bufs, bytes);
	}
	return ret ? pe_rig_failed() : TOOL_OK;
}

int pe_rig_push(struct pe_rig *rig, uint64_t off, const uint64_t *words,
		uint64_t bytes)
{
	return pe_rig_move(rig, off, (uint64_t *)words, bytes, true);
}

int pe_rig_pull(struct pe_rig *rig, uint64_t off, uint64_t *words,
		uint64_t bytes)
{
	return pe_rig_move(rig, off, words, bytes, false);
}

static int by_time(const void *a, const void *b)
{
	const struct pimdimm_run *x = a, *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

int pe_rig_run(struct pe_rig *rig, struct pimdimm_run *middle,
	       unsigned int *launches)
{
	const struct perf_how *how = &rig->suite->how;
	unsigned int count = how->warmup + how->iters;
	struct pimdimm_run *runs = calloc(count, sizeof(*runs));
	int ret = runs ? TOOL_OK : tool_error("no memory");

	for (unsigned int i = 0; i < count && !ret; i++) {
		runs[i].size = sizeof(*runs);
		if (pimdimm_run(rig->sys, rig->pes, rig->nr_pes, &runs[i]))
			ret = pe_rig_failed();
		else if (perf_interrupted())
			ret = tool_error("interrupted");
	}
	if (!ret) {
		qsort(runs + how->warmup, how->iters, sizeof(*runs), by_time);
		*middle = runs[how->warmup + how->iters / 2];
		if (launches)
			*launches = count;
	}
	free(runs);
	return ret;
}
