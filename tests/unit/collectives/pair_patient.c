// SPDX-License-Identifier: MIT
/*
 * Short messages between two processes stay in the ring while calls are made that may well post
 * their receives, so that they are copied once; other calls, and many of these, take them out.
 */
#include "tests/unit/pair.h"

#define MESSAGES	200u
#define BYTES		600u
#define LONG_BYTES	(UINT64_C(1) << 20)
/* more calls than anything stays */
#define CALLS		100u

/* by which rank 0 says that what it has sent is in the ring */
static int told[2];

static void tell(void)
{
	pair_expect(write(told[1], "", 1) == 1);
}

static void wait_until_told(void)
{
	char byte;

	pair_expect(read(told[0], &byte, 1) == 1);
}

static struct pimmsg_stats stats_of(struct pimmsg_end *end)
{
	struct pimmsg_stats stats;

	pair_ok(pimmsg_stats(end, &stats));
	return stats;
}

static void send_filled(struct pimmsg_end *end, int tag)
{
	uint8_t data[BYTES];
	struct pimmsg_buf buf = memory(data, BYTES);

	memset(data, tag, BYTES);
	pair_ok(pimmsg_send(end, &buf, 1 - pair_rank, tag));
}

static void receive_filled(struct pimmsg_end *end, int tag)
{
	uint8_t data[BYTES] = { 0 };
	struct pimmsg_buf buf = memory(data, BYTES);

	pair_ok(pimmsg_recv(end, &buf, 1 - pair_rank, tag, NULL));
	pair_expect(data[0] == tag && data[BYTES - 1] == tag);
}

/* receives that are begun one after the other meet what is there already on its arrival */
static void receive_posted(struct pimmsg_end *end)
{
	static uint8_t data[MESSAGES][BYTES];
	struct pimmsg_request *requests[MESSAGES];
	struct pimmsg_stats stats;

	wait_until_told();
	for (unsigned int i = 0; i < MESSAGES; i++) {
		struct pimmsg_buf buf = memory(data[i], BYTES);

		pair_ok(pimmsg_irecv(end, &buf, 0, (int)i, &requests[i]));
	}
	pair_ok(pimmsg_waitall(end, MESSAGES, requests, NULL));
	for (unsigned int i = 0; i < MESSAGES; i++)
		pair_expect(data[i][0] == i && data[i][BYTES - 1] == i);
	stats = stats_of(end);
	pair_expect(stats.posted == MESSAGES && !stats.unexpected);
}

/* whoever begins nothing but sends takes it out some time */
static void end_patience(struct pimmsg_end *end)
{
	struct pimmsg_stats before = stats_of(end), after;

	wait_until_told();
	send_filled(end, 1);
	after = stats_of(end);
	pair_expect(after.longest_unexpected == before.longest_unexpected);
	for (unsigned int i = 1; i < CALLS; i++)
		send_filled(end, 1);
	receive_filled(end, 2);
	after = stats_of(end);
	pair_expect(after.unexpected == before.unexpected + 1);
}

static void probe(struct pimmsg_end *end)
{
	int there = 0;

	wait_until_told();
	pair_ok(pimmsg_iprobe(end, 0, 3, &there, NULL));
	pair_expect(there);
	receive_filled(end, 3);
}

/* what comes behind it is received first, having been asked for first */
static void pass(struct pimmsg_end *end)
{
	uint8_t *data = calloc(1, LONG_BYTES);
	struct pimmsg_buf buf = memory(data, LONG_BYTES);

	pair_expect(data);
	wait_until_told();
	pair_ok(pimmsg_recv(end, &buf, 0, 5, NULL));
	pair_expect(data[0] == 5 && data[LONG_BYTES - 1] == 5);
	/* which the sender may not have heard of yet */
	free(data);
	receive_filled(end, 4);
}

static void receiver(int socket, const void *arg)
{
	struct pimmsg_end *end = pair_join(socket, NULL);

	(void)arg;
	receive_posted(end);
	send_filled(end, 7);
	end_patience(end);
	probe(end);
	pass(end);
	/* the other one is through before this process goes */
	receive_filled(end, 6);
	pimmsg_close(end);
}

static void send_long(struct pimmsg_end *end)
{
	uint8_t *data = malloc(LONG_BYTES);
	struct pimmsg_buf buf = memory(data, LONG_BYTES);
	struct pimmsg_request *request;

	pair_expect(data);
	memset(data, 5, LONG_BYTES);
	send_filled(end, 4);
	pair_ok(pimmsg_isend(end, &buf, 1, 5, &request));
	tell();
	pair_ok(pimmsg_wait(end, &request, NULL));
	free(data);
}

static void sender(int socket, const void *arg)
{
	struct pimmsg_end *end = pair_join(socket, NULL);

	(void)arg;
	for (unsigned int i = 0; i < MESSAGES; i++)
		send_filled(end, (int)i);
	tell();
	receive_filled(end, 7);
	send_filled(end, 2);
	tell();
	for (unsigned int i = 0; i < CALLS; i++)
		receive_filled(end, 1);
	send_filled(end, 3);
	tell();
	send_long(end);
	send_filled(end, 6);
	pimmsg_close(end);
}

static void data_waits(void **state)
{
	(void)state;
	assert_int_equal(pipe(told), 0);
	pair_run(SOCK_STREAM, sender, receiver, NULL);
	close(told[0]);
	close(told[1]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(data_waits),
};

UNIT_MAIN(tests)
