// SPDX-License-Identifier: MIT
/*
 * `count`: R03's benchmark, for callgrind, whose profile is written after each round, with the
 * bytes of a message, how many receives were posted, and which routine was counted, 0 being all,
 * for a description. `time`: prints a line for each figure, of nanoseconds.
 *
 * Ranks meet in shared memory, not by messages, so that what they do between two meetings is all
 * that a round has; and what was sent has come before anybody asks for it, unless it is so long
 * that its sender waits.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/perf/rounds/rounds.h"

#define E	(&rounds_engine)

/* of each figure, of which the median is taken */
#define BATCHES	15

static char out[2][ROUNDS_LONGEST], in[2][ROUNDS_MESSAGES][ROUNDS_LONGEST];
bool rounds_counts;
static enum exchange_routine counted;	/* in this round */
static enum exchange_routine running = ROUTINE_ALL;

void rounds_die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static void meet(struct rounds_rank *r)
{
	struct rounds_place *p = r->place;
	uint32_t left = atomic_load(&p->left);

	if (atomic_fetch_add(&p->came, 1) % 2) {
		atomic_store(&p->left, left + 1);
		return;
	}
	while (atomic_load(&p->left) == left)
		E->idle(r);
}

/* ROUTINE_ALL: of what belongs to none */
static bool is_counted(enum exchange_routine routine)
{
	if (counted == ROUTINE_ALL)
		return E->by_call && routine != ROUTINE_ALL;
	return routine == counted;
}

enum exchange_routine rounds_run_for(enum exchange_routine routine)
{
	enum exchange_routine before = running;

	running = routine;
	if (rounds_counts && is_counted(routine) != is_counted(before))
		CALLGRIND_TOGGLE_COLLECT;
	return before;
}

static void end(void)
{
	rounds_run_for(ROUTINE_ALL);
}

static void check(const struct rounds_rank *r, unsigned int m, size_t bytes, char first)
{
	const char *got = in[r->rank][m];
	char want = (char)(first + (char)m);

	if (got[0] != want || got[bytes - 1] != want)
		rounds_die("message %u of %zu bytes is not what was sent", m, bytes);
}

static void receive(struct rounds_rank *r, size_t bytes, unsigned int posted, char first)
{
	rounds_run_for(ROUTINE_RECV);
	for (unsigned int m = 0; m < posted; m++)
		E->irecv(r, m, in[r->rank][m], bytes, (int)m);
	end();
	meet(r);
	if (bytes < ROUNDS_LONGEST)
		meet(r);
	for (unsigned int m = posted; m < ROUNDS_MESSAGES; m++) {
		rounds_run_for(ROUTINE_PROBE);
		E->probe(r, (int)m);
		rounds_run_for(ROUTINE_RECV);
		E->recv(r, in[r->rank][m], bytes, (int)m);
	}
	rounds_run_for(ROUTINE_RECV);
	E->wait(r, 0, posted);
	end();
	for (unsigned int m = 0; m < ROUNDS_MESSAGES; m++)
		check(r, m, bytes, first);
}

static void send(struct rounds_rank *r, size_t bytes, char first)
{
	char *data = out[r->rank];

	meet(r);
	for (unsigned int m = 0; m < ROUNDS_MESSAGES; m++) {
		data[0] = data[bytes - 1] = (char)(first + (char)m);
		rounds_run_for(ROUTINE_SEND);
		E->send(r, data, bytes, (int)m);
		end();
	}
	if (bytes < ROUNDS_LONGEST)
		meet(r);
}

/* both ways, and its profile */
static void count_round(struct rounds_rank *r, size_t bytes, unsigned int posted,
			enum exchange_routine routine, char first)
{
	bool mine = E->by_call || !r->rank, whole = !E->by_call && routine == ROUTINE_ALL;
	char text[64];

	meet(r);
	counted = routine;
	if (mine) {
		CALLGRIND_ZERO_STATS;
		if (whole)
			CALLGRIND_TOGGLE_COLLECT;
	}
	/* what the other one does is counted from its beginning, too */
	meet(r);
	for (int sender = 0; sender < 2; sender++) {
		if (r->rank == sender)
			send(r, bytes, first);
		else
			receive(r, bytes, posted, first);
		meet(r);
	}
	if (mine) {
		if (whole)
			CALLGRIND_TOGGLE_COLLECT;
		snprintf(text, sizeof(text), "%zu %u %u", bytes, posted, (unsigned int)routine);
		CALLGRIND_DUMP_STATS_AT(text);
	}
	meet(r);
}

static void count_kind(struct rounds_rank *r, size_t bytes, unsigned int posted,
		       enum exchange_routine routine)
{
	for (unsigned int i = 0; i < ROUNDS_REPEATS; i++)
		count_round(r, bytes, posted, routine, (char)(13 * i));
}

static void count_rounds(struct rounds_rank *r)
{
	static const size_t sizes[] = { 256, ROUNDS_LONGEST };

	for (size_t s = 0; s < 2; s++) {
		for (unsigned int posted = 0; posted <= ROUNDS_MESSAGES; posted++)
			count_kind(r, sizes[s], posted, ROUTINE_ALL);
		for (unsigned int routine = ROUTINE_PROBE; routine < ROUTINES; routine++)
			count_kind(r, sizes[s], ROUNDS_HALF, (enum exchange_routine)routine);
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void tell(const struct rounds_rank *r, const char *name, double ns[BATCHES])
{
	qsort(ns, BATCHES, sizeof(*ns), by_size);
	if (!r->rank)
		printf("%s %.1f\n", name, ns[BATCHES / 2]);
}

typedef void (*recv_fn)(struct rounds_rank *r, void *data, size_t bytes, int tag);

static void to_and_fro(struct rounds_rank *r, recv_fn recv, size_t bytes, unsigned int times)
{
	for (unsigned int i = 0; i < times; i++) {
		if (r->rank) {
			recv(r, in[1][0], bytes, 1);
			E->send(r, out[1], bytes, 1);
		} else {
			E->send(r, out[0], bytes, 1);
			recv(r, in[0][0], bytes, 1);
		}
	}
}

/* one way */
static void time_latency(struct rounds_rank *r, const char *name, recv_fn recv, size_t bytes,
			 unsigned int times)
{
	double ns[BATCHES];

	to_and_fro(r, recv, bytes, times / 4);
	for (unsigned int b = 0; b < BATCHES; b++) {
		double start = now();

		to_and_fro(r, recv, bytes, times);
		ns[b] = (now() - start) / (2.0 * times);
	}
	tell(r, name, ns);
}

/* so many at once, and one back */
static void windows(struct rounds_rank *r, unsigned int times)
{
	for (unsigned int i = 0; i < times; i++) {
		for (unsigned int m = 0; m < ROUNDS_WINDOW; m++) {
			if (r->rank)
				E->irecv(r, m, in[1][0] + 8 * m, 8, 2);
			else
				E->isend(r, m, out[0], 8, 2);
		}
		E->wait(r, 0, ROUNDS_WINDOW);
		if (r->rank)
			E->send(r, out[1], 8, 3);
		else
			E->recv(r, in[0][0], 8, 3);
	}
}

static void time_rate(struct rounds_rank *r, unsigned int times)
{
	double ns[BATCHES];

	windows(r, times / 4);
	for (unsigned int b = 0; b < BATCHES; b++) {
		double start = now();

		windows(r, times);
		ns[b] = (now() - start) / ((double)ROUNDS_WINDOW * times);
	}
	tell(r, "rate", ns);
}

/* receives in both ranks that no message is for */
static void time_queue(struct rounds_rank *r, unsigned int times)
{
	for (unsigned int i = 0; i < ROUNDS_QUEUE; i++)
		E->irecv(r, ROUNDS_WINDOW + i, in[r->rank][1], 8, 100 + (int)i);
	time_latency(r, "behind", E->recv, 8, times);
	E->cancel(r, ROUNDS_WINDOW, ROUNDS_QUEUE);
	E->wait(r, ROUNDS_WINDOW, ROUNDS_QUEUE);
}

static void time_all(struct rounds_rank *r)
{
	time_latency(r, "8", E->recv, 8, 2000);
	time_latency(r, "256", E->recv, 256, 2000);
	time_latency(r, "80K", E->recv, ROUNDS_LONGEST, 200);
	if (E->recv_polled)
		time_latency(r, "across", E->recv_polled, 8, 2000);
	time_rate(r, 200);
	time_queue(r, 200);
}

static void rank_main(struct rounds_rank *r)
{
	if (rounds_counts)
		count_rounds(r);
	else
		time_all(r);
}

int main(int argc, char **argv)
{
	if (argc < 2 || (strcmp(argv[1], "count") && strcmp(argv[1], "time")))
		rounds_die("expected count or time");
	rounds_counts = !strcmp(argv[1], "count");
	if (rounds_counts && !ROUNDS_COUNTED) {
		fputs("built without <valgrind/callgrind.h>\n", stderr);
		return ROUNDS_UNCOUNTED;
	}
	if (rounds_counts && !RUNNING_ON_VALGRIND)
		rounds_die("rounds are counted by callgrind only");
	E->run(argc, argv, rank_main);
	return 0;
}
