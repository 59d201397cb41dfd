// SPDX-License-Identifier: MIT
/*
 * FALCON-X's designs: who copies how many bytes of a long message between two processes, by
 * which way, and what is told of its layout for that.
 */
#include "collectives/messages/pair/pair_phases.h"
#include "tests/unit/collectives/pair_shapes.h"

/* of all its runs as a list, and what a message of 4 turns takes */
#define LIST_BYTES	(BLOCKS * sizeof(struct pair_run))
#define TIMES		4u

struct design {
	const char *name;
	bool packs;		/* and copies nothing */
	bool every_time;	/* a list is told for each message */
	bool lists;		/* and once, where not each time */
};

static const struct design designs[] = {
	{ "shm", .packs = true },
	{ "naive", .every_time = true, .lists = true },
	{ "pipeline", .every_time = true, .lists = true },
	{ "exchange", .lists = true },
	{ .name = "memo" },
};

struct tried {
	const struct design *design;
	enum shape from, to;
	bool mapped;
};

/* what a layout takes: a list's entries, or words of loops; odd ones have no loop */
static uint64_t told_bytes(const struct tried *t)
{
	if (t->design->packs || t->from == RUN)
		return 0;
	if (t->design->lists)
		return t->from == WIDE ? LIST_BYTES / 4 : LIST_BYTES;
	return t->from == ODD ? (3 + BLOCKS) * 8 : 5 * 8;
}

static void design_sent(const struct tried *t, const struct pimmsg_stats *own)
{
	const uint64_t often = t->design->every_time ? TIMES : 1;
	const uint64_t told = told_bytes(t);

	pair_expect(!own->mapped_bytes && !own->cma_bytes && !own->packed_bytes);
	pair_expect(own->layouts_sent == (told ? often : 0));
	pair_expect(own->layout_bytes == told * often);
}

/* all is the receiver's to do */
static void design_received(const struct tried *t, const struct pimmsg_stats *own)
{
	const uint64_t all = TIMES * BYTES, copied = t->design->packs ? 0 : all;
	const bool kernel = !own->cma_error;

	pair_expect(own->mapped_bytes == (t->mapped ? copied : 0));
	pair_expect(own->cma_bytes == (!t->mapped && kernel ? copied : 0));
	pair_expect(own->packed_bytes == all - own->mapped_bytes - own->cma_bytes);
	pair_expect(!own->layouts_sent && !own->layouts_asked);
}

static void design_process(int socket, const void *arg)
{
	const struct tried *t = arg;
	struct pimmsg_stats stats;
	struct pimmsg_end *end;
	struct buffer b;

	setenv("PIMDIMM_ZEROCOPY", t->design->name, 1);
	end = pair_join(socket, NULL);
	for (unsigned int i = 0; i < TIMES; i++) {
		b = buffer_of(end, pair_rank ? t->to : t->from, !pair_rank && t->mapped);
		one_way(end, &b, i);
		buffer_free(end, &b);
	}
	stats = stats_of(end);
	if (pair_rank)
		design_received(t, &stats);
	else
		design_sent(t, &stats);
	pair_ok(pimmsg_barrier(end));
	pimmsg_close(end);
}

static void each_design(void **state)
{
	(void)state;
	for (unsigned int d = 0; d < ARRAY_SIZE(designs); d++) {
		for (unsigned int i = 0; i < SHAPES * SHAPES * 2; i++) {
			const struct tried t = { &designs[d], (enum shape)(i / 2 / SHAPES),
						 (enum shape)(i / 2 % SHAPES), i % 2 };

			pair_run(SOCK_STREAM, design_process, design_process, &t);
		}
	}
}

/* what the receiver has dropped is asked for again, of lists as well */
static void dropped_process(int socket, const void *arg)
{
	struct pimmsg_end *end;
	struct pimmsg_stats own;

	setenv("PIMDIMM_ZEROCOPY", *(const char *const *)arg, 1);
	setenv("PIMDIMM_LAYOUTS", pair_rank ? "1" : "1024", 1);
	end = pair_join(socket, NULL);
	for (unsigned int i = 0; i < 10; i++) {
		struct buffer b = buffer_of(end, pair_rank ? WIDE : i % 2 ? EVEN : ODD, true);

		one_way(end, &b, i);
		buffer_free(end, &b);
	}
	own = stats_of(end);
	pair_expect(own.layouts_sent == (pair_rank ? 0 : 10));
	pair_expect(own.layouts_asked == (pair_rank ? 8 : 0));
	pair_expect(own.mapped_bytes == (pair_rank ? 10 * BYTES : 0) && !own.packed_bytes);
	pair_ok(pimmsg_barrier(end));
	pimmsg_close(end);
}

static void dropped(void **state)
{
	static const char *const names[] = { "exchange", "memo" };

	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++)
		pair_run(SOCK_SEQPACKET, dropped_process, dropped_process, &names[i]);
}

#define LISTS	(1u << PAIR_PHASE_LISTS)
#define TELLS	(1u << PAIR_PHASE_TELLS)
#define PLACES	(1u << PAIR_PHASE_PLACES)
#define COPIES	(1u << PAIR_PHASE_COPIES)

/* what the sender and the receiver are at, of a first message and of others */
static const struct phased {
	const char *design;
	unsigned int first[2], others[2];
} phased[] = {
	{ "shm", { COPIES, PLACES | COPIES }, { COPIES, PLACES | COPIES } },
	{ "naive", { LISTS | TELLS, TELLS | PLACES | COPIES },
	  { LISTS | TELLS, TELLS | PLACES | COPIES } },
	{ "exchange", { LISTS | TELLS, TELLS | PLACES | COPIES }, { LISTS, PLACES | COPIES } },
	{ "memo", { LISTS | TELLS, LISTS | TELLS | PLACES | COPIES },
	  { LISTS, LISTS | PLACES | COPIES } },
};

/* moments follow each other, each begins another phase, and all phases end */
static unsigned int phases_of(struct pimmsg_end *end)
{
	struct pair_phases *all = pm_pair_phases_end(end);
	unsigned int seen = 0;

	pair_expect(!all->full && all->nr && all->now == PAIR_PHASE_REST);
	pair_expect(all->moments[all->nr - 1].phase == PAIR_PHASE_REST);
	for (uint32_t i = 0; i < all->nr; i++) {
		const struct pair_moment *m = &all->moments[i];

		seen |= m->phase == PAIR_PHASE_REST ? 0 : 1u << m->phase;
		pair_expect(i ? m->ns >= m[-1].ns && m->phase != m[-1].phase : m->phase != 0);
	}
	free(all);
	return seen;
}

static void phased_process(int socket, const void *arg)
{
	const struct phased *as = arg;
	struct pimmsg_end *end;

	setenv("PIMDIMM_ZEROCOPY", as->design, 1);
	end = pair_join(socket, NULL);
	for (unsigned int i = 0; i < 3; i++) {
		struct buffer b = buffer_of(end, EVEN, true);

		pair_ok(pm_pair_phases_begin(end));
		/* nothing is sent before, and what this copies does not count */
		pair_ok(pimmsg_barrier(end));
		one_way(end, &b, i);
		pair_expect((phases_of(end) | COPIES) ==
			    ((i ? as->others : as->first)[pair_rank] | COPIES));
		buffer_free(end, &b);
	}
	/* what nobody asks for any more is the end's to free */
	pair_ok(pm_pair_phases_begin(end));
	pair_ok(pimmsg_barrier(end));
	pimmsg_close(end);
}

static void phases(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(phased); i++)
		pair_run(SOCK_STREAM, phased_process, phased_process, &phased[i]);
}

/* runs that lie elsewhere, overlap the end, are none or too many */
struct list_lie {
	struct pair_run runs[2];
	uint32_t bytes;
	uint64_t at;
};

static const struct list_lie list_lies[] = {
	{ { { 0, 0 } }, 16, 0 },
	{ { { 0, BYTES + 1 } }, 16, 0 },
	{ { { 0, 8 } }, 8, 0 },
	{ { { 0, 8 } }, 16, 8 },
	{ { { -4097, 8 } }, 16, 0 },
	{ { { 0, 8 }, { INT64_MAX, 8 } }, 32, 0 },
	{ { { 0, 8 }, { 1 << 20, UINT64_MAX } }, 32, 0 },
	{ { { (1 << 20) - 4096 - 7, 8 } }, 16, 0 },
};

static void list_liar(int socket, const void *arg)
{
	struct pimmsg_end *end;
	const struct list_lie *lie = arg;
	struct pair_place place = { .where = PAIR_MAPPED, .segment = 1, .at = 4096,
				    .layout = PAIR_LISTED };
	struct pair_head head = { .kind = PAIR_PARCEL, .frame = { .kind = ME_ENVELOPE, .bytes = BYTES } };
	struct pair_head list = { .kind = PAIR_RUNS, .bytes = lie->bytes, .at = lie->at };
	struct pair *p;
	void *ptr;

	setenv("PIMDIMM_ZEROCOPY", "pipeline", 1);
	end = pair_join(socket, NULL);
	p = (struct pair *)end->world;
	pair_ok(pimmsg_alloc(end, 1 << 20, &ptr));
	memcpy(head.frame.there, &place, sizeof(place));
	pair_expect(pm_pair_reserve(p, 0));
	pm_pair_commit(p, &head);
	memcpy(pm_pair_reserve(p, lie->bytes), lie->runs, lie->bytes);
	pm_pair_ring_bell(p);
	/* as soon as it is asked for */
	while (!atomic_load(&p->theirs->written))
		;
	pm_pair_commit(p, &list);
	pm_pair_ring_bell(p);
	while (!pm_pair_sleep(p->pidfd, -1, 100))
		;
}

static void list_lied_to(int socket, const void *arg)
{
	struct pimmsg_end *end;
	struct buffer b;

	(void)arg;
	setenv("PIMDIMM_ZEROCOPY", "pipeline", 1);
	end = pair_join(socket, NULL);
	b = buffer_of(end, EVEN, false);
	pair_refused(pimmsg_recv(end, &b.buf, 0, 0, NULL), EBADMSG, "makes no sense");
	pimmsg_close(end);
}

static void forged_lists(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(list_lies); i++)
		pair_run(SOCK_STREAM, list_liar, list_lied_to, &list_lies[i]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_design),
	cmocka_unit_test(dropped),
	cmocka_unit_test(phases),
	cmocka_unit_test(forged_lists),
};

UNIT_MAIN(tests)
