// SPDX-License-Identifier: MIT
/*
 * Typed transfers: random types pushed, pulled and moved between PEs, on both layouts and
 * every tier, beside a plain copy of all MRAM. Whatever is not of a part keeps its bytes.
 * With TYPED_ON_DEV they are between ranks of the module.
 */
#include "runtime/simd/isa.h"

#include <pimdimm/types.h>

#include "tests/unit/unit.h"

#define MRAM	0x10000u
#define NR_PES	128u
#define BUFFER	20000u
#define PLACES	9000u	/* bytes of a part at most */

static struct rng rng;
static uint8_t *model[NR_PES], *bufs[NR_PES], *shadow[NR_PES], *seen;

/* a part: runs that keep apart, in random order if asked; as a type, and as places */
struct layout {
	struct pimtype *type;
	struct pimtype_part part;
	uint32_t at[PLACES];
	uint32_t n;
};

static void layout_made(struct layout *l, uint64_t room)
{
	struct pimtype_piece piece;
	uint64_t at = 0;

	l->n = 0;
	l->part.type = l->type;
	l->part.count = 1;
	l->part.offset = (int64_t)room;
	for (;;) {
		size_t nr = 1;

		assert_ok(pimtype_pieces(l->part, at, &piece, &nr));
		if (!nr)
			break;
		for (uint64_t i = 0; i < piece.bytes; i++)
			l->at[l->n++] = (uint32_t)piece.offset + (uint32_t)i;
		at += piece.bytes;
	}
}

/* n runs of len bytes, in all n * len; evenly spaced, listed, or one */
static void layout_of(struct layout *l, uint32_t bytes, uint32_t len,
		      uint64_t room)
{
	const struct pimtype *byte = pimtype_basic(PIMTYPE_BYTE);
	uint32_t n = bytes / len, gap = (uint32_t)rng_below(&rng, 24);
	int64_t displs[PLACES], step = (int64_t)len + gap;
	/* 8-byte words and odd ones */
	uint64_t begin = rng_chance(&rng, 50) ? 8 * rng_below(&rng, 9) :
						rng_below(&rng, 70);

	if (rng_chance(&rng, 40))
		step = (step + 7) / 8 * 8;
	while ((uint64_t)n * (uint64_t)step + begin > room)
		step = len;
	switch (rng_below(&rng, 4)) {
	case 0:
		assert_ok(pimtype_contiguous(bytes, byte, &l->type));
		break;
	case 1:
		for (uint32_t i = 0; i < n; i++)
			displs[i] = (int64_t)((i + n / 3) % n) * step;
		assert_ok(pimtype_hindexed_block(n, len, displs, byte, &l->type));
		break;
	case 2:
		/* backwards */
		assert_ok(pimtype_hvector(n, len, -step, byte, &l->type));
		begin += (uint64_t)(n - 1) * (uint64_t)step;
		break;
	default:
		assert_ok(pimtype_hvector(n, len, step, byte, &l->type));
		break;
	}
	layout_made(l, begin);
}

static uint32_t random_bytes(uint32_t *len)
{
	static const uint32_t lens[] = { 1, 3, 4, 8, 8, 16, 24, 64, 100, 128, 512 };
	uint32_t n;

	*len = lens[rng_below(&rng, ARRAY_SIZE(lens))];
	n = 1 + (uint32_t)rng_below(&rng, 5000 / *len + 1);
	if (n > 300 && *len < 8)
		n = 300;
	return n * *len;
}

static void random_pair(struct layout *a, struct layout *b)
{
	uint32_t len, bytes = random_bytes(&len);

	layout_of(a, bytes, len, BUFFER - 500);
	/* the other one is cut elsewhere, where that goes */
	if (rng_chance(&rng, 30))
		len = bytes % 12 ? len : 12;
	layout_of(b, bytes, len, BUFFER - 500);
}

static void fill_all(struct pimdimm *sys)
{
	for (uint32_t pe = 0; pe < NR_PES; pe++) {
		rng_fill(&rng, model[pe], MRAM);
		rng_fill(&rng, bufs[pe], BUFFER);
		memcpy(shadow[pe], bufs[pe], BUFFER);
		assert_ok(pimdimm_write(sys, pe, 0, model[pe], MRAM));
	}
}

static void compare_all(struct pimdimm *sys, const char *what)
{
	for (uint32_t pe = 0; pe < NR_PES; pe++) {
		assert_ok(pimdimm_read(sys, pe, 0, seen, MRAM));
		if (!same(seen, model[pe], MRAM))
			fail_msg("%s: MRAM of PE %u", what, pe);
		if (memcmp(bufs[pe], shadow[pe], BUFFER))
			fail_msg("%s: the buffer of PE %u", what, pe);
	}
}

/* some PEs, mostly whole groups of them; some have no buffer */
static uint32_t random_pes(uint32_t *nr, void *chosen[])
{
	uint32_t first = (uint32_t)rng_below(&rng, NR_PES);
	bool whole = rng_chance(&rng, 70);

	if (whole)
		first -= first % 8;
	*nr = 1 + (uint32_t)rng_below(&rng, NR_PES - first < 40 ? NR_PES - first : 40);
	if (whole)
		*nr = (*nr + 7) / 8 * 8;
	for (uint32_t i = 0; i < *nr; i++)
		chosen[i] = whole || rng_chance(&rng, 80) ? bufs[first + i] : NULL;
	return first;
}

/* long blocks: in MRAM of whole words at words, in host memory anywhere, cut elsewhere */
static void long_pair(struct layout *mram, struct layout *host)
{
	/* of MRAM, of host memory, in all */
	static const uint32_t kinds[][3] = {
		{ 256, 2048, 4096 }, { 512, 512, 3584 }, { 2048, 256, 6144 },
		{ 1000, 600, 6000 }, { 600, 1000, 3000 }, { 1024, 1024, 7168 },
	};
	const uint32_t *kind = kinds[rng_below(&rng, ARRAY_SIZE(kinds))];
	const struct pimtype *byte = pimtype_basic(PIMTYPE_BYTE);

	assert_ok(pimtype_hvector(kind[2] / kind[0], kind[0],
				  kind[0] + 8 * (int64_t)rng_below(&rng, 40),
				  byte, &mram->type));
	assert_ok(pimtype_hvector(kind[2] / kind[1], kind[1],
				  kind[1] + (int64_t)rng_below(&rng, 70),
				  byte, &host->type));
	layout_made(mram, 8 * rng_below(&rng, 50));
	layout_made(host, rng_below(&rng, 50));
}

static void try_push_pull(struct pimdimm *sys, bool push)
{
	static struct layout mram, host;
	void *chosen[NR_PES];
	uint32_t nr, first = random_pes(&nr, chosen);

	if (rng_chance(&rng, 30))
		long_pair(&mram, &host);
	else
		random_pair(&mram, &host);
	assert_int_equal(mram.n, host.n);
	if (push)
		assert_ok(pimtype_push(sys, first, nr, mram.part,
				       (const void *const *)chosen, host.part));
	else
		assert_ok(pimtype_pull(sys, first, nr, mram.part, chosen,
				       host.part));
	for (uint32_t i = 0; i < nr; i++) {
		for (uint32_t b = 0; b < mram.n && chosen[i]; b++) {
			if (push)
				model[first + i][mram.at[b]] =
					bufs[first + i][host.at[b]];
			else
				shadow[first + i][host.at[b]] =
					model[first + i][mram.at[b]];
		}
	}
	pimtype_free(mram.type);
	pimtype_free(host.type);
	compare_all(sys, push ? "push" : "pull");
}

/* what is read lies in the lower half of MRAM, what is written in the upper one */
static void try_move(struct pimdimm *sys)
{
	static struct layout from, to;
	struct pimtype_move moves[NR_PES];
	uint32_t shift = (uint32_t)rng_below(&rng, NR_PES), mask = 0, nr = 0;

	random_pair(&from, &to);
	to.part.offset += MRAM / 2;
	if (rng_chance(&rng, 30))
		shift &= ~7u;
	if (rng_chance(&rng, 30))
		mask = (uint32_t)rng_below(&rng, NR_PES);
	for (uint32_t pe = 0; pe < NR_PES; pe++) {
		if (shift % 3 == 1 && rng_chance(&rng, 10))
			continue;
		moves[nr++] = (struct pimtype_move){
			.from_pe = (pe + shift) % NR_PES ^ mask,
			.to_pe = pe, .from = from.part, .to = to.part,
		};
	}
	assert_ok(pimtype_move(sys, nr, moves));
	for (uint32_t i = 0; i < nr; i++) {
		for (uint32_t b = 0; b < from.n; b++)
			model[moves[i].to_pe][to.at[b] + MRAM / 2] =
				model[moves[i].from_pe][from.at[b]];
	}
	pimtype_free(from.type);
	pimtype_free(to.type);
	compare_all(sys, "move");
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ROUNDS	4
#else
#define ROUNDS	12
#endif

static void each_transfer(const char *uri, const char *nt)
{
	struct pimdimm *sys;

	setenv("PIMDIMM_NT", nt, 1);
	sys = unit_open(uri);
	fill_all(sys);
	for (int i = 0; i < ROUNDS; i++) {
		try_push_pull(sys, true);
		try_push_pull(sys, false);
		try_move(sys);
	}
	pimdimm_close(sys);
	unsetenv("PIMDIMM_NT");
}

static void transfers(void **state)
{
	(void)state;
	for (int isa = 0; isa < PD_NR_ISAS; isa++) {
		if (!unit_tier(pd_isa_name((enum pd_isa)isa)))
			continue;
		if (!pd_isa_runs((enum pd_isa)isa)) {
			printf("# this CPU has no %s\n",
			       pd_isa_name((enum pd_isa)isa));
			continue;
		}
		setenv("PIMDIMM_ISA", pd_isa_name((enum pd_isa)isa), 1);
		for (size_t i = 0; i < ARRAY_SIZE(unit_uris); i++) {
			const char *uri = unit_uri(unit_uris, i, "dev:");

			if (!uri)
				continue;
			each_transfer(uri, "auto");
			each_transfer(uri, "always");
		}
	}
	unsetenv("PIMDIMM_ISA");
}

static void refused(void **state)
{
	struct pimdimm *sys = unit_open(unit_uri(unit_uris, 0, "dev:"));
	const struct pimtype *byte = pimtype_basic(PIMTYPE_BYTE);
	const struct pimtype_part eight = { 0, 8, byte }, nine = { 0, 9, byte };
	const struct pimtype_part doubles = { 0, 1, pimtype_basic(PIMTYPE_F64) };
	const void *const from[] = { bufs[0] };
	void *const to[] = { bufs[0] };
	struct pimtype_move move = { 0, 1, eight, eight };
	struct pimtype *twice;

	(void)state;
	assert_ok(pimtype_hvector(2, 4, 3, byte, &twice));
	assert_refused(pimtype_push(NULL, 0, 1, eight, from, eight), EINVAL, "sys");
	assert_refused(pimtype_push(sys, 0, 129, eight, from, eight), EINVAL,
		       "nr_pes=129");
	assert_refused(pimtype_push(sys, 0, 1, eight, NULL, eight), EINVAL, "bufs");
	assert_refused(pimtype_push(sys, 0, 1, eight, from, nine), EMSGSIZE,
		       "host has 9");
	assert_refused(pimtype_pull(sys, 0, 1, doubles, to, eight), EPROTO,
		       "signature");
	assert_refused(pimtype_push(sys, 0, 1, (struct pimtype_part){ 0, 1, twice },
				    from, eight), EINVAL, "more than once");
	assert_refused(pimtype_push(sys, 0, 1,
				    (struct pimtype_part){ MRAM - 7, 8, byte },
				    from, eight), EINVAL, "in the MRAM");
	assert_refused(pimtype_pull(sys, 0, 1, (struct pimtype_part){ -1, 8, byte },
				    to, eight), EINVAL, "in the MRAM");
	assert_refused(pimtype_move(sys, 1, NULL), EINVAL, "moves");
	move.to_pe = NR_PES;
	assert_refused(pimtype_move(sys, 1, &move), EINVAL, "to_pe=128");
	move.to_pe = 1;
	move.from = nine;
	assert_refused(pimtype_move(sys, 1, &move), EMSGSIZE, "from has 9");
	move.from = doubles;
	assert_refused(pimtype_move(sys, 1, &move), EPROTO, "signature");
	/* nothing to do */
	assert_ok(pimtype_move(sys, 0, NULL));
	assert_ok(pimtype_push(sys, 0, 0, eight, from, eight));
	assert_ok(pimtype_push(sys, 0, 1, eight, from,
			       (struct pimtype_part){ 0, 0, NULL }));
	pimtype_free(twice);
	pimdimm_close(sys);
}

static int setup(void **state)
{
	(void)state;
	rng = (struct rng){ 5 };
	seen = need(malloc(MRAM));
	for (uint32_t pe = 0; pe < NR_PES; pe++) {
		model[pe] = need(malloc(MRAM));
		bufs[pe] = need(malloc(BUFFER));
		shadow[pe] = need(malloc(BUFFER));
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(seen);
	for (uint32_t pe = 0; pe < NR_PES; pe++) {
		free(model[pe]);
		free(bufs[pe]);
		free(shadow[pe]);
	}
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transfers),
		cmocka_unit_test(refused),
	};

	unit_start();
	return cmocka_run_group_tests(tests, setup, teardown);
}
