// SPDX-License-Identifier: MIT
/*
 * Collectives against their definitions, from every root, in WRAM and MRAM, of the world
 * and of parts of it.
 * mpi: ranks=7
 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "check.h"

#define MOST	300
#define RANKS	8

static int from[MOST * RANKS], to[MOST * RANKS];
static __mram_noinit int far_from[MOST * RANKS], far_to[MOST * RANKS];
static MPI_Comm comm;
static int self, n;

static int value(int r, int i)
{
	return r * 1000 + i * 7 + 1;
}

static void fill(int *buf, int r, int count)
{
	for (int i = 0; i < count; i++)
		buf[i] = value(r, i);
}

static void bcast(int *buf, int root, int count)
{
	fill(buf, self == root ? root : 99, count);
	MPI_Bcast(buf, count, MPI_INT, root, comm);
	for (int i = 0; i < count; i++)
		CHECK(buf[i] == value(root, i));
}

static void reduce(int *in, int *out, int root, int count)
{
	fill(in, self, count);
	fill(out, 88, count);
	MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, root, comm);
	for (int i = 0; i < count; i++)
		CHECK(out[i] == (self == root ? n * value(0, i) + 500 * n * (n - 1) :
						value(88, i)));
	MPI_Allreduce(in, out, count, MPI_INT, MPI_MAX, comm);
	for (int i = 0; i < count; i++)
		CHECK(out[i] == value(n - 1, i));
	MPI_Allreduce(MPI_IN_PLACE, in, count, MPI_INT, MPI_MIN, comm);
	for (int i = 0; i < count; i++)
		CHECK(in[i] == value(0, i));
}

static void gather(int *in, int *out, int root, int count)
{
	fill(in, self, count);
	memset(out, 0, sizeof(*out) * (size_t)(count * n));
	MPI_Gather(in, count, MPI_INT, out, count, MPI_INT, root, comm);
	for (int i = 0; i < count * n; i++)
		CHECK(out[i] == (self == root ? value(i / count, i % count) : 0));
	MPI_Allgather(in, count, MPI_INT, out, count, MPI_INT, comm);
	for (int i = 0; i < count * n; i++)
		CHECK(out[i] == value(i / count, i % count));
}

static void scatter(int *in, int *out, int root, int count)
{
	fill(in, root, count * n);
	memset(out, 0, sizeof(*out) * (size_t)count);
	MPI_Scatter(in, count, MPI_INT, out, count, MPI_INT, root, comm);
	for (int i = 0; i < count; i++)
		CHECK(out[i] == value(root, self * count + i));
}

static void alltoall(int *in, int *out, int count)
{
	fill(in, self, count * n);
	MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, comm);
	for (int i = 0; i < count * n; i++)
		CHECK(out[i] == value(i / count, self * count + i % count));
	fill(out, self, count * n);
	MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, count, MPI_INT, comm);
	for (int i = 0; i < count * n; i++)
		CHECK(out[i] == value(i / count, self * count + i % count));
}

static int counts[RANKS], places[RANKS];

/* rank r has r + extra, the last rank's first, with a gap of one behind each */
static int layout(int extra)
{
	int at = 0;

	for (int r = n - 1; r >= 0; r--) {
		places[r] = at;
		counts[r] = r + extra;
		at += counts[r] + 1;
	}
	return at;
}

static void check_layout(const int *buf, int total)
{
	int held = 0;

	for (int r = 0; r < n; r++) {
		CHECK(buf[places[r] + counts[r]] == -1);
		for (int i = 0; i < counts[r]; i++)
			CHECK(buf[places[r] + i] == value(r, i));
		held += counts[r] + 1;
	}
	CHECK(held == total);
}

static void variable(int *in, int *out, int root, int extra)
{
	int total = layout(extra), own = self + extra;

	fill(in, self, own);
	memset(out, 0xff, sizeof(*out) * (size_t)total);
	MPI_Gatherv(in, own, MPI_INT, out, counts, places, MPI_INT, root, comm);
	if (self == root)
		check_layout(out, total);
	memset(in, 0, sizeof(*in) * (size_t)(own + 1));
	MPI_Scatterv(out, counts, places, MPI_INT, self == root ? MPI_IN_PLACE : in, own, MPI_INT,
		     root, comm);
	for (int i = 0; i < own && self != root; i++)
		CHECK(in[i] == value(self, i));
	CHECK(in[own] == 0);
	memset(out, 0xff, sizeof(*out) * (size_t)total);
	fill(out + places[self], self, own);
	MPI_Gatherv(self == root ? MPI_IN_PLACE : out + places[self], own, MPI_INT, out, counts,
		    places, MPI_INT, root, comm);
	if (self == root)
		check_layout(out, total);
	MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, counts, places, MPI_INT, comm);
	check_layout(out, total);
	fill(in, self, own);
	memset(out, 0xff, sizeof(*out) * (size_t)total);
	MPI_Allgatherv(in, own, MPI_INT, out, counts, places, MPI_INT, comm);
	check_layout(out, total);
}

/* to rank r go r elements, from places of their own */
static void alltoall_variable(int *in, int *out)
{
	int sent[RANKS], from_places[RANKS], total = n * (self + 1);

	for (int r = 0; r < n; r++) {
		sent[r] = r;
		from_places[r] = r * RANKS;
		counts[r] = self;
		places[r] = (n - 1 - r) * (self + 1);
	}
	fill(in, self, n * RANKS);
	memset(out, 0xff, sizeof(*out) * (size_t)total);
	MPI_Alltoallv(in, sent, from_places, MPI_INT, out, counts, places, MPI_INT, comm);
	for (int r = 0; r < n; r++) {
		for (int i = 0; i < self; i++)
			CHECK(out[places[r] + i] == value(r, self * RANKS + i));
		CHECK(out[places[r] + self] == -1);
	}
}

/* each two ranks exchange as many as their numbers are together */
static void alltoall_variable_in_place(int *buf)
{
	for (int r = 0; r < n; r++) {
		counts[r] = r + self;
		places[r] = r * 2 * RANKS;
	}
	fill(buf, self, n * 2 * RANKS);
	MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, buf, counts, places, MPI_INT,
		      comm);
	for (int r = 0; r < n; r++) {
		for (int i = 0; i < counts[r]; i++)
			CHECK(buf[places[r] + i] == value(r, self * 2 * RANKS + i));
		CHECK(buf[places[r] + counts[r]] == value(self, places[r] + counts[r]));
	}
}

static void prefixes(int *in, int *out, int count)
{
	fill(in, self, count);
	fill(out, 88, count);
	MPI_Exscan(in, out, count, MPI_INT, MPI_SUM, comm);
	for (int i = 0; i < count; i++)
		CHECK(out[i] == (self ? self * value(0, i) + 500 * self * (self - 1) :
					value(88, i)));
	MPI_Scan(in, out, count, MPI_INT, MPI_SUM, comm);
	for (int i = 0; i < count; i++)
		CHECK(out[i] == (self + 1) * value(0, i) + 500 * self * (self + 1));
	MPI_Scan(MPI_IN_PLACE, in, count, MPI_INT, MPI_MIN, comm);
	for (int i = 0; i < count; i++)
		CHECK(in[i] == value(0, i));
}

/* matrices of 2 x 2, whose product depends on the order */
static void multiply(void *in, void *inout, int *len, MPI_Datatype *type)
{
	const int *a = in;
	int *b = inout, x, y;

	(void)type;
	for (int i = 0; i < *len; i++, a += 4, b += 4) {
		for (int k = 0; k < 2; k++) {
			x = a[0] * b[k] + a[1] * b[2 + k];
			y = a[2] * b[k] + a[3] * b[2 + k];
			b[k] = x;
			b[2 + k] = y;
		}
	}
}

static void ordered(void)
{
	int own[4] = { 1, self + 1, self % 2, 1 }, all[4], expected[4] = { 1, 0, 0, 1 };
	MPI_Datatype matrix;
	MPI_Op op;

	MPI_Type_contiguous(4, MPI_INT, &matrix);
	MPI_Type_commit(&matrix);
	MPI_Op_create(multiply, 0, &op);
	MPI_Allreduce(own, all, 1, matrix, op, comm);
	for (int r = n - 1; r >= 0; r--) {
		int left[4] = { 1, r + 1, r % 2, 1 }, one = 1;

		multiply(left, expected, &one, NULL);
	}
	CHECK(!memcmp(all, expected, sizeof(all)));
	MPI_Scan(own, all, 1, matrix, op, comm);
	memcpy(expected, own, sizeof(own));
	for (int r = self - 1; r >= 0; r--) {
		int left[4] = { 1, r + 1, r % 2, 1 }, one = 1;

		multiply(left, expected, &one, NULL);
	}
	CHECK(!memcmp(all, expected, sizeof(all)));
	MPI_Op_free(&op);
	MPI_Type_free(&matrix);
}

static void operations(void)
{
	struct { double a; int b; } in = { (self * 5) % n, self }, out;
	unsigned char bits = (unsigned char)(1 << self), all;
	int32_t small = self + 1, product;
	double x = 0.5 * self, sum;

	MPI_Allreduce(&in, &out, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
	CHECK(out.a == n - 1 && (out.b * 5) % n == n - 1);
	MPI_Allreduce(&in, &out, 1, MPI_DOUBLE_INT, MPI_MINLOC, comm);
	CHECK(out.a == 0 && out.b == 0);
	MPI_Allreduce(&bits, &all, 1, MPI_BYTE, MPI_BOR, comm);
	CHECK(all == (1 << n) - 1);
	MPI_Allreduce(&small, &product, 1, MPI_INT32_T, MPI_PROD, comm);
	for (int r = 1; r <= n; r++) {
		CHECK(product % r == 0);
		product /= r;
	}
	CHECK(product == 1);
	MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
	CHECK(sum == 0.25 * n * (n - 1));
	small = self == n - 1;
	MPI_Allreduce(&small, &product, 1, MPI_INT, MPI_LXOR, comm);
	CHECK(product == 1);
	MPI_Allreduce(&small, &product, 1, MPI_INT, MPI_LAND, comm);
	CHECK(product == (n == 1));
}

/* the powers of i */
static const double turns[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };

static void complexes(void)
{
	double in[2] = { self, 2 }, turn[2] = { 0, 1 }, out[2];
	float _Complex small = 1, sum;

	MPI_Allreduce(in, out, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, comm);
	CHECK(out[0] == n * (n - 1) / 2 && out[1] == 2 * n);
	MPI_Allreduce(turn, out, 1, MPI_C_DOUBLE_COMPLEX, MPI_PROD, comm);
	CHECK(out[0] == turns[n % 4][0] && out[1] == turns[n % 4][1]);
	MPI_Allreduce(&small, &sum, 1, MPI_C_COMPLEX, MPI_SUM, comm);
	CHECK(sum == (float)n);
	small = CMPLXF(INFINITY, NAN);
	MPI_Allreduce(&small, &sum, 1, MPI_C_COMPLEX, MPI_PROD, comm);
	CHECK(n == 1 || isinf(crealf(sum)) || isinf(cimagf(sum)));
}

/* where a machine computes with it: one of 113 bits is software's */
static void long_doubles(void)
{
#if __LDBL_MANT_DIG__ <= 64
	struct { long double a; int b; } place = { self % 2, self }, lowest;
	long double wide = 1 + self * 0x1p-50L, most, sum;
	long double _Complex turn = CMPLX(0, 1), product;

	MPI_Allreduce(&wide, &most, 1, MPI_LONG_DOUBLE, MPI_MAX, comm);
	CHECK(most == 1 + (n - 1) * 0x1p-50L);
	wide = self;
	MPI_Allreduce(&wide, &sum, 1, MPI_LONG_DOUBLE, MPI_SUM, comm);
	CHECK(sum == n * (n - 1) / 2);
	MPI_Allreduce(&place, &lowest, 1, MPI_LONG_DOUBLE_INT, MPI_MINLOC, comm);
	CHECK(lowest.a == 0 && lowest.b == 0);
	MPI_Allreduce(&turn, &product, 1, MPI_C_LONG_DOUBLE_COMPLEX, MPI_PROD, comm);
	CHECK(__real__ product == turns[n % 4][0] && __imag__ product == turns[n % 4][1]);
#endif
}

static void all(MPI_Comm of)
{
	comm = of;
	MPI_Comm_rank(comm, &self);
	MPI_Comm_size(comm, &n);
	for (int root = 0; root < n; root++) {
		bcast(from, root, 3);
		reduce(from, to, root, 5);
		gather(from, to, root, 4);
		scatter(from, to, root, 4);
	}
	bcast((int *)far_from, n / 2, MOST * n);
	reduce((int *)far_from, to, n - 1, MOST);
	gather((int *)far_from, (int *)far_to, 0, MOST);
	scatter((int *)far_from, to, n - 1, MOST);
	alltoall(from, to, 2);
	alltoall((int *)far_from, (int *)far_to, MOST);
	variable(from, to, n - 1, 1);
	variable((int *)far_from, (int *)far_to, 0, 40);
	alltoall_variable(from, to);
	alltoall_variable_in_place(to);
	prefixes(from, to, 3);
	prefixes((int *)far_from, (int *)far_to, MOST);
	ordered();
	operations();
	complexes();
	long_doubles();
	MPI_Barrier(comm);
}

/* other objects may have all of the WRAM that is for messages */
static void many(void)
{
	static MPI_Comm comms[120];
	int sum;

	for (int i = 0; i < 120; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comms[119]);
	CHECK(sum == size * (size - 1) / 2);
	all(comms[60]);
	for (int i = 0; i < 120; i++)
		MPI_Comm_free(&comms[i]);
}

int main(void)
{
	MPI_Comm half;

	check_begin();
	all(MPI_COMM_WORLD);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
	all(half);
	MPI_Comm_free(&half);
	all(MPI_COMM_SELF);
	many();
	check_end();
	return 0;
}
