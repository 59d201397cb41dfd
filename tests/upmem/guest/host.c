// SPDX-License-Identifier: MIT
/*
 * The host's side: host PROGRAM CASE, on PEs 8 to 8 + RANKS - 1. A thread launches, and this one
 * serves. Prints "ok", or what was wrong.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pimdimm/messages.h>
#include <pimdimm/program.h>

#include "guest.h"

#define RANKS	12u
#define FIRST	8u

#define CHECK(condition)							\
	do {									\
		if (!(condition)) {						\
			printf("%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, \
			       pimdimm_errmsg());				\
			exit(EXIT_FAILURE);					\
		}								\
	} while (0)

static struct pimdimm *sys;
static uint32_t pes[RANKS];
static pthread_t launcher;
static int launched;
static char why[512];

static void *launch(void *arg)
{
	(void)arg;
	launched = pimdimm_run(sys, pes, RANKS, NULL);
	snprintf(why, sizeof(why), "%s", launched ? pimdimm_errmsg() : "");
	return NULL;
}

static void start(void)
{
	CHECK(!pthread_create(&launcher, NULL, launch, NULL));
}

static int finish(void)
{
	CHECK(!pthread_join(launcher, NULL));
	return launched;
}

static struct pimmsg_end *begin(const char *path, uint32_t mode)
{
	struct pimdimm_program *program;
	struct pimdimm_symbol symbol;
	struct pimmsg_end *host;

	CHECK(!pimdimm_open("mem:ranks=1", &sys));
	CHECK(!pimdimm_program_open(path, &program));
	for (uint32_t i = 0; i < RANKS; i++)
		pes[i] = FIRST + i;
	CHECK(!pimdimm_load(sys, pes, RANKS, program));
	CHECK(!pimdimm_program_symbol(program, "mode", &symbol));
	for (uint32_t i = 0; i < RANKS; i++)
		CHECK(!pimdimm_wram_write(sys, pes[i], symbol.address, &mode, sizeof(mode)));
	pimdimm_program_close(program);
	CHECK(!pimmsg_programs(sys, FIRST, RANKS, &host));
	return host;
}

static struct pimmsg_buf buffer(void *ptr, uint64_t count, enum pimtype_basic type)
{
	return (struct pimmsg_buf){ .ptr = ptr, .part = { 0, count, pimtype_basic(type) } };
}

static int64_t call(struct pimmsg_end *host, int rank, int64_t number, int tag)
{
	struct pimmsg_buf buf = buffer(&number, 1, PIMTYPE_I64);
	struct pimmsg_status status;

	CHECK(!pimmsg_send(host, &buf, rank, tag));
	if (!number)
		return 0;
	CHECK(!pimmsg_recv(host, &buf, rank, tag, &status));
	CHECK(status.source == rank && status.tag == tag && status.bytes == sizeof(number));
	return number;
}

static void serve(struct pimmsg_end *host)
{
	start();
	for (int64_t i = 1; i < 40; i++)
		for (uint32_t r = 0; r < RANKS; r += (uint32_t)i)
			CHECK(call(host, (int)r, i * 1000 + r, (int)i) == 2 * (i * 1000 + r));
	for (uint32_t r = 0; r < RANKS; r++)
		call(host, (int)r, 0, 0);
	CHECK(!finish());
}

/* rank 0 may have said anything, and the others are served */
static void serve_others(struct pimmsg_end *host)
{
	struct pimmsg_stats stats;

	start();
	for (int64_t i = 1; i < 10; i++)
		for (uint32_t r = 1; r < RANKS; r++)
			CHECK(call(host, (int)r, i, (int)i) == 2 * i);
	for (uint32_t r = 1; r < RANKS; r++)
		call(host, (int)r, 0, 0);
	CHECK(!pimmsg_stats(host, &stats));
	/* what rank 0 waits for is its own affair */
	pimmsg_close(host);
	finish();
	puts("ok");
	exit(EXIT_SUCCESS);
}

static void exchange(struct pimmsg_end *host)
{
	static const uint32_t lengths[] = GUEST_LENGTHS;
	static uint8_t out[GUEST_LARGE], in[RANKS][GUEST_LARGE];

	start();
	for (size_t i = 0; i < GUEST_LARGE; i++)
		out[i] = (uint8_t)(i * 7 + i / 251);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		struct pimmsg_request *requests[2 * RANKS];
		struct pimmsg_status statuses[2 * RANKS];

		memset(in, 0, sizeof(in));
		for (uint32_t r = 0; r < RANKS; r++) {
			struct pimmsg_buf to = buffer(in[r], GUEST_LARGE, PIMTYPE_BYTE);
			struct pimmsg_buf from = buffer(out, lengths[i], PIMTYPE_BYTE);

			CHECK(!pimmsg_irecv(host, &to, (int)r, (int)i, &requests[r]));
			CHECK(!(r % 2 ? pimmsg_isend : pimmsg_issend)(host, &from, (int)r, (int)i,
								     &requests[RANKS + r]));
		}
		CHECK(!pimmsg_waitall(host, 2 * RANKS, requests, statuses));
		for (uint32_t r = 0; r < RANKS; r++) {
			CHECK(statuses[r].bytes == lengths[i]);
			CHECK(!memcmp(in[r], out, lengths[i]));
			CHECK(lengths[i] == GUEST_LARGE || !in[r][lengths[i]]);
		}
	}
	CHECK(!finish());
}

static void floods(struct pimmsg_end *host)
{
	uint8_t data[1000];
	struct pimmsg_buf buf = buffer(data, sizeof(data), PIMTYPE_BYTE);
	int next[RANKS] = { 0 };

	start();
	for (uint32_t i = 0; i < RANKS * GUEST_FLOOD; i++) {
		struct pimmsg_status status;

		CHECK(!pimmsg_recv(host, &buf, PIMMSG_ANY_SOURCE, PIMMSG_ANY_TAG, &status));
		CHECK(status.source == status.tag);
		CHECK(data[0] == (uint8_t)next[status.source]++);
	}
	CHECK(!finish());
}

/* both wait: the launch is a deadlock, and the host is told that it has ended */
static void both_wait(struct pimmsg_end *host)
{
	int64_t number;
	struct pimmsg_buf buf = buffer(&number, 1, PIMTYPE_I64);

	start();
	CHECK(pimmsg_recv(host, &buf, 1, 0, NULL) == -EPIPE);
	CHECK(finish() == -EFAULT && strstr(why, "mpi_messages"));
	CHECK(pimmsg_send(host, &buf, 1, 0) == -EPIPE);
}

static void closed(struct pimmsg_end **host)
{
	start();
	pimmsg_close(*host);
	*host = NULL;
	CHECK(finish() == -EFAULT && strstr(why, "PE 9"));
}

/* asks, and never waits */
static void tests(struct pimmsg_end *host)
{
	struct pimmsg_request *request;
	struct pimmsg_status status;
	int64_t number;
	struct pimmsg_buf buf = buffer(&number, 1, PIMTYPE_I64);
	int done = 0, ret = 0;

	CHECK(!pimmsg_irecv(host, &buf, 3, 0, &request));
	start();
	while (!done && !ret)
		ret = pimmsg_test(host, &request, &done, &status);
	CHECK(ret == -EPIPE && strstr(pimdimm_errmsg(), "the launch has ended"));
	CHECK(!finish());
}

/* what was sent before the launch comes, even where nobody serves */
static void same_thread(struct pimmsg_end *host)
{
	int64_t number = 5;
	struct pimmsg_buf buf = buffer(&number, 1, PIMTYPE_I64);
	struct pimmsg_request *request;

	CHECK(!pimmsg_isend(host, &buf, 1, 0, &request));
	launch(NULL);
	CHECK(launched == -EFAULT);
	CHECK(pimmsg_wait(host, &request, NULL) == -EPIPE);
}

static _Atomic int over;

static void *call_cancelled(void *host)
{
	pthread_cancel(pthread_self());
	if (call(host, 4, 21, 7) == 42)
		over = 1;
	pthread_testcancel();
	return NULL;
}

/* the thread ends after its call, and leaves no lock behind with which it waited */
static void cancelled(struct pimmsg_end *host)
{
	pthread_t thread;
	void *result;

	CHECK(!pthread_create(&thread, NULL, call_cancelled, host));
	for (int i = 0; i < 50; i++) {
		CHECK(pthread_tryjoin_np(thread, &result) == EBUSY);
		usleep(2000);
	}
	start();
	CHECK(!pthread_join(thread, &result));
	CHECK(result == PTHREAD_CANCELED && over);
	for (uint32_t r = 0; r < RANKS; r++) {
		CHECK(call(host, (int)r, 5, 1) == 10);
		call(host, (int)r, 0, 0);
	}
	CHECK(!finish());
}

static void refused(struct pimmsg_end *host)
{
	struct pimmsg_end *other;
	struct pimmsg_request *request;
	struct pimmsg_buf mram = buffer(NULL, 1, PIMTYPE_I64);

	CHECK(pimmsg_programs(sys, FIRST, RANKS, &other) == -EBUSY);
	CHECK(pimmsg_programs(NULL, 0, 1, &other) == -EINVAL);
	CHECK(pimmsg_programs(sys, 0, 1, NULL) == -EINVAL);
	CHECK(pimmsg_programs(sys, 60, 5, &other) == -EINVAL);
	CHECK(pimmsg_programs(sys, 0, 0, &other) == -EINVAL);
	CHECK(pimmsg_isend(host, &mram, 0, 0, &request) == -EINVAL);
	CHECK(strstr(pimdimm_errmsg(), "memory of the host"));
	mram.ptr = &mram;
	CHECK(pimmsg_isend(host, &mram, RANKS, 0, &request) == -EINVAL);
	CHECK(pimmsg_rank(host) == PIMMSG_HOST && pimmsg_size(host) == RANKS);
}

static const struct {
	const char *name;
	enum guest_mode mode;
	void (*run)(struct pimmsg_end *host);
} cases[] = {
	{ "serve", GUEST_SERVE, serve },
	{ "exchange", GUEST_EXCHANGE, exchange },
	{ "forges", GUEST_FORGES, serve_others },
	{ "floods", GUEST_FLOODS, floods },
	{ "both_wait", GUEST_WAITS, both_wait },
	{ "tests", GUEST_ENDS, tests },
	{ "same_thread", GUEST_WAITS, same_thread },
	{ "cancelled", GUEST_SERVE, cancelled },
	{ "refused", GUEST_ENDS, refused },
};

int main(int argc, char **argv)
{
	if (argc != 3)
		return EXIT_FAILURE;
	setbuf(stdout, NULL);
	if (!strcmp(argv[2], "closed")) {
		struct pimmsg_end *host = begin(argv[1], GUEST_WAITS);

		closed(&host);
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (!strcmp(argv[2], cases[i].name)) {
			struct pimmsg_end *host = begin(argv[1], cases[i].mode);

			cases[i].run(host);
			pimmsg_close(host);
		}
	}
	pimdimm_close(sys);
	puts("ok");
	return EXIT_SUCCESS;
}
