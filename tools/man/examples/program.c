// SPDX-License-Identifier: MIT
/*
 * Examples of the manual pages of <pimdimm/program.h>, as in pimdimm.c. The program
 * for PEs that they load is the argument; each of its tasklets adds 1 to its element
 * of the array `ran` in WRAM.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pimdimm/program.h>

static void check(int ret)
{
	if (ret < 0) {
		fprintf(stderr, "%s\n", pimdimm_errmsg());
		exit(EXIT_FAILURE);
	}
}

static void open_memory(const void *image, size_t bytes)
{
	/* example of pimdimm_program_open_memory, pimdimm_program_set_name: A program that
	 * lies in memory, and what reports call it */
	struct pimdimm_program *program;

	check(pimdimm_program_open_memory(image, bytes, &program));
	pimdimm_program_set_name(program, "sum");
	printf("for %u tasklets\n", pimdimm_program_info(program)->nr_tasklets);
	pimdimm_program_close(program);
	/* end of example */
}

static void read_file(const char *path)
{
	static char image[1 << 20];
	FILE *file = fopen(path, "rb");

	if (!file)
		exit(EXIT_FAILURE);
	open_memory(image, fread(image, 1, sizeof(image), file));
	fclose(file);
}

static void tell(const struct pimdimm_program *program)
{
	struct pimdimm_symbol symbol;
	char line[256];

	/* example of pimdimm_program_info: What a program needs of its PE */
	const struct pimdimm_program_info *info = pimdimm_program_info(program);

	printf("%u tasklets, %u bytes of WRAM and %u of stacks\n", info->nr_tasklets,
	       info->wram_bytes, info->stack_bytes);
	/* end of example */
	/* example of pimdimm_program_symbol, pimdimm_symbol, pimdimm_space: Where the
	 * program's array ran lies */
	check(pimdimm_program_symbol(program, "ran", &symbol));
	printf("%s, byte %u, %u bytes\n",
	       symbol.space == PIMDIMM_WRAM ? "WRAM" : "MRAM", symbol.address,
	       symbol.bytes);
	/* end of example */
	/* example of pimdimm_program_line: The source line of the program's first
	 * instruction */
	if (!pimdimm_program_line(program, 0, line, sizeof(line)))
		puts(line);
	/* end of example */
}

static void restored(struct pimdimm *sys)
{
	/* example of pimdimm_program_of: An object of the program that PE 0 has, whoever
	 * loaded it */
	struct pimdimm_program *program;
	struct pimdimm_symbol symbol;

	check(pimdimm_program_of(sys, 0, &program));
	check(pimdimm_program_symbol(program, "ran", &symbol));
	pimdimm_program_close(program);
	/* end of example */
}

static void load(struct pimdimm *sys, const char *path)
{
	/* example of pimdimm_program_open, pimdimm_program_close, pimdimm_load: One
	 * program for PEs 0 to 7, with its file no longer needed */
	const uint32_t pes[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	struct pimdimm_program *program;

	check(pimdimm_program_open(path, &program));
	check(pimdimm_load(sys, pes, 8, program));
	pimdimm_program_close(program);
	/* end of example */
}

static void object(struct pimdimm *sys, const struct pimdimm_program *program)
{
	/* example of pimdimm_wram_write, pimdimm_wram_read: The program's array ran on PE
	 * 0, set before a launch and read after it */
	const uint32_t pe = 0;
	struct pimdimm_symbol ran;
	uint32_t value = 42;

	check(pimdimm_program_symbol(program, "ran", &ran));
	check(pimdimm_wram_write(sys, pe, ran.address, &value, sizeof(value)));
	check(pimdimm_run(sys, &pe, 1, NULL));
	check(pimdimm_wram_read(sys, pe, ran.address, &value, sizeof(value)));
	/* end of example */
	if (value != 43)
		exit(EXIT_FAILURE);
}

static void run(struct pimdimm *sys)
{
	/* example of pimdimm_run, pimdimm_fault, pimdimm_clock_hz, pimdimm_times: The program
	 * loaded on PEs 0 and 1, at most a second each */
	const uint32_t pes[2] = { 0, 1 };
	struct pimdimm_run run = { .size = sizeof(run), .timeout_ms = 1000 };

	if (pimdimm_run(sys, pes, 2, &run) && run.nr_faulted)
		printf("PE %u: %s\n", run.first.pe, run.first.text);
	printf("%.6f s on hardware, as modelled\n",
	       (double)run.cycles / (double)pimdimm_clock_hz());
	printf("%llu cycles of PE %u waited for transfers\n",
	       (unsigned long long)run.slowest.idle_dma, run.slowest_pe);
	/* end of example */
	if (run.nr_faulted || !run.ns)
		exit(EXIT_FAILURE);
}

static void printed(struct pimdimm *sys)
{
	/* example of pimdimm_log_read: What PE 0 printed, where its program prints */
	char *text;

	if (!pimdimm_log_read(sys, 0, &text)) {
		fputs(text, stdout);
		free(text);
	}
	/* end of example */
}

int main(int argc, char **argv)
{
	struct pimdimm_program *program;
	struct pimdimm *sys;

	if (argc != 2)
		return EXIT_FAILURE;
	read_file(argv[1]);
	check(pimdimm_open("mem:ranks=1,mram=2M", &sys));
	check(pimdimm_program_open(argv[1], &program));
	tell(program);
	load(sys, argv[1]);
	restored(sys);
	object(sys, program);
	run(sys);
	printed(sys);
	pimdimm_program_close(program);
	pimdimm_close(sys);
	return EXIT_SUCCESS;
}
