// SPDX-License-Identifier: MIT
/*
 * What a program's DPUs took, for PIMDIMM_REPORT: loads, transfers and launches
 * apart, and of launches what was measured here, what of that emulation was, and
 * what the cost model says of hardware.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/upmem/host/core/report.h"
#include "tools/upmem/host/core/api.h"
#include "tools/upmem/host/inside.h"

/* calls of one kind, all together */
struct sum {
	uint64_t calls;
	uint64_t bytes;
	uint64_t ns;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sum sums[REPORT_KINDS];
static uint64_t emulation_ns, cycles, clock_hz, instructions, faults;
/* the stack of the tasklet that came nearest to its end */
static uint64_t stack_used, stack_room;

static const char *destination(void)
{
	const char *name = secure_getenv("PIMDIMM_REPORT");

	return name && name[0] ? name : NULL;
}

uint64_t report_now(void)
{
	return pd_now_ns();
}

void report_add(enum report_kind kind, uint64_t bytes, uint64_t ns)
{
	pthread_mutex_lock(&lock);
	sums[kind].calls++;
	sums[kind].bytes += bytes;
	sums[kind].ns += ns;
	pthread_mutex_unlock(&lock);
}

/* Whoever measures 0 cycles is told why, the first time. */
static void tell_uncounted(void)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&told))
		fprintf(stderr, "libdpu: a DPU program measures 0 cycles where nothing but DMA is counted: it was compiled with -fno-pimdimm-count or PIMDIMM_COUNT=0, which leave instructions out\n");
}

void report_launch(const struct pimdimm_run *run)
{
	if (run->uncounted)
		tell_uncounted();
	report_add(REPORT_LAUNCH, run->dma_bytes, run->ns);
	pthread_mutex_lock(&lock);
	emulation_ns += run->emulation_ns;
	cycles += run->cycles;
	instructions += run->instructions;
	faults += run->nr_faulted;
	clock_hz = run->clock_hz;
	if (!stack_room ||
	    run->stack_used * stack_room > stack_used * run->stack_room) {
		stack_used = run->stack_used;
		stack_room = run->stack_room;
	}
	pthread_mutex_unlock(&lock);
}

static double ms(uint64_t ns)
{
	return (double)ns * 1e-6;
}

static void print_rate(FILE *stream, uint64_t bytes, double seconds)
{
	if (bytes && seconds > 0)
		fprintf(stream, " %9.3f GB/s\n", (double)bytes * 1e-9 / seconds);
	else
		fputc('\n', stream);
}

static void print_sum(FILE *stream, const char *what, const struct sum *sum)
{
	fprintf(stream, "%-28s %8llu calls %14llu bytes %12.3f ms", what,
		(unsigned long long)sum->calls, (unsigned long long)sum->bytes,
		ms(sum->ns));
	print_rate(stream, sum->bytes, (double)sum->ns * 1e-9);
}

static void print_launches(FILE *stream)
{
	double seconds = clock_hz ? (double)cycles / (double)clock_hz : 0;
	uint64_t bytes = sums[REPORT_LAUNCH].bytes;

	print_sum(stream, "launches, measured", &sums[REPORT_LAUNCH]);
	fprintf(stream, "%-28s %43.3f ms\n", "  of it to emulate MRAM",
		ms(emulation_ns));
	fprintf(stream, "%-28s %8.0f MHz   %14llu cycles %11.3f ms",
		"  modelled", (double)clock_hz * 1e-6,
		(unsigned long long)cycles, seconds * 1e3);
	print_rate(stream, bytes, seconds);
	if (instructions)
		fprintf(stream, "%-28s %8llu\n", "  instructions counted",
			(unsigned long long)instructions);
	if (stack_room)
		fprintf(stream, "%-28s %8llu of   %14llu bytes\n",
			"  fullest stack", (unsigned long long)stack_used,
			(unsigned long long)stack_room);
	if (faults)
		fprintf(stream, "%-28s %8llu\n", "  faults",
			(unsigned long long)faults);
}

static void __attribute__((destructor)) print_report(void)
{
	const char *name = destination();
	FILE *stream;

	if (!name)
		return;
	stream = strcmp(name, "-") ? fopen(name, "w") : stderr;
	if (!stream) {
		perror(name);
		return;
	}
	pthread_mutex_lock(&lock);
	print_sum(stream, "loads", &sums[REPORT_LOAD]);
	print_sum(stream, "transfers to DPUs", &sums[REPORT_TO_DPU]);
	print_sum(stream, "transfers from DPUs", &sums[REPORT_FROM_DPU]);
	print_sum(stream, "collectives", &sums[REPORT_COLLECTIVE]);
	print_launches(stream);
	pthread_mutex_unlock(&lock);
	if (stream != stderr)
		fclose(stream);
}
