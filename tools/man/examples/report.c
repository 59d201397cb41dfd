// SPDX-License-Identifier: MIT
/*
 * Examples of the manual pages of <pimdimm/report.h>, as in pimdimm.c: a transfer of two
 * parts in one phase, a read in the next, and the rows that tell of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pimdimm/pimdimm.h>
#include <pimdimm/report.h>

static void check(int ret)
{
	if (ret < 0) {
		fprintf(stderr, "%s\n", pimdimm_errmsg());
		exit(EXIT_FAILURE);
	}
}

static void work(struct pimdimm *sys)
{
	uint64_t numbers[2] = { 3, 4 };

	/* example of pimdimm_report_start, pimdimm_report_phase: Loading and the run apart */
	pimdimm_report_start();
	pimdimm_report_phase("loading");
	check(pimdimm_write(sys, 0, 0, numbers, sizeof(numbers)));
	pimdimm_report_phase("run");
	check(pimdimm_read(sys, 0, 8, numbers, 8));
	/* end of example */
	/* example of pimdimm_report_enter, pimdimm_report_leave, pimdimm_report_kind: Two
	 * writes that are one transfer of a library on top */
	pimdimm_report_enter(PIMDIMM_REPORT_TO_PES);
	check(pimdimm_write(sys, 0, 0, &numbers[0], 8));
	check(pimdimm_write(sys, 1, 0, &numbers[1], 8));
	pimdimm_report_leave();
	/* end of example */
	/* example of pimdimm_report_add: A scatter that a program makes of a push */
	struct pimdimm_report_row row = {
		.size = sizeof(row), .kind = PIMDIMM_REPORT_COLLECTIVE,
		.name = "scatter", .axes = "1", .algorithm = "own",
		.calls = 1, .mram_bytes = 16, .host_bytes = 16, .bus_bytes = 64,
	};
	const void *const pieces[2] = { &numbers[0], &numbers[1] };

	pimdimm_report_enter(PIMDIMM_REPORT_COLLECTIVE);
	check(pimdimm_push(sys, 0, 2, 0, pieces, 8));
	check(pimdimm_report_add(&row));
	pimdimm_report_leave();
	/* end of example */
}

static void tell(void)
{
	/* example of pimdimm_report_read, pimdimm_report_row: Each row's name and times */
	struct pimdimm_report_row row = { .size = sizeof(row) };

	for (uint32_t i = 0; !pimdimm_report_read(i, &row); i++)
		printf("%s %s: %llu calls, %llu ns here, %llu ns on hardware's bus\n",
		       row.phase, row.name, (unsigned long long)row.calls,
		       (unsigned long long)row.host_ns,
		       (unsigned long long)row.bus_ns);
	/* end of example */
	fflush(stdout);
	/* example of pimdimm_report_write, pimdimm_report_format: All of it as JSON */
	check(pimdimm_report_write(STDOUT_FILENO, PIMDIMM_REPORT_JSON));
	/* end of example */
}

int main(void)
{
	struct pimdimm *sys;

	check(pimdimm_open("mem:ranks=1,mram=2M", &sys));
	work(sys);
	tell();
	pimdimm_close(sys);
	return EXIT_SUCCESS;
}
