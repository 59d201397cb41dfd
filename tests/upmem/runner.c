// SPDX-License-Identifier: MIT
/*
 * Usage: runner [-p PES] [-l LAUNCHES] [-u URI] [-c] PROGRAM [SYMBOL]...
 * Runs a PE program so often, and prints what its last launch said: "ok", or
 * "fault KIND: TEXT". Then, of each symbol, its size and address; those in WRAM
 * of 4 and 8 bytes with their value in PE 0, and whether PEs differ in it. -c:
 * compat mode. Exit status 2: it could not be opened, loaded or run; the sentence
 * is printed.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pimdimm/program.h>

static struct pimdimm *sys;
static uint32_t *pes, nr_pes = 8;

static void check(int err)
{
	if (!err)
		return;
	printf("%s: %s\n", strerror(-err), pimdimm_errmsg());
	exit(2);
}

static uint64_t value(const struct pimdimm_symbol *symbol, uint32_t pe)
{
	uint64_t x = 0;

	check(pimdimm_wram_read(sys, pe, symbol->address, &x, symbol->bytes));
	return x;
}

static void show(const struct pimdimm_program *program, const char *name)
{
	static const char *const spaces[] = { "WRAM", "MRAM", "TEXT" };
	struct pimdimm_symbol symbol;
	uint64_t first;

	check(pimdimm_program_symbol(program, name, &symbol));
	printf("%s: %s+%#x %u", name, spaces[symbol.space], symbol.address,
	       symbol.bytes);
	if (symbol.space == PIMDIMM_WRAM &&
	    (symbol.bytes == 4 || symbol.bytes == 8)) {
		first = value(&symbol, 0);
		printf(" = %" PRIu64, first);
		for (uint32_t pe = 1; pe < nr_pes; pe++)
			if (value(&symbol, pe) != first) {
				printf(" differs");
				break;
			}
	}
	printf("\n");
}

static void launch(uint32_t compat, unsigned long times)
{
	struct pimdimm_run run = { .size = sizeof(run), .compat = compat };
	int err = 0;

	for (unsigned long i = 0; i < times; i++) {
		run.timeout_ms = 200000;
		err = pimdimm_run(sys, pes, nr_pes, &run);
		if (err && err != -EFAULT)
			check(err);
	}
	if (err)
		printf("fault %u: %s\n", run.first.kind, run.first.text);
	else
		printf("ok\n");
}

int main(int argc, char **argv)
{
	const char *uri = "mem:ranks=1,mram=2M";
	struct pimdimm_program *program;
	unsigned long launches = 1;
	uint32_t compat = 0;
	int option;

	while ((option = getopt(argc, argv, "cl:p:u:")) != -1) {
		if (option == 'l')
			launches = strtoul(optarg, NULL, 10);
		else if (option == 'p')
			nr_pes = (uint32_t)strtoul(optarg, NULL, 10);
		else if (option == 'u')
			uri = optarg;
		else if (option == 'c')
			compat = 1;
		else
			return 2;
	}
	if (optind >= argc)
		return 2;
	pes = calloc(nr_pes + 1ul, sizeof(*pes));
	for (uint32_t pe = 0; pes && pe < nr_pes; pe++)
		pes[pe] = pe;
	check(pimdimm_open(uri, &sys));
	check(pimdimm_program_open(argv[optind], &program));
	check(pimdimm_load(sys, pes, nr_pes, program));
	launch(compat, launches);
	while (++optind < argc)
		show(program, argv[optind]);
	pimdimm_program_close(program);
	pimdimm_close(sys);
	free(pes);
	return 0;
}
