// SPDX-License-Identifier: MIT
/*
 * Long messages between two processes from and to MRAM: whose window the other one maps they
 * are copied once, by either end; and windows that are none.
 */
#include <fcntl.h>
#include <sys/mman.h>

#include <pimdimm/pimdimm_layout.h>

#include "tests/unit/collectives/pair_shapes.h"

#define AT	4104	/* of a buffer in MRAM: in no page's begin */

struct system {
	const char *uri;
	uint32_t pe;
	bool kept;	/* its owner moves all that touches it */
};

static const struct system systems[] = {
	{ "mem:ranks=2,mram=1M", 77, false },
	{ "mem:ranks=2,mram=1M,layout=xeon_sp", 5, false },
	{ "mem:ranks=2,mram=1M,strict=1", 64, true },
	{ "mem:ranks=2,mram=1M,inject=delay_us:1@0", 64, true },
};

/* where a buffer of rank 0 is; that of rank 1 is in MRAM */
enum where {
	IN_MAPPED,
	IN_PRIVATE,
	IN_MRAM,
	WHERES,
};

struct moved {
	const struct system *system;
	enum where where;
	bool memo;	/* only receivers copy */
};

static void mram_put(struct pimdimm *sys, uint32_t pe, const struct buffer *b)
{
	pair_ok(pimdimm_write(sys, pe, AT, b->at, b->room));
}

static void mram_get(struct pimdimm *sys, uint32_t pe, const struct buffer *b)
{
	pair_ok(pimdimm_read(sys, pe, AT, b->at, b->room));
}

static struct pimmsg_buf mram_of(const struct buffer *b, uint32_t pe)
{
	return (struct pimmsg_buf){
		.pe = pe, .part = { AT + b->buf.part.offset, 1, b->type },
	};
}

/* there from rank 0, or back: `b` is the buffer, or an image of MRAM */
static void move(struct pimmsg_end *end, struct pimdimm *sys, const struct system *s,
		 struct buffer *b, bool mram, bool sends, uint64_t seed)
{
	const struct pimmsg_buf buf = mram ? mram_of(b, s->pe) : b->buf;

	memset(b->at, 0xee, b->room);
	if (sends)
		buffer_fill(b, seed);
	if (mram)
		mram_put(sys, s->pe, b);
	if (sends) {
		pair_ok(pimmsg_send(end, &buf, 1 - pair_rank, 0));
		return;
	}
	pair_ok(pimmsg_recv(end, &buf, 1 - pair_rank, 0, NULL));
	if (mram)
		mram_get(sys, s->pe, b);
	buffer_check(b, seed);
}

/* bytes of a message that nobody copies but through shared memory */
static uint64_t packed_of(const struct moved *m, bool there)
{
	/* MRAM that its owner alone moves, to or from what is not mapped */
	if (m->system->kept && m->where != IN_MAPPED)
		return BYTES;
	/* the receiver would have to reach private memory out of MRAM, or MRAM that is kept */
	if (m->memo && ((there && m->where == IN_PRIVATE) ||
			(!there && m->system->kept)))
		return BYTES;
	return 0;
}

static void move_process(int socket, const void *arg)
{
	const struct moved *m = arg;
	const bool mram = pair_rank || m->where == IN_MRAM;
	struct pimmsg_stats own, other;
	struct pimmsg_end *end;
	struct pimdimm *sys;
	uint64_t packed = 0;

	setenv("PIMDIMM_ZEROCOPY", m->memo ? "memo" : "auto", 1);
	pair_ok(pimdimm_open(m->system->uri, &sys));
	end = pair_join(socket, sys);
	for (unsigned int i = 0; i < SHAPES * SHAPES; i++) {
		const enum shape shape = pair_rank ? i % SHAPES : i / SHAPES;
		struct buffer b = buffer_of(end, shape, !mram && m->where == IN_MAPPED);

		move(end, sys, m->system, &b, mram, !pair_rank, i);
		move(end, sys, m->system, &b, mram, pair_rank, i + 1000);
		packed += packed_of(m, true) + packed_of(m, false);
		buffer_free(end, &b);
	}
	own = both_stats(end, &other);
	pair_expect(own.packed_bytes + other.packed_bytes == packed);
	pair_expect(own.mapped_bytes + other.mapped_bytes ==
		    2 * SHAPES * SHAPES * BYTES - packed);
	if (pair_rank && m->system->kept)
		pair_expect(!other.mapped_bytes);
	pimmsg_close(end);
	pimdimm_close(sys);
}

static void moves(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(systems) * WHERES * 2; i++) {
		const struct moved m = { &systems[i / 2 / WHERES], (enum where)(i / 2 % WHERES),
					 i % 2 };

		pair_run(SOCK_STREAM, move_process, move_process, &m);
	}
}

/* out of a window a message of 8 KiB waits for its receive, where its owner keeps it does not */
static void short_process(int socket, const void *arg)
{
	const struct system *s = arg;
	const struct pimtype *byte = pimtype_basic(PIMTYPE_BYTE);
	struct pimmsg_buf buf = { .pe = s->pe, .part = { AT, 8192, byte } };
	struct pimmsg_stats stats;
	struct pimmsg_end *end;
	struct pimdimm *sys;

	pair_ok(pimdimm_open(s->uri, &sys));
	end = pair_join(socket, sys);
	pair_ok(pair_rank ? pimmsg_recv(end, &buf, 0, 0, NULL) : pimmsg_send(end, &buf, 1, 0));
	stats = stats_of(end);
	pair_expect(stats.rendezvous == (!pair_rank && !s->kept));
	pair_expect(stats.eager == (!pair_rank && s->kept));
	pimmsg_close(end);
	pimdimm_close(sys);
}

static void short_ones(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(systems); i++)
		pair_run(SOCK_STREAM, short_process, short_process, &systems[i]);
}

/* what is no rank's window, and what is not in one */
struct lie {
	struct pair_note note;
	struct pair_place place;
};

#define A_NOTE	{ .magic = PAIR_MAGIC, .version = PAIR_VERSION, .kind = PAIR_RANK, \
		  .bytes = 64ull << 20, .number = 77, .pool = 1 << 20 }
#define A_PLACE	{ .where = PAIR_WINDOW, .segment = 77 }

static struct lie lie_of(unsigned int which)
{
	struct lie lie = { A_NOTE, A_PLACE };

	switch (which) {
	case 0:
		lie.note.rank = PIMDIMM_NR_LAYOUTS;
		break;
	case 1:
		lie.note.pool *= 2;
		break;
	case 2:
		lie.note.pool = 0;
		lie.note.bytes = 0;
		break;
	case 3:
		lie.place.pe = PIMDIMM_RANK_PES;
		break;
	case 4:
		lie.place.at = (1 << 20) - BYTES + 1;
		break;
	case 5:
		lie.place.at = UINT64_MAX - 8;
		break;
	default:
		/* a window as memory, in which the end is elsewhere */
		lie.place.where = PAIR_MAPPED;
		break;
	}
	return lie;
}

#define LIES	7u

static void liar(int socket, const void *arg)
{
	struct pimmsg_end *end = pair_join(socket, NULL);
	struct pair *p = (struct pair *)end->world;
	const struct lie lie = lie_of(*(const unsigned int *)arg);
	struct pair_head head = { .kind = PAIR_PARCEL, .frame = { .kind = ME_ENVELOPE, .bytes = BYTES } };
	int fd = memfd_create("pimdimm-lie", MFD_ALLOW_SEALING);

	pair_ok(ftruncate(fd, 64 << 20));
	pair_ok(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK));
	pair_ok(pm_pair_note_send(p->socket, &lie.note, fd));
	memcpy(head.frame.there, &lie.place, sizeof(lie.place));
	pair_expect(pm_pair_reserve(p, 0));
	pm_pair_commit(p, &head);
	pm_pair_ring_bell(p);
	while (!pm_pair_sleep(p->pidfd, -1, 100))
		;
}

static void lied_to(int socket, const void *arg)
{
	struct pimmsg_end *end = pair_join(socket, NULL);
	struct buffer b = buffer_of(end, EVEN, false);

	(void)arg;
	pair_refused(pimmsg_recv(end, &b.buf, 0, 0, NULL), EBADMSG, "makes no sense");
	pimmsg_close(end);
}

static void lies(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < LIES; i++)
		pair_run(SOCK_STREAM, liar, lied_to, &i);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(moves),
	cmocka_unit_test(short_ones),
	cmocka_unit_test(lies),
};

UNIT_MAIN(tests)
