/* SPDX-License-Identifier: MIT */
/* Buffers of different shapes for two processes of a test, and what copying them has cost. */
#ifndef TESTS_PAIR_SHAPES_H
#define TESTS_PAIR_SHAPES_H

#include <pimdimm/types.h>

#include "collectives/messages/pair/pair.h"
#include "tests/unit/pair.h"

#define BLOCKS	4096u
#define BLOCK	32u
#define BYTES	((uint64_t)BLOCKS * BLOCK)

static inline struct pimmsg_stats stats_of(struct pimmsg_end *end)
{
	struct pimmsg_stats stats;

	pair_ok(pimmsg_stats(end, &stats));
	return stats;
}

/* the other process's counters beside the own ones; it is told these, too */
static inline struct pimmsg_stats both_stats(struct pimmsg_end *end, struct pimmsg_stats *other)
{
	struct pimmsg_stats own = stats_of(end);
	struct pimmsg_buf out = { .ptr = &own, .part = { 0, sizeof(own), pimtype_basic(PIMTYPE_BYTE) } };
	struct pimmsg_buf in = out;

	in.ptr = other;
	pair_ok(pimmsg_sendrecv(end, &out, 1 - pair_rank, 9, &in, 1 - pair_rank, 9, NULL));
	return own;
}

/* layouts of BYTES bytes: a run, evenly spaced blocks, others */
enum shape {
	RUN,
	EVEN,
	WIDE,
	ODD,
	BACKWARDS,
	SHAPES,
};

static inline struct pimtype *type_of(enum shape shape)
{
	const struct pimtype *byte = pimtype_basic(PIMTYPE_BYTE);
	static int64_t places[BLOCKS];
	struct pimtype *type;

	switch (shape) {
	case RUN:
		pair_ok(pimtype_contiguous(BYTES, byte, &type));
		break;
	case EVEN:
		pair_ok(pimtype_vector(BLOCKS, BLOCK, 2 * BLOCK, byte, &type));
		break;
	case WIDE:
		pair_ok(pimtype_vector(BLOCKS / 4, 4 * BLOCK, 5 * BLOCK, byte, &type));
		break;
	case BACKWARDS:
		pair_ok(pimtype_vector(BLOCKS, BLOCK, -3 * (int64_t)BLOCK, byte, &type));
		break;
	default:
		for (uint32_t i = 0; i < BLOCKS; i++)
			places[i] = (int64_t)(i * 3 + i % 2) * BLOCK;
		pair_ok(pimtype_hindexed_block(BLOCKS, BLOCK, places, byte, &type));
	}
	return type;
}

static inline uint64_t room_of(const struct pimtype *type, int64_t *lb)
{
	struct pimtype_info info;

	pair_ok(pimtype_info(type, &info));
	*lb = info.true_lb;
	return (uint64_t)info.true_extent;
}

static inline uint8_t byte_of(uint64_t seed, uint64_t k)
{
	return (uint8_t)((seed * 77 + k) * 2654435761u >> 13);
}

struct buffer {
	struct pimmsg_buf buf;
	struct pimtype *type;
	uint8_t *at;
	uint64_t room;
	bool mapped;
};

static inline struct buffer buffer_of(struct pimmsg_end *end, enum shape shape, bool mapped)
{
	struct buffer b = { .type = type_of(shape), .mapped = mapped };
	int64_t lb;

	b.room = room_of(b.type, &lb);
	if (mapped)
		pair_ok(pimmsg_alloc(end, b.room, (void **)&b.at));
	else
		b.at = malloc(b.room);
	memset(b.at, 0xee, b.room);
	b.buf = (struct pimmsg_buf){ .ptr = b.at, .part = { -lb, 1, b.type } };
	return b;
}

static inline void buffer_free(struct pimmsg_end *end, struct buffer *b)
{
	if (b->mapped)
		pair_ok(pimmsg_free(end, b->at));
	else
		free(b->at);
	pimtype_free(b->type);
}

static inline void buffer_fill(struct buffer *b, uint64_t seed)
{
	static uint8_t data[BYTES];

	for (uint64_t k = 0; k < BYTES; k++)
		data[k] = byte_of(seed, k);
	pair_ok(pimtype_unpack(b->at, b->buf.part, 0, data, BYTES));
}

/* what has come, and nothing between */
static inline void buffer_check(const struct buffer *b, uint64_t seed)
{
	uint8_t *want = malloc(b->room);
	struct buffer model = *b;

	memset(want, 0xee, b->room);
	model.at = want;
	buffer_fill(&model, seed);
	pair_expect(!memcmp(b->at, want, b->room));
	free(want);
}

/* rank 0 sends, rank 1 receives */
static inline void one_way(struct pimmsg_end *end, struct buffer *b, uint64_t seed)
{
	if (!pair_rank) {
		buffer_fill(b, seed);
		pair_ok(pimmsg_send(end, &b->buf, 1, 0));
	} else {
		memset(b->at, 0xee, b->room);
		pair_ok(pimmsg_recv(end, &b->buf, 0, 0, NULL));
		buffer_check(b, seed);
	}
}

#endif /* TESTS_PAIR_SHAPES_H */
