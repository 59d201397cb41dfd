// SPDX-License-Identifier: MIT
/*
 * Rank 0 reads commands, a line each, and answers each with a line of nanoseconds and of wrong
 * elements: an operation, a kernel's number, and how many times.
 *
 * f: types made, a message each way; l: typed messages to and fro, the time of one; p: the
 * same, packed and unpacked by loops; b: typed messages one way, PAIR_WINDOW at a time, the
 * time of one; d: both ways at once, the time of two; v: whether what comes is right; t: as l,
 * and behind both numbers what the time went into, PAIR_PARTS numbers whose sum it is, if the
 * engine can tell.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/perf/bound.h"
#include "tools/perf/pair/pair.h"
#include "tools/perf/suites/datatypes/plain.h"
#include "tools/perf/suites/datatypes/truth.h"

#define E	(&pair_engine)

struct order {
	uint32_t what, kernel, times, wrong;
};

static struct {
	int rank;
	unsigned int number;
	struct ddt_kernel *k;
	ddt_type type[DDT_SIDES], stream_type;
	char *array[DDT_SIDES], *stream[DDT_SIDES], *expected;
	struct ddt_loops pack, unpack;
	ddt_type order_type;
	struct order *order;
	int bell;		/* of a pipe: the end that rings it, or hears it */
	bool divided;		/* the time of the last order into these, of a message */
	double parts[PAIR_PARTS];
} pair;

void pair_die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static ddt_type words(uint64_t bytes)
{
	ddt_type type = E->maker->contiguous(bytes / 4, E->maker->basic(4));

	E->commit(&type);
	return type;
}

static void make_types(void)
{
	for (int side = 0; side < DDT_SIDES; side++) {
		pair.type[side] = pair.k->make(pair.k, side, E->maker);
		E->commit(&pair.type[side]);
	}
}

static void drop_types(void)
{
	for (int side = 0; side < DDT_SIDES; side++)
		E->drop(&pair.type[side]);
}

static void drop_kernel(void)
{
	if (!pair.k)
		return;
	drop_types();
	E->drop(&pair.stream_type);
	for (int side = 0; side < DDT_SIDES; side++) {
		E->release(pair.array[side]);
		E->release(pair.stream[side]);
	}
	free(pair.expected);
	ddt_kernel_free(pair.k);
	pair.k = NULL;
}

/* what a rank sends */
static void fill(char *array, int rank)
{
	ddt_truth_fill_array(pair.k, array, 7 + (uint64_t)rank);
}

/* what must come of the other rank's message */
static void expect(void)
{
	char *theirs = malloc(pair.k->span), *stream = malloc(pair.k->bytes);

	if (!theirs || !stream)
		pair_die("no memory");
	fill(theirs, !pair.rank);
	ddt_truth_pack(pair.k, DDT_FROM, 1, theirs, stream);
	ddt_truth_clear_array(pair.k, pair.expected);
	ddt_truth_unpack(pair.k, DDT_TO, 1, pair.expected, stream);
	free(theirs);
	free(stream);
}

static void use_kernel(unsigned int number)
{
	if (pair.k && pair.number == number)
		return;
	drop_kernel();
	pair.number = number;
	pair.k = ddt_kernel_make(number);
	if (!pair.k)
		pair_die("no kernel %u", number);
	for (int side = 0; side < DDT_SIDES; side++) {
		pair.array[side] = E->alloc(pair.k->span);
		pair.stream[side] = E->alloc(pair.k->bytes);
	}
	pair.expected = malloc(pair.k->span);
	if (!pair.expected)
		pair_die("no memory");
	fill(pair.array[DDT_FROM], pair.rank);
	expect();
	make_types();
	pair.stream_type = words(pair.k->bytes);
	ddt_loops_make(&pair.pack, pair.k, true, false, 1);
	ddt_loops_make(&pair.unpack, pair.k, false, true, 1);
}

static void send_typed(void)
{
	E->send(pair.array[DDT_FROM], pair.k->at[DDT_FROM], pair.type[DDT_FROM]);
}

static void recv_typed(void)
{
	E->recv(pair.array[DDT_TO], pair.k->at[DDT_TO], pair.type[DDT_TO]);
}

static void send_packed(void)
{
	ddt_plain_copy(&pair.pack, pair.stream[DDT_FROM], pair.array[DDT_FROM]);
	E->send(pair.stream[DDT_FROM], 0, pair.stream_type);
}

static void recv_packed(void)
{
	E->recv(pair.stream[DDT_TO], 0, pair.stream_type);
	ddt_plain_copy(&pair.unpack, pair.array[DDT_TO], pair.stream[DDT_TO]);
}

static void to_and_fro(unsigned int times, void (*send)(void), void (*recv)(void))
{
	for (unsigned int i = 0; i < times; i++) {
		if (pair.rank) {
			recv();
			send();
		} else {
			send();
			recv();
		}
	}
}

static void send_order(void)
{
	E->send(pair.order, 0, pair.order_type);
}

static void recv_order(void)
{
	E->recv(pair.order, 0, pair.order_type);
}

/* all receives first, then all sends, of those that this rank does */
static void windows(unsigned int times, bool both)
{
	for (unsigned int i = 0; i < times; i++) {
		unsigned int n = 0;

		for (unsigned int m = 0; m < PAIR_WINDOW && (both || pair.rank); m++)
			E->irecv(n++, pair.array[DDT_TO], pair.k->at[DDT_TO], pair.type[DDT_TO]);
		for (unsigned int m = 0; m < PAIR_WINDOW && (both || !pair.rank); m++)
			E->isend(n++, pair.array[DDT_FROM], pair.k->at[DDT_FROM],
				 pair.type[DDT_FROM]);
		E->wait(n);
		if (pair.rank)
			send_order();
		else
			recv_order();
	}
}

static uint64_t wrong_array(void)
{
	return ddt_truth_wrong_array(pair.k, pair.array[DDT_TO], pair.expected);
}

/* Both clear what they receive into before anything is sent. */
static uint64_t check(void)
{
	uint64_t wrong;

	ddt_truth_clear_array(pair.k, pair.array[DDT_TO]);
	to_and_fro(1, send_order, recv_order);
	to_and_fro(1, send_typed, recv_typed);
	wrong = wrong_array();
	ddt_truth_clear_array(pair.k, pair.array[DDT_TO]);
	to_and_fro(1, send_order, recv_order);
	to_and_fro(1, send_packed, recv_packed);
	return wrong + wrong_array();
}

static void divide(uint64_t start, uint64_t end, double count)
{
	pair.divided = E->divide(start, end, pair.parts);
	for (int i = 0; i < PAIR_PARTS; i++)
		pair.parts[i] /= count;
}

/* both ranks, with the same order; nanoseconds at rank 0 */
static double obey(const struct order *o, uint64_t *wrong)
{
	const bool watched = o->what == 't' && E->watch;
	uint64_t start, end;
	double count = 2.0 * o->times;

	*wrong = 0;
	pair.divided = false;
	use_kernel(o->kernel);
	if (o->what == 'f')
		drop_types();
	if (watched)
		E->watch();
	/* the other one is ready, too */
	to_and_fro(1, send_order, recv_order);
	start = now();
	switch (o->what) {
	case 'f':
		make_types();
		/* fallthrough */
	case 'l':
	case 't':
		to_and_fro(o->times, send_typed, recv_typed);
		break;
	case 'p':
		to_and_fro(o->times, send_packed, recv_packed);
		break;
	case 'b':
	case 'd':
		windows(o->times, o->what == 'd');
		count = (double)PAIR_WINDOW * o->times;
		break;
	case 'v':
		*wrong = check();
		break;
	default:
		pair_die("order '%c'", (char)o->what);
	}
	end = now();
	if (watched)
		divide(start, end, count);
	return (double)(end - start) / count;
}

/*
 * Between orders both sleep in the kernel: looks by a timer would take time from the pair that is
 * being measured. So rank 1 reads a pipe of rank 0's before it receives.
 */
static void hang_bell(void)
{
	char path[64];
	int ends[2];

	if (!pair.rank) {
		if (pipe2(ends, O_CLOEXEC))
			pair_die("no pipe: %s", strerror(errno));
		/* this once, where the pipe is: of which process, and its number there */
		*pair.order = (struct order){ .what = (uint32_t)getpid(), .kernel = (uint32_t)ends[0] };
		pair.bell = ends[1];
		send_order();
		recv_order();
		close(ends[0]);
		return;
	}
	recv_order();
	snprintf(path, sizeof(path), "/proc/%u/fd/%u", pair.order->what, pair.order->kernel);
	pair.bell = open(path, O_RDONLY | O_CLOEXEC);
	if (pair.bell < 0)
		pair_die("%s: %s", path, strerror(errno));
	send_order();
}

static void ring_bell(void)
{
	if (write(pair.bell, "", 1) != 1)
		pair_die("the other rank has gone");
}

static void hear_bell(void)
{
	char byte;

	if (read(pair.bell, &byte, 1) != 1)
		pair_die("the other rank has gone");
}

static bool read_order(struct order *o)
{
	char line[64], what;

	if (!fgets(line, sizeof(line), stdin) ||
	    sscanf(line, "%c %u %u", &what, &o->kernel, &o->times) != 3)
		return false;
	o->what = (uint32_t)what;
	return true;
}

static void tell(double ns, uint64_t wrong)
{
	printf("%.1f %llu", ns, (unsigned long long)wrong);
	for (int i = 0; i < PAIR_PARTS && pair.divided; i++)
		printf(" %.1f", pair.parts[i]);
	putchar('\n');
	fflush(stdout);
}

static void lead(void)
{
	struct order o = { 0 };

	puts("ready");
	fflush(stdout);
	while (read_order(&o)) {
		uint64_t wrong;
		double ns;

		*pair.order = o;
		ring_bell();
		send_order();
		ns = obey(&o, &wrong);
		/* what was wrong at the other one */
		recv_order();
		tell(ns, wrong + pair.order->wrong);
	}
	pair.order->what = 'q';
	ring_bell();
	send_order();
}

static void follow(void)
{
	for (;;) {
		struct order o;
		uint64_t wrong;

		hear_bell();
		recv_order();
		o = *pair.order;
		if (o.what == 'q')
			return;
		obey(&o, &wrong);
		pair.order->wrong = wrong > UINT32_MAX ? UINT32_MAX : (uint32_t)wrong;
		send_order();
	}
}

int main(int argc, char **argv)
{
	int err;

	pair.rank = E->start(argc, argv);
	err = perf_bind(pair.rank);
	if (err)
		pair_die("rank %d cannot be bound to a CPU: %s", pair.rank, strerror(err));
	pair.order = E->alloc(sizeof(*pair.order));
	pair.order_type = words(sizeof(*pair.order));
	hang_bell();
	if (pair.rank)
		follow();
	else
		lead();
	drop_kernel();
	E->drop(&pair.order_type);
	E->release(pair.order);
	E->end();
	close(pair.bell);
	return 0;
}
