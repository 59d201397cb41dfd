// SPDX-License-Identifier: MIT
/*
 * Arithmetic, streams and MRAM as PrIM's microbenchmarks measure them: programs on one
 * PE that time themselves, by 16 tasklets, in the cost model's time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/perf/pe/truth.h"
#include "tools/perf/suites/pe/truth_micro.h"
#include "tools/tool.h"

#define PRIM "PrIM (IEEE Access 2022)"
#define BLOCKS 4
/* PrIM takes the number of elements for it, which of so many bytes are 21 or 20 bits */
#define BYTES 5242880
#define SCALAR(type) (BYTES / (int64_t)sizeof(type))

typedef int32_t int32;
typedef int64_t int64;

/* a kernel's bytes before and after it */
struct truth_bytes {
	size_t bytes;
	uint8_t *before, *after;
};

static int truth_failed(void)
{
	return tool_error("%s", pimdimm_errmsg());
}

static uint64_t truth_hash(uint64_t x)
{
	x = (x + 1) * UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
	return x ^ x >> 29;
}

static uint64_t truth_heap(const struct pe_rig *rig)
{
	return pimdimm_program_info(rig->program)->mram_bytes;
}

static int make_bytes(struct truth_bytes *b, size_t bytes)
{
	*b = (struct truth_bytes){ bytes, calloc(1, bytes), calloc(1, bytes) };
	return b->before && b->after ? TOOL_OK : tool_error("no memory");
}

static void free_bytes(struct truth_bytes *b)
{
	free(b->before);
	free(b->after);
}

/* Run a kernel on these bytes; *cycles are those of the slowest tasklet. */
static int run_kernel(struct pe_rig *rig, const struct truth_args *args,
		      struct truth_bytes *b, double *cycles)
{
	struct pimdimm_run run = { .size = sizeof(run) };
	uint64_t all[TRUTH_TASKLETS], most = 0;

	if (pimdimm_write(rig->sys, 0, truth_heap(rig), b->before, b->bytes) ||
	    pe_rig_write(rig, "args", args, sizeof(*args)) ||
	    pimdimm_run(rig->sys, rig->pes, 1, &run) ||
	    pimdimm_read(rig->sys, 0, truth_heap(rig), b->after, b->bytes))
		return truth_failed();
	if (!run.instructions)
		return tool_error("these programs were built with PIMDIMM_COUNT=0, and count no instructions");
	if (pe_rig_read(rig, "cycles", all, sizeof(all)))
		return TOOL_FAILED;
	for (unsigned int t = 0; t < TRUTH_TASKLETS; t++)
		most = all[t] > most ? all[t] : most;
	*cycles = (double)most;
	return TOOL_OK;
}

/* so many things a second, in millions */
static double millions(double things, double cycles)
{
	return things * (double)pimdimm_clock_hz() / cycles / 1e6;
}

/* Elements as PrIM has them: 31 bits of chance. */
#define FILL(type)							\
	static void fill_##type(struct truth_bytes *b)			\
	{								\
		type *x = (type *)b->before;				\
									\
		for (size_t i = 0; i < b->bytes / sizeof(type); i++)	\
			x[i] = (type)(int32)(truth_hash(i) & 0x7fffffff); \
	}
#define CHECK(type, name, result)					\
	static uint64_t check_##type##_##name(const struct truth_bytes *b) \
	{								\
		const type *from = (const type *)b->before;		\
		const type *to = (const type *)b->after;		\
		uint64_t wrong = 0;					\
									\
		for (size_t i = 0; i < b->bytes / sizeof(type); i++) {	\
			type x = from[i], y = (type)SCALAR(type), z = result;	\
									\
			wrong += memcmp(&z, &to[i], sizeof(z)) != 0;	\
		}							\
		return wrong;						\
	}
/* signed sums and products that wrap around */
#define CHECKS(type, wraps)						\
	FILL(type)							\
	CHECK(type, add, (type)((wraps)x + (wraps)y))			\
	CHECK(type, sub, (type)((wraps)x - (wraps)y))			\
	CHECK(type, mul, (type)((wraps)x * (wraps)y))			\
	CHECK(type, div, x / y)
CHECKS(int32, uint32_t)
CHECKS(int64, uint64_t)
CHECKS(float, float)
CHECKS(double, double)

/*
 * In the order of the program's kernels. The costs of floating point and of 64-bit
 * products and quotients were chosen for these rates.
 */
#define ROW(type, op, mops, calibrated)					\
	{ #type " " #op, fill_##type, check_##type##_##op, sizeof(type), mops, calibrated }
static const struct {
	const char *name;
	void (*fill)(struct truth_bytes *b);
	uint64_t (*check)(const struct truth_bytes *b);
	size_t element;
	double mops;
	bool calibrated;
} arithmetic[] = {
	ROW(int32, add, 58.56, false), ROW(int32, sub, 58.56, false),
	ROW(int32, mul, 10.27, false), ROW(int32, div, 11.27, false),
	ROW(int64, add, 50.16, false), ROW(int64, sub, 50.16, false),
	ROW(int64, mul, 2.56, false), ROW(int64, div, 1.40, false),
	ROW(float, add, 4.91, true), ROW(float, sub, 4.59, true),
	ROW(float, mul, 1.91, true), ROW(float, div, 0.34, true),
	ROW(double, add, 3.32, true), ROW(double, sub, 3.11, true),
	ROW(double, mul, 0.53, true), ROW(double, div, 0.16, true),
};

int truth_measure_arithmetic(struct pe_rig *rig, struct perf_figure *figure)
{
	struct truth_bytes b;
	int ret = make_bytes(&b, (size_t)BLOCKS * TRUTH_TASKLETS * TRUTH_BLOCK);

	if (!ret)
		ret = pe_rig_load(rig, PE_TRUTH_ARITH, 1, NULL);
	for (uint32_t i = 0; i < TOOL_COUNT(arithmetic) && !ret; i++) {
		struct truth_args args = { i, BLOCKS, BYTES / (int64_t)arithmetic[i].element };
		struct truth_row row = { TRUTH_ARITHMETIC, arithmetic[i].name, PRIM, "MOPS",
					 arithmetic[i].mops, NAN,
					 arithmetic[i].calibrated, 0 };
		double cycles;

		arithmetic[i].fill(&b);
		ret = run_kernel(rig, &args, &b, &cycles);
		if (ret)
			break;
		row.modelled = millions((double)b.bytes / (double)arithmetic[i].element,
					cycles);
		row.wrong = arithmetic[i].check(&b);
		truth_table_add(rig->suite, &row, figure, "arithmetic");
	}
	free_bytes(&b);
	return ret;
}

static const struct {
	const char *name;
	double operands;	/* whose bytes count */
	double rate;
} streams[] = {
	[TRUTH_COPY] = { "WRAM copy", 2, 2818.98 },
	[TRUTH_ADD] = { "WRAM add", 3, 1682.46 },
	[TRUTH_SCALE] = { "WRAM scale", 2, 42.03 },
	[TRUTH_TRIAD] = { "WRAM triad", 3, 61.66 },
};

static uint64_t check_stream(uint32_t kernel, const struct truth_bytes *b)
{
	size_t words = b->bytes / 8 / 3;
	const uint64_t *x = (const uint64_t *)b->before, *y = x + words;
	const uint64_t *z = (const uint64_t *)b->after + 2 * words;
	uint64_t wrong = 0;

	for (size_t i = 0; i < words; i++) {
		const uint64_t results[] = { x[i], x[i] + y[i], SCALAR(int64) * x[i],
					     x[i] + SCALAR(int64) * y[i] };

		wrong += z[i] != results[kernel];
	}
	return wrong;
}

int truth_measure_streams(struct pe_rig *rig, struct perf_figure *figure)
{
	struct truth_bytes b;
	size_t operand = (size_t)BLOCKS * TRUTH_TASKLETS * TRUTH_BLOCK / 2;
	int ret = make_bytes(&b, 3 * operand);

	if (!ret) {
		fill_int64(&b);
		ret = pe_rig_load(rig, PE_TRUTH_STREAM, 1, NULL);
	}
	for (uint32_t i = 0; i < TOOL_COUNT(streams) && !ret; i++) {
		struct truth_args args = { i, BLOCKS, SCALAR(int64) };
		struct truth_row row = { TRUTH_STREAMS, streams[i].name, PRIM, "MB/s",
					 streams[i].rate, NAN, false, 0 };
		double cycles;

		ret = run_kernel(rig, &args, &b, &cycles);
		if (ret)
			break;
		row.modelled = millions(streams[i].operands * (double)operand, cycles);
		row.wrong = check_stream(i, &b);
		truth_table_add(rig->suite, &row, figure, "streams");
	}
	free_bytes(&b);
	return ret;
}

/* What a tasklet sees of a transfer: PrIM's fit of its measurements. */
static double latency(uint32_t kernel, uint32_t size)
{
	return (kernel < TRUTH_SIZES ? 77 : 61) + 0.5 * size;
}

static int measure_latency(struct pe_rig *rig, struct truth_bytes *b, uint32_t kernel,
			   struct perf_figure *figure)
{
	uint32_t size = 8u << kernel % TRUTH_SIZES;
	struct truth_args args = { kernel, TRUTH_OPERAND / 8 / 2048, 0 };
	struct truth_row row = { TRUTH_MRAM, NULL, PRIM ", section 3", "cycles",
				 latency(kernel, size), NAN, true, 0 };
	char name[48];
	size_t half = (size_t)args.blocks * size;
	double cycles;

	snprintf(name, sizeof(name), "MRAM %s %u", kernel < TRUTH_SIZES ? "read" : "write",
		 size);
	row.name = name;
	memset(b->before, 0, b->bytes);
	for (size_t i = 0; i < half / 8; i++)
		((uint64_t *)b->before)[i] = truth_hash(i);
	if (run_kernel(rig, &args, b, &cycles))
		return TOOL_FAILED;
	for (size_t i = 0; i < half; i++)
		row.wrong += b->after[half + i] != b->before[i];
	row.modelled = cycles / args.blocks;
	truth_table_add(rig->suite, &row, figure, "latency");
	return TOOL_OK;
}

/* What random access leaves in the table: each word its own place, where it was. */
static uint64_t check_random(const struct truth_bytes *b, const struct truth_args *args)
{
	const uint64_t *word = (const uint64_t *)b->after;
	uint64_t mask = (uint64_t)args->blocks * TRUTH_TASKLETS - 1, wrong = 0;

	for (uint64_t t = 0; t < TRUTH_TASKLETS; t++) {
		uint64_t ran = (uint64_t)args->scalar * (t + 1);

		for (uint32_t i = 0; i < args->blocks; i++) {
			ran = truth_random(ran);
			wrong += word[ran & mask] != (ran & mask);
		}
	}
	return wrong;
}

static uint64_t check_copy(const struct truth_bytes *b, size_t size, size_t step,
			   size_t piece)
{
	uint64_t wrong = 0;

	for (size_t at = 0; at < size; at += step)
		wrong += memcmp(b->after + size + at, b->before + at, piece) != 0;
	return wrong;
}

static int measure_rate(struct pe_rig *rig, struct truth_bytes *b, uint32_t kernel,
			struct perf_figure *figure)
{
	static const struct {
		const char *name;
		uint32_t blocks, step;
		double bytes;		/* moved there and back, a block */
		double rate;
		bool calibrated;
	} rates[] = {
		{ "MRAM copy by DMA", 8, TRUTH_BLOCK, TRUTH_BLOCK, 624.02, true },
		{ "MRAM random access", 1024, 8, 8, 72.58, true },
		{ "MRAM strided access", 256, 64, 8, 72.58, false },
	};
	uint32_t i = kernel - TRUTH_MRAM_COPY;
	struct truth_args args = { kernel, rates[i].blocks,
				   (int64_t)truth_hash(kernel) };
	struct truth_row row = { TRUTH_MRAM, rates[i].name, PRIM, "MB/s", rates[i].rate,
				 NAN, rates[i].calibrated, 0 };
	double blocks = (double)args.blocks * TRUTH_TASKLETS, cycles;

	fill_int64(b);
	if (run_kernel(rig, &args, b, &cycles))
		return TOOL_FAILED;
	row.modelled = millions(2 * rates[i].bytes * blocks, cycles);
	row.wrong = kernel == TRUTH_MRAM_RANDOM ?
			check_random(b, &args) :
			check_copy(b, (size_t)args.blocks * TRUTH_TASKLETS * rates[i].step,
				   rates[i].step, (size_t)rates[i].bytes);
	truth_table_add(rig->suite, &row, figure, "access");
	return TOOL_OK;
}

int truth_measure_mram(struct pe_rig *rig, struct perf_figure *figure)
{
	struct truth_bytes b;
	int ret = make_bytes(&b, TRUTH_OPERAND);

	if (!ret)
		ret = pe_rig_load(rig, PE_TRUTH_MRAM, 1, NULL);
	for (uint32_t i = 0; i < TRUTH_MRAM_COPY && !ret; i++)
		ret = measure_latency(rig, &b, i, figure);
	for (uint32_t i = TRUTH_MRAM_COPY; i <= TRUTH_MRAM_STRIDED && !ret; i++)
		ret = measure_rate(rig, &b, i, figure);
	free_bytes(&b);
	return ret;
}
