// SPDX-License-Identifier: MIT
/*
 * Derived datatypes against their typemaps, walked naively, by Pack, Unpack and messages;
 * halos of a grid whose columns are vectors.
 * mpi: ranks=4 stack=4096
 */
#include <stddef.h>
#include <string.h>

#include "check.h"

#define WORLD	MPI_COMM_WORLD
#define BYTES	2048
#define ORIGIN	512

static unsigned char image[BYTES], got[BYTES], packed[BYTES], expected[BYTES];
/* the places of a type's bytes, in its order */
static int16_t map[BYTES];
static int nr;

static void map_run(int at, int bytes)
{
	for (int i = 0; i < bytes; i++)
		map[nr++] = (int16_t)(at + i);
}

static void check_extent(MPI_Datatype type, long lb, long extent)
{
	MPI_Aint is_lb, is_extent;
	int n;

	MPI_Type_get_extent(type, &is_lb, &is_extent);
	CHECK(is_lb == lb && is_extent == extent);
	MPI_Type_size(type, &n);
	CHECK(n == nr);
}

/* so many of the type: packed, unpacked in two steps, and sent to itself and the next */
static void check_type(MPI_Datatype *type, int count, int extent)
{
	int position = 0, all = nr * count, size_of;
	MPI_Request request;

	MPI_Type_commit(type);
	for (int i = 0; i < all; i++)
		expected[i] = image[ORIGIN + map[i % nr] + i / nr * extent];
	MPI_Pack_size(count, *type, WORLD, &size_of);
	CHECK(size_of == all);
	MPI_Pack(image + ORIGIN, count, *type, packed, BYTES, &position, WORLD);
	CHECK(position == all && !memcmp(packed, expected, (size_t)all));
	memset(got, 0, BYTES);
	position = 0;
	MPI_Unpack(packed, all, &position, got + ORIGIN, count, *type, WORLD);
	for (int i = 0; i < all; i++) {
		CHECK(got[ORIGIN + map[i % nr] + i / nr * extent] == expected[i]);
		got[ORIGIN + map[i % nr] + i / nr * extent] = 0;
	}
	/* gaps keep every byte */
	for (int i = 0; i < BYTES; i++)
		CHECK(!got[i]);
	memset(packed, 0, BYTES);
	MPI_Irecv(packed, all, MPI_PACKED, (rank + size - 1) % size, 1, WORLD, &request);
	MPI_Send(image + ORIGIN, count, *type, (rank + 1) % size, 1, WORLD);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	CHECK(!memcmp(packed, expected, (size_t)all));
	MPI_Type_free(type);
	nr = 0;
}

static void vectors(void)
{
	MPI_Datatype type, old;

	MPI_Type_contiguous(5, MPI_SHORT, &type);
	map_run(0, 10);
	check_extent(type, 0, 10);
	check_type(&type, 3, 10);
	MPI_Type_vector(4, 2, 3, MPI_INT, &type);
	for (int i = 0; i < 4; i++)
		map_run(i * 12, 8);
	check_extent(type, 0, 44);
	check_type(&type, 2, 44);
	/* backwards, which changes nothing of the order */
	MPI_Type_create_hvector(3, 1, -20, MPI_LONG, &type);
	for (int i = 0; i < 3; i++)
		map_run(-20 * i, 8);
	check_extent(type, -40, 48);
	check_type(&type, 2, 48);
	/* columns one after the other */
	MPI_Type_vector(4, 1, 4, MPI_INT, &old);
	MPI_Type_create_resized(old, 0, 4, &type);
	MPI_Type_free(&old);
	for (int i = 0; i < 4; i++)
		map_run(16 * i, 4);
	check_extent(type, 0, 4);
	check_type(&type, 4, 4);
}

static void lists(void)
{
	static const int lengths[] = { 2, 0, 1, 3 }, places[] = { 4, 1, 0, -5 };
	static const MPI_Aint bytes[] = { 3, 90, 40, 17 };
	static const int apart[] = { 4, 1, 7 };
	MPI_Datatype type, old;

	MPI_Type_indexed(4, lengths, places, MPI_SHORT, &type);
	map_run(8, 4);
	map_run(0, 2);
	map_run(-10, 6);
	check_extent(type, -10, 22);
	check_type(&type, 3, 22);
	MPI_Type_create_hindexed(4, lengths, bytes, MPI_CHAR, &type);
	map_run(3, 2);
	map_run(40, 1);
	map_run(17, 3);
	check_extent(type, 3, 38);
	check_type(&type, 2, 38);
	MPI_Type_create_indexed_block(3, 2, apart, MPI_INT, &type);
	for (int i = 0; i < 3; i++)
		map_run(apart[i] * 4, 8);
	check_extent(type, 4, 32);
	check_type(&type, 2, 32);
	MPI_Type_create_hindexed_block(2, 1, bytes, MPI_DOUBLE_INT, &old);
	MPI_Type_dup(old, &type);
	MPI_Type_free(&old);
	for (int i = 0; i < 2; i++)
		map_run((int)bytes[i], 12);
	check_extent(type, 3, 104);
	check_type(&type, 2, 104);
}

struct particle {
	char kind;
	double at[3];
	short charge;
};

static void structs(void)
{
	static const int lengths[] = { 1, 3, 1 };
	static const MPI_Aint places[] = { offsetof(struct particle, kind),
					   offsetof(struct particle, at),
					   offsetof(struct particle, charge) };
	MPI_Datatype types[] = { MPI_CHAR, MPI_DOUBLE, MPI_SHORT }, type;

	MPI_Type_create_struct(3, lengths, places, types, &type);
	map_run(0, 1);
	map_run(8, 24);
	map_run(32, 2);
	check_extent(type, 0, sizeof(struct particle));
	check_type(&type, 3, sizeof(struct particle));
}

static void arrays(void)
{
	static const int sizes[] = { 5, 6, 3 }, parts[] = { 2, 3, 2 }, starts[] = { 1, 2, 1 };
	MPI_Datatype type;

	MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_SHORT, &type);
	for (int i = 1; i < 3; i++)
		for (int j = 2; j < 5; j++)
			map_run(2 * ((i * 6 + j) * 3 + 1), 4);
	check_extent(type, 0, 180);
	check_type(&type, 2, 180);
	MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_CHAR, &type);
	for (int k = 1; k < 3; k++)
		for (int j = 2; j < 5; j++)
			map_run(1 + 5 * (j + 6 * k), 2);
	check_extent(type, 0, 90);
	check_type(&type, 3, 90);
}

/* parts of 7 x 10, in blocks of 2 by turns and in two halves */
static void distributed(int of)
{
	static const int sizes[] = { 7, 10 }, grid[] = { 2, 2 }, blocks[] = { 2, -1 };
	static const int distributions[] = { MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK };
	MPI_Datatype type;

	MPI_Type_create_darray(4, of, 2, sizes, distributions, blocks, grid, MPI_ORDER_C,
			       MPI_INT, &type);
	for (int i = 0; i < 7; i++)
		for (int j = 0; j < 10; j++)
			if (i / 2 % 2 == of / 2 && j / 5 == of % 2)
				map_run(4 * (i * 10 + j), 4);
	check_extent(type, 0, 280);
	check_type(&type, 2, 280);
}

/* of five dimensions, two of them shared out */
static void distributed_widely(int of)
{
	static const int sizes[] = { 2, 3, 2, 2, 2 }, grid[] = { 2, 1, 1, 2, 1 };
	int distributions[5], blocks[5];
	MPI_Datatype type;

	for (int i = 0; i < 5; i++) {
		distributions[i] = MPI_DISTRIBUTE_BLOCK;
		blocks[i] = MPI_DISTRIBUTE_DFLT_DARG;
	}
	MPI_Type_create_darray(4, of, 5, sizes, distributions, blocks, grid, MPI_ORDER_C,
			       MPI_INT, &type);
	for (int i = 0; i < 48; i++)
		if (i / 24 == of / 2 && i / 2 % 2 == of % 2)
			map_run(4 * i, 4);
	check_extent(type, 0, 192);
	check_type(&type, 2, 192);
}

/* structures of one member, with other bounds: what is in each but once is no level */
static void wrapped(void)
{
	MPI_Datatype type = MPI_BYTE, two, member, next;
	MPI_Aint extent = 1, place = 1;
	int one = 1;

	map_run(0, 1);
	for (int level = 0; level < 5; level++) {
		MPI_Type_contiguous(2, type, &two);
		MPI_Type_create_struct(1, &one, &place, &two, &member);
		MPI_Type_create_resized(member, 0, 2 * extent + 1, &next);
		MPI_Type_free(&two);
		MPI_Type_free(&member);
		if (level)
			MPI_Type_free(&type);
		type = next;
		for (int i = 0; i < nr; i++) {
			map[i]++;
			map[nr + i] = (int16_t)(map[i] + extent);
		}
		nr *= 2;
		extent = 2 * extent + 1;
	}
	check_extent(type, 0, extent);
	check_type(&type, 3, (int)extent);
}

static void counts(void)
{
	MPI_Datatype type;
	MPI_Status status;
	int n;

	MPI_Type_contiguous(2, MPI_INT, &type);
	MPI_Type_commit(&type);
	MPI_Sendrecv(image, 3, MPI_INT, rank, 1, got, 4, type, rank, 1, WORLD, &status);
	MPI_Get_count(&status, type, &n);
	CHECK(n == MPI_UNDEFINED);
	MPI_Get_elements(&status, type, &n);
	CHECK(n == 3);
	MPI_Type_free(&type);
}

#define ROWS	6
#define COLUMNS	10

/* a grid in MRAM, its columns' halos from the ranks to the left and to the right */
static __mram_noinit int grid[ROWS][COLUMNS + 2];

static void halo(void)
{
	int left = rank ? rank - 1 : MPI_PROC_NULL;
	int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
	MPI_Datatype column;
	int *g = (int *)&grid[0][0];

	for (int i = 0; i < ROWS * (COLUMNS + 2); i++)
		g[i] = -1;
	for (int i = 0; i < ROWS; i++)
		for (int j = 1; j <= COLUMNS; j++)
			g[i * (COLUMNS + 2) + j] = 1000 * rank + 20 * i + j;
	MPI_Type_vector(ROWS, 1, COLUMNS + 2, MPI_INT, &column);
	MPI_Type_commit(&column);
	MPI_Sendrecv(g + COLUMNS, 1, column, right, 1, g, 1, column, left, 1, WORLD,
		     MPI_STATUS_IGNORE);
	MPI_Sendrecv(g + 1, 1, column, left, 2, g + COLUMNS + 1, 1, column, right, 2, WORLD,
		     MPI_STATUS_IGNORE);
	for (int i = 0; i < ROWS; i++) {
		int *row = g + i * (COLUMNS + 2);

		CHECK(row[0] == (rank ? 1000 * (rank - 1) + 20 * i + COLUMNS : -1));
		CHECK(row[COLUMNS + 1] == (rank < size - 1 ? 1000 * (rank + 1) + 20 * i + 1 : -1));
		CHECK(row[1] == 1000 * rank + 20 * i + 1);
	}
	MPI_Type_free(&column);
}

int main(void)
{
	check_begin();
	for (int i = 0; i < BYTES; i++)
		image[i] = (unsigned char)(i * 13 + i / 251 + 1);
	vectors();
	lists();
	structs();
	arrays();
	for (int of = 0; of < 4; of++) {
		distributed(of);
		distributed_widely(of);
	}
	wrapped();
	counts();
	halo();
	check_end();
	return 0;
}
