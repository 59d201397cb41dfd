// SPDX-License-Identifier: MIT
/*
 * pe_program: loads a program that was compiled for PEs (pe_program_pe.c) into the
 * PEs of a rank, hands it numbers in MRAM and a factor in WRAM, runs it, and reads
 * its results and what it printed.
 *
 *     eval "$(pimdimm compat --env)"	# dpu-upmem-dpurte-clang
 *     make pe_program pe_program_pe && ./pe_program
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pimdimm/pimdimm.h>
#include <pimdimm/program.h>

#define PES 64
#define NUMBERS 1024	/* as in pe_program_pe.c */

static uint32_t numbers[PES][NUMBERS];

static void check(int ret)
{
	if (!ret)
		return;
	fprintf(stderr, "pe_program: %s\n", pimdimm_errmsg());
	exit(1);
}

/* Where the program has an object: its size must be what this host expects. */
static uint32_t find(const struct pimdimm_program *program, const char *name,
		     enum pimdimm_space space, uint32_t bytes)
{
	struct pimdimm_symbol symbol;

	check(pimdimm_program_symbol(program, name, &symbol));
	if (symbol.space == space && symbol.bytes == bytes)
		return symbol.address;
	fprintf(stderr, "pe_program: %s has %u bytes, expected %u\n", name,
		symbol.bytes, bytes);
	exit(1);
}

static void push_numbers(struct pimdimm *sys, uint32_t at)
{
	const void *bufs[PES];

	for (uint32_t pe = 0; pe < PES; pe++) {
		for (uint32_t i = 0; i < NUMBERS; i++)
			numbers[pe][i] = pe + i;
		bufs[pe] = numbers[pe];
	}
	check(pimdimm_push(sys, 0, PES, at, bufs, sizeof(numbers[0])));
}

/* Compares what a PE left in WRAM and what it printed. */
static int is_right(struct pimdimm *sys, uint32_t pe, uint32_t factor,
		    uint32_t at)
{
	uint64_t expected = 0, sum;
	char line[64], *text;
	int right;

	for (uint32_t i = 0; i < NUMBERS; i++)
		expected += (uint64_t)factor * numbers[pe][i];
	snprintf(line, sizeof(line), "the sum is %" PRIu64 "\n", expected);
	check(pimdimm_wram_read(sys, pe, at, &sum, sizeof(sum)));
	check(pimdimm_log_read(sys, pe, &text));
	right = sum == expected && !strcmp(text, line);
	if (!right)
		fprintf(stderr,
			"pe_program: PE %u has %" PRIu64 ", expected %" PRIu64
			", or has printed something else\n",
			pe, sum, expected);
	else if (pe == PES - 1)
		printf("pe_program: PE %u printed: %s", pe, text);
	free(text);
	return right;
}

int main(int argc, char **argv)
{
	struct pimdimm_run run = { .size = sizeof(run) };
	uint32_t pes[PES], factor = 3, factor_at, sum_at;
	struct pimdimm_program *program;
	struct pimdimm *sys;
	int right = 1;

	check(pimdimm_program_open(argc > 1 ? argv[1] : "./pe_program_pe",
				   &program));
	factor_at = find(program, "factor", PIMDIMM_WRAM, sizeof(factor));
	sum_at = find(program, "sum", PIMDIMM_WRAM, sizeof(uint64_t));
	check(pimdimm_open(NULL, &sys));
	for (uint32_t pe = 0; pe < PES; pe++)
		pes[pe] = pe;
	check(pimdimm_load(sys, pes, PES, program));
	for (uint32_t pe = 0; pe < PES; pe++)
		check(pimdimm_wram_write(sys, pe, factor_at, &factor,
					 sizeof(factor)));
	push_numbers(sys, find(program, "numbers", PIMDIMM_MRAM,
			       sizeof(numbers[0])));
	/* a PE that faults is told with its tasklet, the cause and the source line */
	check(pimdimm_run(sys, pes, PES, &run));
	for (uint32_t pe = 0; right && pe < PES; pe++)
		right = is_right(sys, pe, factor, sum_at);
	if (right)
		printf("pe_program: %.1f us on hardware, as the cost model has it\n",
		       1e6 * (double)run.cycles / (double)run.clock_hz);
	pimdimm_close(sys);
	pimdimm_program_close(program);
	return !right;
}
