// SPDX-License-Identifier: MIT
/*
 * A random program: who sends whom what is drawn from a seed by all ranks alike, so that
 * each knows by MPI's rules, applied naively, which message its receives must get. Those by
 * MPI_ANY_SOURCE have a communicator of their own, and are as many of each tag as messages:
 * all get one, and of each source's the first that has not been received.
 * mpi: ranks=12
 */
#include <string.h>

#include "check.h"

#ifndef SEED
#define SEED 1
#endif

#define MESSAGES	160
#define TAGS		3
#define LONGEST		7000
#define WORLD		MPI_COMM_WORLD

struct message {
	uint8_t from, to, tag, mode;	/* mode: of its send */
	bool any_source, any_tag;	/* of the receive that is for it */
	bool taken;
	uint16_t bytes;
};

static struct message plan[MESSAGES];
static __mram_noinit unsigned char in[MESSAGES][LONGEST + 1], out[MESSAGES][LONGEST];
static unsigned char small_in[MESSAGES][16], small_out[MESSAGES][16];
static MPI_Request receives[MESSAGES], sends[MESSAGES];
static MPI_Comm wild;
static uint64_t state = SEED;

#ifdef POOL
MPIX_POOL_INIT(POOL)
#endif

static uint32_t draw(uint32_t below)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((state >> 33) % below);
}

static void make_plan(void)
{
	for (int i = 0; i < MESSAGES; i++) {
		struct message *m = &plan[i];

		m->from = (uint8_t)draw((uint32_t)size);
		m->to = (uint8_t)draw((uint32_t)size);
		m->tag = (uint8_t)draw(TAGS);
		m->mode = (uint8_t)draw(3);
		m->any_source = draw(3) == 0;
		m->any_tag = !m->any_source && draw(4) == 0;
		m->bytes = (uint16_t)(draw(3) ? draw(16) : draw(LONGEST));
	}
}

static MPI_Comm comm_of(const struct message *m)
{
	return m->any_source ? wild : WORLD;
}

static unsigned char *in_of(int i)
{
	return i % 2 ? small_in[i] : (unsigned char *)in[i];
}

static unsigned char byte_of(int i, int k)
{
	return (unsigned char)(i * 31 + k * 7);
}

/* room for any message in MRAM, for a small one in WRAM */
static int room_of(int i)
{
	return i % 2 ? 16 : LONGEST;
}

static void send(int i)
{
	const struct message *m = &plan[i];
	unsigned char *data = m->bytes <= 16 ? small_out[i] : (unsigned char *)out[i];

	for (int k = 0; k < m->bytes; k++)
		data[k] = byte_of(i, k);
	if (m->mode == 0)
		MPI_Issend(data, m->bytes, MPI_BYTE, m->to, m->tag, comm_of(m), &sends[i]);
	else
		MPI_Isend(data, m->bytes, MPI_BYTE, m->to, m->tag, comm_of(m), &sends[i]);
}

static void receive(int i)
{
	const struct message *m = &plan[i];

	MPI_Irecv(in_of(i), room_of(i), MPI_BYTE, m->any_source ? MPI_ANY_SOURCE : m->from,
		  m->any_tag ? MPI_ANY_TAG : m->tag, comm_of(m), &receives[i]);
}

/* the first message of a rank's that is not taken and that the i-th receive matches */
static int match_of(int i, int from)
{
	for (int k = 0; k < MESSAGES; k++) {
		const struct message *m = &plan[k];

		if (m->taken || m->to != rank || m->from != from ||
		    m->any_source != plan[i].any_source)
			continue;
		if (plan[i].any_tag || m->tag == plan[i].tag)
			return k;
	}
	return -1;
}

static void check(int i, const MPI_Status *status, int error)
{
	int k = match_of(i, plan[i].any_source ? status->MPI_SOURCE : plan[i].from), n;

	CHECK(k >= 0 || !plan[i].any_source);
	if (k < 0) {
		MPI_Test_cancelled(status, &n);
		CHECK(n);
		return;
	}
	plan[k].taken = true;
	CHECK(status->MPI_SOURCE == plan[k].from && status->MPI_TAG == plan[k].tag);
	if (plan[k].bytes > room_of(i)) {
		CHECK(error == MPI_ERR_TRUNCATE);
		return;
	}
	MPI_Get_count(status, MPI_BYTE, &n);
	CHECK(!error && n == plan[k].bytes);
	for (int b = 0; b < n; b++)
		CHECK(in_of(i)[b] == byte_of(k, b));
	CHECK(in_of(i)[n] == 0xee || n == 16);
}

/* sends and receives are begun in one order of all, which each rank breaks up on its own */
static void begin(void)
{
	int next_send = 0, next_receive = 0;

	state += (uint64_t)rank * 77;
	while (next_send < MESSAGES || next_receive < MESSAGES) {
		bool sending = next_receive == MESSAGES ||
			       (next_send < MESSAGES && draw(2));
		int i = sending ? next_send++ : next_receive++;

		if (sending && plan[i].from == rank)
			send(i);
		else if (!sending && plan[i].to == rank)
			receive(i);
	}
}

/* receives that a wildcard has left without a message are given up at the end */
static void end(void)
{
	static int error[MESSAGES];
	static MPI_Status statuses[MESSAGES];

	for (int i = 0; i < MESSAGES; i++) {
		if (plan[i].to != rank)
			continue;
		if (!plan[i].any_source && match_of(i, plan[i].from) < 0)
			MPI_Cancel(&receives[i]);
		error[i] = MPI_Wait(&receives[i], &statuses[i]);
		check(i, &statuses[i], error[i]);
	}
	/* what none of the receives could take */
	for (int k = 0; k < MESSAGES; k++) {
		CHECK(plan[k].to != rank || plan[k].taken || !plan[k].any_source);
		if (plan[k].to == rank && !plan[k].taken)
			MPI_Recv((void *)in[0], LONGEST, MPI_BYTE, plan[k].from, plan[k].tag,
				 WORLD, MPI_STATUS_IGNORE);
	}
	for (int i = 0; i < MESSAGES; i++)
		if (plan[i].from == rank)
			MPI_Wait(&sends[i], MPI_STATUS_IGNORE);
}

int main(void)
{
	check_begin();
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_dup(WORLD, &wild);
	make_plan();
	for (int i = 0; i < MESSAGES; i++) {
		memset((void *)in[i], 0xee, sizeof(in[i]));
		memset(small_in[i], 0xee, sizeof(small_in[i]));
	}
	begin();
	end();
	MPI_Barrier(WORLD);
	check_end();
	return 0;
}
