// SPDX-License-Identifier: MIT
/*
 * Rows of a report: calls and bytes exact, phases, what several calls are as one, what
 * fails is in none, and writing it where there is no room for it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>

#include <pimdimm/report.h>

#include "runtime/watch/bus.h"
#include "runtime/watch/report.h"
#include "tests/unit/unit.h"

#define NR_THREADS	4
#define WRITES		500

static struct pimdimm *sys;

static int setup(void **state)
{
	(void)state;
	assert_int_equal(pimdimm_open("mem:ranks=2,mram=1M", &sys), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	pimdimm_close(sys);
	return 0;
}

/* The row of this phase and name, calls 0 where there is none. */
static struct pimdimm_report_row row_of(const char *phase, const char *name)
{
	struct pimdimm_report_row row = { .size = sizeof(row) };

	for (uint32_t i = 0; !pimdimm_report_read(i, &row); i++)
		if (!strcmp(row.phase, phase) && !strcmp(row.name, name))
			return row;
	return (struct pimdimm_report_row){ 0 };
}

static void test_off(void **state)
{
	struct pimdimm_report_row row = { .size = sizeof(row) };
	uint64_t x = 1;

	(void)state;
	assert_int_equal(pimdimm_write(sys, 0, 0, &x, 8), 0);
	assert_int_equal(pimdimm_report_read(0, &row), -ENOENT);
	pimdimm_report_start();
	assert_int_equal(pimdimm_report_read(0, &row), -ENOENT);
	row.size--;
	assert_int_equal(pimdimm_report_read(0, &row), -EINVAL);
	assert_int_equal(pimdimm_report_read(0, NULL), -EINVAL);
}

static uint64_t ns_of(enum pd_bus_kind kind, uint64_t bytes, uint32_t pes,
		      uint32_t egs)
{
	/* neighbours, which one thread of the host serves */
	return pd_bus_ns(&(struct pd_bus_call){
		.kind = kind, .bytes = bytes, .pes = pes, .egs = egs, .most = egs,
	});
}

static void push_some(uint8_t *data, bool one)
{
	const void *bufs[16] = { NULL };

	/* lanes 0 and 1 of an entangled group, lane 7 of the next */
	bufs[0] = data;
	bufs[1] = one ? data : data + 512;
	bufs[15] = one ? data : data + 1024;
	assert_int_equal(pimdimm_push(sys, 64, 16, 0, bufs, 512), 0);
}

static void test_transfers(void **state)
{
	uint8_t data[1536] = { 1 };
	void *bufs[8] = { [7] = data };
	struct pimdimm_report_row row;

	(void)state;
	pimdimm_report_phase("transfers");
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(pimdimm_write(sys, 5, 3, data, 13), 0);
	row = row_of("transfers", "write");
	assert_int_equal(row.kind, PIMDIMM_REPORT_TO_PES);
	assert_int_equal(row.calls, 3);
	assert_int_equal(row.mram_bytes, 39);
	assert_int_equal(row.host_bytes, 39);
	assert_int_equal(row.bus_bytes, 3 * 2 * 64);
	assert_int_equal(row.bus_ns, 3 * ns_of(PD_BUS_PUSH, 13, 1, 1));
	assert_true(row.host_ns > 0);
	assert_int_equal(row.pe_ns + row.emulation_ns + row.uncounted, 0);
	push_some(data, false);
	row = row_of("transfers", "push");
	assert_int_equal(row.mram_bytes, 3 * 512);
	assert_int_equal(row.bus_bytes, 2 * 8 * 512);
	assert_int_equal(row.bus_ns, ns_of(PD_BUS_PUSH, 512, 3, 2));
	push_some(data, true);
	row = row_of("transfers", "broadcast");
	assert_int_equal(row.mram_bytes, 3 * 512);
	assert_int_equal(row.host_bytes, 512);
	assert_int_equal(row.bus_ns, ns_of(PD_BUS_BROADCAST, 512, 3, 2));
	/* of one PE */
	assert_int_equal(pimdimm_pull(sys, 0, 8, 0, bufs, 8), 0);
	row = row_of("transfers", "read");
	assert_int_equal(row.kind, PIMDIMM_REPORT_FROM_PES);
	assert_int_equal(row.calls, 1);
	assert_int_equal(row.bus_ns, ns_of(PD_BUS_PULL, 8, 1, 1));
}

static void test_refused(void **state)
{
	uint64_t x = 1;

	(void)state;
	pimdimm_report_phase("refused");
	assert_int_equal(pimdimm_write(sys, 128, 0, &x, 8), -EINVAL);
	assert_int_equal(pimdimm_read(sys, 0, 1 << 20, &x, 8), -EINVAL);
	assert_int_equal(row_of("refused", "write").calls, 0);
	assert_int_equal(row_of("refused", "read").calls, 0);
}

static void test_collectives(void **state)
{
	const uint32_t dims[] = { 8, 8, 2 };
	struct pimdimm_report_row row;
	struct pidcomm_stats stats;
	struct pidcomm *hc;

	(void)state;
	pimdimm_report_phase("collectives");
	assert_int_equal(pidcomm_create(sys, 3, dims, &hc), 0);
	assert_int_equal(pidcomm_alltoall(hc, "110", 4096, 0, 8192), 0);
	assert_int_equal(pidcomm_alltoall(hc, "110", 4096, 0, 8192), 0);
	assert_int_equal(pidcomm_stats(hc, &stats), 0);
	row = row_of("collectives", "alltoall");
	assert_int_equal(row.kind, PIMDIMM_REPORT_COLLECTIVE);
	assert_string_equal(row.axes, "110");
	assert_string_equal(row.algorithm, "direct");
	assert_int_equal(row.calls, 2);
	assert_int_equal(row.mram_bytes, 2 * 64 * (stats.mram_blocks_read +
						   stats.mram_blocks_written));
	/* each PE reads and writes 4096 bytes, at 76.8 GB/s */
	assert_int_equal(row.mram_bytes, 2 * 128 * 2 * 4096);
	assert_in_range(row.bus_ns, row.bus_bytes * 10 / 768 - 2,
			row.bus_bytes * 10 / 768 + 2);
	assert_int_equal(pidcomm_alltoall(hc, "011", 4096, 0, 8192), 0);
	assert_int_equal(row_of("collectives", "alltoall").calls, 2);
	assert_int_equal(pidcomm_set_algorithm(hc, "alltoall", "pr"), 0);
	pimdimm_report_phase("assisted");
	assert_int_equal(pidcomm_alltoall(hc, "110", 4096, 0, 8192), 0);
	row = row_of("assisted", "alltoall");
	assert_string_equal(row.algorithm, "pr");
	assert_true(row.pe_ns > 0 && row.emulation_ns > 0);
	pidcomm_destroy(hc);
}

static void nothing(struct pimdimm_pe *pe, void *arg)
{
	(void)pe;
	(void)arg;
}

static void test_kernels(void **state)
{
	struct pimdimm_report_row row;

	(void)state;
	pimdimm_report_phase("kernels");
	assert_int_equal(pimdimm_launch(sys, 0, 64, 2, nothing, NULL), 0);
	row = row_of("kernels", "launch");
	assert_int_equal(row.kind, PIMDIMM_REPORT_KERNEL);
	assert_int_equal(row.calls, 1);
	assert_int_equal(row.uncounted, 1);
	assert_int_equal(row.pe_ns + row.host_ns, 0);
	assert_true(row.emulation_ns > 0);
}

/* Calls that are parts of one are one, which has the cost of a call once. */
static void test_whole(void **state)
{
	struct pimdimm_report_row row;
	uint64_t x[2] = { 1, 2 };

	(void)state;
	pimdimm_report_phase("whole");
	pimdimm_report_enter(PIMDIMM_REPORT_TO_PES);
	pimdimm_report_enter(PIMDIMM_REPORT_FROM_PES);
	assert_int_equal(pimdimm_write(sys, 0, 0, &x[0], 8), 0);
	assert_int_equal(pimdimm_read(sys, 0, 0, &x[0], 8), 0);
	pimdimm_report_leave();
	assert_int_equal(pimdimm_write(sys, 1, 0, &x[1], 8), 0);
	assert_int_equal(row_of("whole", "write").calls, 0);
	pimdimm_report_leave();
	row = row_of("whole", "write");
	assert_int_equal(row.calls, 1);
	assert_int_equal(row.mram_bytes, 16);
	assert_int_equal(row.bus_ns, 2 * ns_of(PD_BUS_PUSH, 8, 1, 1) -
					     pd_bus.xfer_push_call_ns);
	assert_int_equal(row_of("whole", "read").calls, 0);
	/* of nothing there is no row, and what was never entered is not left */
	pimdimm_report_enter(PIMDIMM_REPORT_LOAD);
	pimdimm_report_leave();
	pimdimm_report_leave();
	assert_int_equal(pimdimm_write(sys, 1, 0, &x[1], 8), 0);
	assert_int_equal(row_of("whole", "write").calls, 2);
}

/* A collective of somebody else's: its row is as the library's, its transfers are none. */
static void test_added(void **state)
{
	struct pimdimm_report_row row = {
		.size = sizeof(row), .kind = PIMDIMM_REPORT_COLLECTIVE,
		.phase = "ignored", .name = "allreduce", .axes = "01",
		.algorithm = "theirs", .calls = 1, .mram_bytes = 1024,
		.host_bytes = 2048, .bus_bytes = 76800,
	};
	uint64_t x = 1;

	(void)state;
	pimdimm_report_phase("added");
	for (unsigned int i = 0; i < 2; i++) {
		pimdimm_report_enter(PIMDIMM_REPORT_COLLECTIVE);
		assert_int_equal(pimdimm_write(sys, 0, 0, &x, 8), 0);
		assert_int_equal(pimdimm_report_add(&row), 0);
		pimdimm_report_leave();
	}
	assert_int_equal(row_of("added", "write").calls, 0);
	row = row_of("added", "allreduce");
	assert_int_equal(row.kind, PIMDIMM_REPORT_COLLECTIVE);
	assert_string_equal(row.axes, "01");
	assert_string_equal(row.algorithm, "theirs");
	assert_int_equal(row.calls, 2);
	assert_int_equal(row.mram_bytes, 2048);
	assert_int_equal(row.host_bytes, 4096);
	assert_int_equal(row.bus_ns, 2000);
	assert_true(row.host_ns > 0);
	/* alone it is what it says, with times of its own */
	pimdimm_report_phase("added alone");
	row.host_ns = 7;
	row.bus_ns = 9;
	assert_int_equal(pimdimm_report_add(&row), 0);
	assert_int_equal(row_of("added alone", "allreduce").host_ns, 7);
	assert_int_equal(row_of("added alone", "allreduce").bus_ns, 9);
}

static void test_not_added(void **state)
{
	struct pimdimm_report_row row = { .size = sizeof(row), .name = "mine", .calls = 1 };
	struct pimdimm_report_row bad = row;

	(void)state;
	pimdimm_report_phase("refused");
	assert_int_equal(pimdimm_report_add(NULL), -EINVAL);
	bad.size--;
	assert_int_equal(pimdimm_report_add(&bad), -EINVAL);
	bad = row;
	bad.kind = PIMDIMM_REPORT_KERNEL + 1;
	assert_int_equal(pimdimm_report_add(&bad), -EINVAL);
	assert_string_equal(pimdimm_errmsg(), "row->kind=6, expected at most 5");
	bad = row;
	*bad.name = '\0';
	assert_int_equal(pimdimm_report_add(&bad), -EINVAL);
	memset(bad.name, 'a', sizeof(bad.name));
	assert_int_equal(pimdimm_report_add(&bad), -EINVAL);
	bad = row;
	memset(bad.axes, '1', sizeof(bad.axes));
	assert_int_equal(pimdimm_report_add(&bad), -EINVAL);
	assert_int_equal(row_of("refused", "mine").calls, 0);
	assert_int_equal(pimdimm_report_add(&row), 0);
	assert_int_equal(row_of("refused", "mine").calls, 1);
}

/* A thread, and the one word of each PE that is its own. */
struct writer {
	struct pimdimm *sys;
	uint64_t off;
	pthread_t id;
};

static void *write_many(void *arg)
{
	struct writer *w = arg;
	uint64_t x = 1;

	for (uint32_t i = 0; i < WRITES; i++)
		if (pimdimm_write(w->sys, i % 64, w->off, &x, 8))
			return w;
	return NULL;
}

/* Threads on two systems. */
static void test_threads(void **state)
{
	struct writer writers[NR_THREADS];
	struct pimdimm *other;

	(void)state;
	pimdimm_report_phase("threads");
	assert_int_equal(pimdimm_open("mem:ranks=1,mram=64K", &other), 0);
	for (unsigned int i = 0; i < NR_THREADS; i++) {
		struct writer *w = &writers[i];

		w->sys = i % 2 ? other : sys;
		w->off = 8 * i;
		assert_int_equal(pthread_create(&w->id, NULL, write_many, w), 0);
	}
	for (unsigned int i = 0; i < NR_THREADS; i++) {
		void *failed;

		pthread_join(writers[i].id, &failed);
		assert_null(failed);
	}
	pimdimm_close(other);
	assert_int_equal(row_of("threads", "write").calls, NR_THREADS * WRITES);
	assert_int_equal(row_of("threads", "write").mram_bytes,
			 NR_THREADS * WRITES * 8);
}

/* A child has rows of its own, its parent keeps its. */
static void test_fork(void **state)
{
	uint64_t x = 1, calls;
	int status = -1;
	pid_t pid;

	(void)state;
	pimdimm_report_phase("fork");
	assert_int_equal(pimdimm_write(sys, 0, 0, &x, 8), 0);
	pid = fork();
	if (!pid) {
		calls = row_of("fork", "write").calls;
		pimdimm_write(sys, 0, 0, &x, 8);
		_exit(calls || row_of("fork", "write").calls != 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(row_of("fork", "write").calls, 1);
}

static void test_write(void **state)
{
	int fd = open("/dev/full", O_WRONLY), null = open("/dev/null", O_WRONLY);

	(void)state;
	for (int format = PIMDIMM_REPORT_TEXT; format <= PIMDIMM_REPORT_CSV;
	     format++) {
		assert_int_equal(pimdimm_report_write(null, format), 0);
		assert_int_equal(pimdimm_report_write(fd, format), -ENOSPC);
		assert_int_equal(pimdimm_report_write(-1, format), -EBADF);
	}
	assert_int_equal(pimdimm_report_write(null, 3), -EINVAL);
	close(fd);
	close(null);
}

/* Names are as long as they like, and as many: what is too much is not kept. */
static void test_hostile(void **state)
{
	char name[200], short_name[32];
	uint64_t x = 1;

	(void)state;
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	pimdimm_report_phase(name);
	assert_int_equal(pimdimm_write(sys, 0, 0, &x, 8), 0);
	name[31] = '\0';
	assert_int_equal(row_of(name, "write").calls, 1);
	for (unsigned int i = 0; i < 5000; i++) {
		snprintf(short_name, sizeof(short_name), "phase %u", i);
		pimdimm_report_phase(short_name);
		assert_int_equal(pimdimm_write(sys, 0, 0, &x, 8), 0);
	}
	assert_int_equal(row_of("phase 7", "write").calls, 1);
	assert_int_equal(row_of("phase 4999", "write").calls, 0);
	pimdimm_report_phase(NULL);
}

/* A part of launch @id, on so many PEs that take so long, of half as many instructions. */
static void tell_part(uint32_t id, uint32_t pe, uint64_t cycles, uint64_t pes)
{
	struct pd_report_call call = {
		.row = {
			.kind = PIMDIMM_REPORT_PROGRAM,
			.name = "parts",
			.calls = 1,
			.mram_bytes = 10,
			.pe_ns = 1000 + cycles,
			.launch_ns = 1000,
			.cycles = cycles,
			.instructions = cycles / 2,
			.issued = cycles / 2,
			.idle_few = cycles - cycles / 2,
			.all_cycles = pes * cycles,
			.room_cycles = pes * cycles,
			.longest_cycles = cycles,
			.slowest_pe = pe,
		},
		.parts = id,
	};

	pd_report_add(&call);
}

/* Parts of a launch are one, as long as the longest; those of two come in turns. */
static void test_parts(void **state)
{
	struct pimdimm_report_row row;

	(void)state;
	pimdimm_report_phase("parts");
	tell_part(2, 128, 100, 64);
	tell_part(4, 0, 50, 1);
	tell_part(2, 64, 300, 32);
	/* a part that ends in another phase is of the launch's all the same */
	pimdimm_report_phase("later");
	tell_part(2, 0, 300, 1);
	tell_part(4, 0, 40, 1);
	row = row_of("parts", "parts");
	assert_int_equal(row_of("later", "parts").calls, 0);
	assert_int_equal(row.calls, 2);
	assert_int_equal(row.mram_bytes, 50);
	assert_int_equal(row.pe_ns, 1300 + 1050);
	assert_int_equal(row.launch_ns, 2000);
	assert_int_equal(row.cycles, 350);
	assert_int_equal(row.instructions, 175);
	assert_int_equal(row.issued + row.idle_few, 350);
	assert_int_equal(row.all_cycles, 6400 + 9600 + 300 + 90);
	assert_int_equal(row.room_cycles, 97 * 300 + 2 * 50);
	assert_int_equal(row.longest_cycles, 300);
	assert_int_equal(row.slowest_pe, 0);
	/* launches of their own, without a number */
	tell_part(0, 0, 100, 1);
	tell_part(0, 0, 100, 1);
	assert_int_equal(row_of("later", "parts").calls, 2);
	assert_int_equal(row_of("later", "parts").cycles, 200);
	pimdimm_report_phase(NULL);
}

static void tell_time(uint64_t start, uint64_t ns)
{
	struct pd_report_call call = {
		.row = {
			.kind = PIMDIMM_REPORT_PROGRAM,
			.name = "times",
			.calls = 1,
			.emulation_ns = ns,
		},
		.parts = 6,
		.start_ns = start,
	};

	pd_report_add(&call);
}

/* Emulation of parts that run at the same time is that of none twice. */
static void test_emulation_of_parts(void **state)
{
	(void)state;
	pimdimm_report_phase("times");
	tell_time(1000, 500);
	assert_int_equal(row_of("times", "times").emulation_ns, 500);
	tell_time(1100, 300);
	assert_int_equal(row_of("times", "times").emulation_ns, 500);
	tell_time(1200, 400);
	assert_int_equal(row_of("times", "times").emulation_ns, 600);
	tell_time(900, 1000);
	assert_int_equal(row_of("times", "times").emulation_ns, 1000);
	tell_time(3000, 10);
	assert_int_equal(row_of("times", "times").emulation_ns, 1010);
	pimdimm_report_phase(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_off),
	cmocka_unit_test(test_transfers),
	cmocka_unit_test(test_refused),
	cmocka_unit_test(test_collectives),
	cmocka_unit_test(test_kernels),
	cmocka_unit_test(test_whole),
	cmocka_unit_test(test_added),
	cmocka_unit_test(test_not_added),
	cmocka_unit_test(test_threads),
	cmocka_unit_test(test_fork),
	cmocka_unit_test(test_write),
	cmocka_unit_test(test_parts),
	cmocka_unit_test(test_emulation_of_parts),
	cmocka_unit_test(test_hostile),
};

int main(void)
{
	unit_start();
	return cmocka_run_group_tests(tests, setup, teardown);
}
