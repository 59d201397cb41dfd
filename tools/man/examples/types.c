// SPDX-License-Identifier: MIT
/*
 * Examples of the manual pages of <pimdimm/types.h>, as in pimdimm.c: types of a matrix of
 * doubles with 8 rows of 16 columns.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pimdimm/types.h>

static void check(int ret)
{
	if (ret < 0) {
		fprintf(stderr, "%s\n", pimdimm_errmsg());
		exit(EXIT_FAILURE);
	}
}

static double matrix[8][16], other[8][16], column[8];

static void vectors(void)
{
	/* example of pimtype_vector, pimtype_free, pimtype_copy, pimtype_part: A column of a
	 * matrix becomes the row of another one */
	const struct pimtype *f64 = pimtype_basic(PIMTYPE_F64);
	struct pimtype *down;

	check(pimtype_vector(8, 1, 16, f64, &down));
	check(pimtype_copy(&other[3], (struct pimtype_part){ 0, 8, f64 },
			   &matrix[0][5], (struct pimtype_part){ 0, 1, down }));
	pimtype_free(down);
	/* end of example */
}

static void streams(void)
{
	/* example of pimtype_pack, pimtype_unpack: A column packed in two steps, and put back */
	struct pimtype *down;
	struct pimtype_part part = { .count = 1 };
	size_t begin = 20, rest = 1000;

	check(pimtype_vector(8, 1, 16, pimtype_basic(PIMTYPE_F64), &down));
	part.type = down;
	check(pimtype_pack(matrix, part, 0, column, &begin));
	check(pimtype_pack(matrix, part, begin, (char *)column + begin, &rest));
	check(pimtype_unpack(matrix, part, 0, column, begin + rest));	/* 64 */
	pimtype_free(down);
	/* end of example */
}

static void lists(void)
{
	struct pimtype *type;

	/* example of pimtype_indexed, pimtype_hindexed, pimtype_indexed_block,
	 * pimtype_hindexed_block: Some elements of an array, by number or by byte */
	const uint64_t lengths[] = { 2, 1 };
	const int64_t numbers[] = { 9, 4 }, bytes[] = { 72, 32 };

	check(pimtype_indexed(2, lengths, numbers, pimtype_basic(PIMTYPE_F64), &type));
	pimtype_free(type);
	check(pimtype_hindexed(2, lengths, bytes, pimtype_basic(PIMTYPE_F64), &type));
	pimtype_free(type);
	check(pimtype_indexed_block(2, 1, numbers, pimtype_basic(PIMTYPE_F64), &type));
	pimtype_free(type);
	check(pimtype_hindexed_block(2, 1, bytes, pimtype_basic(PIMTYPE_F64), &type));
	pimtype_free(type);
	/* end of example */
}

/* example of pimtype_struct, pimtype_resized, pimtype_basic: The mass and the place of
 * particles, without what else they have */
struct particle {
	float mass;
	uint32_t flags;
	double place[3];
};

static struct pimtype *particles(void)
{
	const struct pimtype *const olds[] = { pimtype_basic(PIMTYPE_F32),
					       pimtype_basic(PIMTYPE_F64) };
	const int64_t at[] = { offsetof(struct particle, mass),
			       offsetof(struct particle, place) };
	struct pimtype *members, *type;

	check(pimtype_struct(2, (const uint64_t[]){ 1, 3 }, at, olds, &members));
	check(pimtype_resized(members, 0, sizeof(struct particle), &type));
	pimtype_free(members);
	return type;
}
/* end of example */

static void arrays(void)
{
	struct pimtype *type;

	/* example of pimtype_subarray, pimtype_order: Columns 4 to 7 of rows 1 to 6 */
	const uint64_t sizes[] = { 8, 16 }, box[] = { 6, 4 }, starts[] = { 1, 4 };

	check(pimtype_subarray(2, sizes, box, starts, PIMTYPE_ORDER_C,
			       pimtype_basic(PIMTYPE_F64), &type));
	pimtype_free(type);
	/* end of example */
	/* example of pimtype_darray, pimtype_distribution: What process 2 of 4 has of a matrix
	 * whose columns are dealt out in turn */
	const enum pimtype_distribution deal[] = { PIMTYPE_DISTRIBUTE_NONE,
						   PIMTYPE_DISTRIBUTE_CYCLIC };
	const uint64_t gsizes[] = { 8, 16 }, processes[] = { 1, 4 };
	const uint64_t usual[] = { PIMTYPE_DISTRIBUTE_DARG,
				   PIMTYPE_DISTRIBUTE_DARG };

	check(pimtype_darray(4, 2, 2, gsizes, deal, usual, processes,
			     PIMTYPE_ORDER_C, pimtype_basic(PIMTYPE_F64), &type));
	pimtype_free(type);
	/* end of example */
}

static void describe(void)
{
	/* example of pimtype_hvector, pimtype_contiguous, pimtype_dup, pimtype_info,
	 * pimtype_describe, pimtype_pieces, pimtype_piece: What a type is */
	struct pimtype *pair, *type, *same;
	struct pimtype_info info;
	struct pimtype_piece pieces[4];
	size_t nr = 4;
	char text[80];

	check(pimtype_contiguous(2, pimtype_basic(PIMTYPE_F32), &pair));
	check(pimtype_hvector(3, 1, 12, pair, &type));
	check(pimtype_dup(type, &same));
	check(pimtype_info(same, &info));		/* size 24, extent 32 */
	check(pimtype_describe(same, text, sizeof(text)));
	puts(text);					/* 3*12:[8] lb 0 extent 32 */
	check(pimtype_pieces((struct pimtype_part){ 0, 1, same }, 0, pieces, &nr));
	for (size_t i = 0; i < nr; i++)			/* 8 at 0, 12, 24 */
		printf("%llu at %lld\n", (unsigned long long)pieces[i].bytes,
		       (long long)pieces[i].offset);
	pimtype_free(pair);
	pimtype_free(type);
	pimtype_free(same);
	/* end of example */
}

static void transfers(struct pimdimm *sys)
{
	/* example of pimtype_push, pimtype_pull, pimtype_move: A column of a matrix into every
	 * other number of 8 PEs' MRAM, from each to the next, and back as a row */
	const void *from[8];
	void *to[8];
	struct pimtype *down, *sparse;
	struct pimtype_part column_of, in_mram, there;
	struct pimtype_move moves[8];

	check(pimtype_vector(8, 1, 16, pimtype_basic(PIMTYPE_F64), &down));
	check(pimtype_vector(8, 1, 2, pimtype_basic(PIMTYPE_F64), &sparse));
	column_of = (struct pimtype_part){ 0, 1, down };
	in_mram = (struct pimtype_part){ 1024, 1, sparse };
	there = (struct pimtype_part){ 4096, 1, sparse };
	for (uint32_t pe = 0; pe < 8; pe++) {
		from[pe] = &matrix[0][pe];
		to[pe] = other[pe];
		moves[pe] = (struct pimtype_move){ pe, (pe + 1) % 8, in_mram, there };
	}
	check(pimtype_push(sys, 0, 8, in_mram, from, column_of));
	check(pimtype_move(sys, 8, moves));
	check(pimtype_pull(sys, 0, 8, there, to, (struct pimtype_part){
		0, 8, pimtype_basic(PIMTYPE_F64) }));
	pimtype_free(down);
	pimtype_free(sparse);
	/* end of example */
}

static void stats(void)
{
	/* example of pimtype_stats: How many copies found their layout */
	struct pimtype_stats stats;

	check(pimtype_stats(&stats));
	printf("%llu of %llu\n", (unsigned long long)stats.hits,
	       (unsigned long long)(stats.hits + stats.misses));
	/* end of example */
}

int main(void)
{
	struct pimdimm *sys;

	check(pimdimm_open("mem:ranks=1,mram=64K", &sys));
	transfers(sys);
	pimdimm_close(sys);
	vectors();
	streams();
	lists();
	pimtype_free(particles());
	arrays();
	describe();
	stats();
	return EXIT_SUCCESS;
}
