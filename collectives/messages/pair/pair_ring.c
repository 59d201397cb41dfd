// SPDX-License-Identifier: MIT
/* The ring that one process writes and the other one reads. */
#include <errno.h>
#include <string.h>

#include "collectives/messages/pair/pair.h"

#define RING_PLACE(at)	((at) % PAIR_RING)

/*
 * The other process had a message's lines last. Those of its first bytes are asked for at once,
 * as copying them would wait for a few at a time. To be written, of data in one piece it is those
 * of short messages alone: more than stores wait for keep what is to be copied from coming.
 */
#define ASKED_BYTES	4096
#define ASKED_OF_RUN	2048

static uint64_t ring_lines(uint64_t bytes)
{
	return (sizeof(struct pair_head) + bytes + PAIR_LINE - 1) / PAIR_LINE * PAIR_LINE;
}

/*
 * Bytes that the other process has left to write, which is asked only where those known of are
 * not enough: its line goes from one CPU to the other then. 0 where it says what cannot be.
 */
static uint64_t ring_free(struct pair *p, uint64_t bytes)
{
	if (PAIR_RING - (p->written - p->seen_taken) >= bytes)
		return PAIR_RING - (p->written - p->seen_taken);
	p->seen_taken = atomic_load_explicit(&p->theirs->taken, memory_order_acquire);
	if (p->written - p->seen_taken <= PAIR_RING)
		return PAIR_RING - (p->written - p->seen_taken);
	pm_pair_lied(p, "it has taken more of the ring than there was");
	p->seen_taken = p->written - PAIR_RING;
	return 0;
}

static void ring_publish(struct pair *p, uint64_t bytes)
{
	p->written += bytes;
	atomic_store(&p->mine->written, p->written);
	p->did = true;
}

static void ring_ask_to_read(const uint8_t *at, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes && i < ASKED_BYTES; i += PAIR_LINE)
		__builtin_prefetch(at + i, 0, 3);
}

static void ring_ask_to_write(uint8_t *at, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes && i < ASKED_BYTES; i += PAIR_LINE) {
#ifdef __x86_64__
		/* CPUs without it do nothing, so GCC's __builtin_prefetch() asks to read instead */
		__asm__ volatile("prefetchw %0" : : "m"(at[i]));
#else
		__builtin_prefetch(at + i, 1, 3);
#endif
	}
}

/*
 * All that follows the head is there, and so is the head, once it is known by its place. What is
 * to be skipped is said by a line of it, which is less.
 */
static void ring_put_head(struct pair *p, const struct pair_head *head)
{
	uint8_t *at = p->mine->ring + RING_PLACE(p->written);
	const size_t here = sizeof(head->here);

	if (head->kind == PAIR_PAD)
		memcpy(at + here, (const uint8_t *)head + here, PAIR_LINE - here);
	else
		memcpy(at + here, (const uint8_t *)head + here, sizeof(*head) - here);
	atomic_store_explicit((_Atomic uint64_t *)at, p->key + p->written, memory_order_release);
	ring_publish(p, head->length);
}

/* what is left up to the end is skipped; there is room for it */
static void ring_pad(struct pair *p, uint64_t bytes)
{
	const struct pair_head pad = { .length = (uint32_t)bytes, .kind = PAIR_PAD };

	ring_put_head(p, &pad);
}

uint8_t *pm_pair_reserve(struct pair *p, uint64_t bytes)
{
	uint64_t length = ring_lines(bytes), end = PAIR_RING - RING_PLACE(p->written);
	uint64_t room = ring_free(p, length > end ? end + length : length);

	if (length > end) {
		if (room < end + length)
			return NULL;
		ring_pad(p, end);
	} else if (room < length) {
		return NULL;
	}
	p->reserved = p->mine->ring + RING_PLACE(p->written) + sizeof(struct pair_head);
	p->reserved_bytes = bytes;
	return p->reserved;
}

void pm_pair_ask(struct pair *p, bool run)
{
	if (!run || p->reserved_bytes <= ASKED_OF_RUN)
		ring_ask_to_write(p->reserved, p->reserved_bytes);
}

void pm_pair_cancel(struct pair *p)
{
	p->reserved = NULL;
}

void pm_pair_commit(struct pair *p, struct pair_head *head)
{
	head->length = (uint32_t)ring_lines(head->bytes);
	p->reserved = NULL;
	ring_put_head(p, head);
}

/* whether it went into the ring */
static bool ring_put(struct pair *p, struct pair_parcel *parcel)
{
	struct pair_head *head = &parcel->head;

	if (!p->reserved || parcel->data != p->reserved) {
		uint8_t *data = pm_pair_reserve(p, head->bytes);

		if (!data)
			return false;
		if (head->bytes)
			memcpy(data, parcel->data, head->bytes);
	}
	pm_pair_commit(p, head);
	return true;
}

void pm_pair_post(struct pair *p, struct pair_parcel *parcel)
{
	parcel->next = NULL;
	if (!p->broken && (p->backlog || !ring_put(p, parcel))) {
		if (p->backlog)
			p->last_backlog->next = parcel;
		else
			p->backlog = parcel;
		p->last_backlog = parcel;
		return;
	}
	pm_pair_parcel_drop(p, parcel);
}

void pm_pair_flush(struct pair *p)
{
	while (p->backlog && ring_put(p, p->backlog)) {
		struct pair_parcel *parcel = p->backlog;

		p->backlog = parcel->next;
		pm_pair_parcel_drop(p, parcel);
	}
}

/* a head is there before it is counted, and may have been taken by then */
static bool ring_has_news(const struct pair *p)
{
	return (int64_t)(atomic_load(&p->theirs->written) - p->taken) > 0;
}

bool pm_pair_is_next(const struct pair *p)
{
	const uint8_t *at = p->theirs->ring + RING_PLACE(p->taken);

	return atomic_load_explicit((const _Atomic uint64_t *)at, memory_order_acquire) ==
	       p->their_key + p->taken;
}

void pm_pair_ring_check(struct pair *p)
{
	if (ring_has_news(p) && !pm_pair_is_next(p))
		pm_pair_lied(p, "it has written more into its ring than is there");
}

bool pm_pair_has_news(const struct pair *p)
{
	return ring_has_news(p) || pm_pair_has_ended_parts(p) ||
	       ((p->backlog || p->nr_packed || p->nr_lists) &&
		p->written - atomic_load(&p->theirs->taken) <= PAIR_RING / 2);
}

/* a head that was read once is what it says, or the other process lies */
static bool ring_check(struct pair *p, const struct pair_head *head)
{
	uint64_t end = PAIR_RING - RING_PLACE(p->taken);

	if (head->length && head->length <= end && head->length % PAIR_LINE == 0 &&
	    (head->kind == PAIR_PAD ||
	     (head->bytes <= PAIR_MOST && head->length == ring_lines(head->bytes))))
		return true;
	pm_pair_lied(p, "a message of kind %u has %u bytes of the %llu left in its ring", head->kind,
		     head->length, (unsigned long long)end);
	return false;
}

bool pm_pair_next(struct pair *p, struct pair_head *head, uint8_t **data)
{
	while (pm_pair_is_next(p)) {
		uint64_t end = PAIR_RING - RING_PLACE(p->taken);
		uint8_t *at = p->theirs->ring + RING_PLACE(p->taken);

		if (end < sizeof(*head))
			memcpy(head, at, PAIR_LINE);
		else
			memcpy(head, at, sizeof(*head));
		if (!ring_check(p, head))
			return false;
		*data = at + sizeof(*head);
		ring_ask_to_read(*data, head->bytes);
		if (head->kind != PAIR_PAD)
			return true;
		pm_pair_taken(p, head);
	}
	return false;
}

void pm_pair_taken(struct pair *p, const struct pair_head *head)
{
	p->taken += head->length;
	atomic_store(&p->mine->taken, p->taken);
	p->did = true;
}

void pm_pair_ring_bell(struct pair *p)
{
	const struct pair_note bell = { .magic = PAIR_MAGIC, .version = PAIR_VERSION,
					.kind = PAIR_BELL };

	if (!p->did)
		return;
	p->did = false;
	/*
	 * Who goes to sleep says so before it looks a last time. In the one order of these loads
	 * and the stores of what is written and taken either it sees the news, or its sleep is
	 * seen here.
	 */
	if (atomic_load(&p->theirs->sleeps) && atomic_exchange(&p->theirs->sleeps, 0))
		pm_pair_note_send(p->socket, &bell, -1);
}
