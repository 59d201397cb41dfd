// SPDX-License-Identifier: MIT
/*
 * Calls that wait for short messages between two processes, which need neither parcel nor
 * request where all is as usual: in whatever order they are received, from and to memory in one
 * piece or not, into more room than they need. Each message comes as its sender made it, by the
 * order of its tag, and every byte between elements stays.
 */
#include "tests/unit/pair.h"

#define ROUNDS	1000u
#define MOST	3u
#define MOST_LEFT	4u
#define TAGS	2u
#define WORDS	900u
#define GAP	0xa5a5a5a5u

static const uint64_t seed = 18;

/* what both know of a message; a buffer is dense, or has every second word */
struct item {
	uint32_t number;
	int tag;
	uint32_t words, more;
	bool spaced_there, spaced_here;
};

/* those that rank 1 has not received yet, in their order */
struct left {
	struct item items[MOST_LEFT + MOST];
	uint32_t n;
};

/* rank 0 has sent a round, and rank 1 has received what it wants of it */
static int sent[2], received[2];

static struct pimtype *spaced;
static uint32_t buffer[2 * (WORDS + 8)];

static void tell(const int pipe[2])
{
	pair_expect(write(pipe[1], "", 1) == 1);
}

static void wait_until_told(const int pipe[2])
{
	char byte;

	pair_expect(read(pipe[0], &byte, 1) == 1);
}

static uint32_t word_of(const struct item *item, uint32_t k)
{
	return item->number * 2654435761u + k;
}

static struct pimmsg_buf buf_of(uint32_t words, bool is_spaced)
{
	return (struct pimmsg_buf){
		.ptr = buffer,
		.part = { 0, words, is_spaced ? spaced : pimtype_basic(PIMTYPE_U32) },
	};
}

static void send_item(struct pimmsg_end *end, const struct item *item)
{
	struct pimmsg_buf buf = buf_of(item->words, item->spaced_there);

	for (uint32_t k = 0; k < item->words; k++)
		buffer[item->spaced_there ? 2 * k : k] = word_of(item, k);
	pair_ok(pimmsg_send(end, &buf, 1, item->tag));
}

static void check_item(const struct item *item)
{
	const uint32_t step = item->spaced_here ? 2 : 1;

	for (uint32_t w = 0; w < sizeof(buffer) / sizeof(*buffer); w++) {
		bool of_it = w % step == 0 && w / step < item->words;

		pair_expect(buffer[w] == (of_it ? word_of(item, w / step) : GAP));
	}
}

static void receive_item(struct pimmsg_end *end, struct rng *rng, const struct item *item,
			 bool is_first)
{
	struct pimmsg_buf buf = buf_of(item->words + item->more, item->spaced_here);
	int from = rng_chance(rng, 50) ? PIMMSG_ANY_SOURCE : 0;
	int tag = is_first && rng_chance(rng, 50) ? PIMMSG_ANY_TAG : item->tag;
	struct pimmsg_status status;

	memset(buffer, GAP & 0xff, sizeof(buffer));
	pair_ok(pimmsg_recv(end, &buf, from, tag, &status));
	pair_expect(status.source == 0 && status.tag == item->tag);
	pair_expect(!status.error && status.bytes == 4 * item->words);
	check_item(item);
}

/* the first one of a tag that some have */
static void receive_any(struct pimmsg_end *end, struct rng *rng, struct left *left)
{
	int tag = left->items[rng_below(rng, left->n)].tag;
	uint32_t i = 0;

	while (left->items[i].tag != tag)
		i++;
	receive_item(end, rng, &left->items[i], i == 0);
	left->n--;
	memmove(left->items + i, left->items + i + 1, (left->n - i) * sizeof(*left->items));
}

static void draw(struct rng *rng, uint32_t number, struct item *item)
{
	*item = (struct item){
		.number = number,
		.tag = (int)rng_below(rng, TAGS),
		.words = (uint32_t)rng_below(rng, rng_chance(rng, 50) ? 10 : WORDS),
		.more = rng_chance(rng, 30) ? (uint32_t)rng_below(rng, 8) : 0,
		.spaced_there = rng_chance(rng, 50),
		.spaced_here = rng_chance(rng, 50),
	};
}

/* each was counted where it went, and where it was received */
static void check_counts(struct pimmsg_end *end, uint32_t number)
{
	struct pimmsg_stats stats;

	pair_ok(pimmsg_stats(end, &stats));
	if (pair_rank)
		pair_expect(stats.receives == number &&
			    stats.posted + stats.unexpected == number);
	else
		pair_expect(stats.sends == number && stats.eager == number);
}

static void process(int socket, const void *arg)
{
	struct pimmsg_end *end = pair_join(socket, NULL);
	struct rng rng = { seed }, own = { seed + 1 };
	struct left left = { .n = 0 };
	uint32_t number = 0;

	(void)arg;
	/* a message that goes to another's receive is waited for */
	alarm(60);
	pair_ok(pimtype_resized(pimtype_basic(PIMTYPE_U32), 0, 8, &spaced));
	for (uint32_t round = 0; round < ROUNDS; round++) {
		uint32_t n = 1 + (uint32_t)rng_below(&rng, MOST);

		for (uint32_t i = 0; i < n; i++) {
			draw(&rng, number++, &left.items[left.n]);
			if (!pair_rank)
				send_item(end, &left.items[left.n]);
			left.n += pair_rank;
		}
		if (!pair_rank) {
			tell(sent);
			wait_until_told(received);
			continue;
		}
		wait_until_told(sent);
		while (left.n > (round + 1 < ROUNDS ? rng_below(&own, MOST_LEFT + 1) : 0))
			receive_any(end, &own, &left);
		tell(received);
	}
	check_counts(end, number);
	pimtype_free(spaced);
	pimmsg_close(end);
}

static void waited_for(void **state)
{
	(void)state;
	printf("# seed %llu\n", (unsigned long long)seed);
	assert_int_equal(pipe(sent), 0);
	assert_int_equal(pipe(received), 0);
	pair_run(SOCK_STREAM, process, process, NULL);
	for (int i = 0; i < 2; i++) {
		close(sent[i]);
		close(received[i]);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(waited_for),
};

UNIT_MAIN(tests)
