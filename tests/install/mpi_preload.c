// SPDX-License-Identifier: MIT
/*
 * An MPI program that knows nothing of this project: every collective against a serial
 * computation, over types, operations, counts, in place, parts of the processes, derived
 * types and an operation of its own.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long wrong;
static int rank, size;

static void check(const char *what, const void *a, const void *b, size_t bytes)
{
	if (!memcmp(a, b, bytes))
		return;
	if (wrong++ < 10)
		fprintf(stderr, "%d of %d: %s is wrong\n", rank, size, what);
}

static double element(int process, int i)
{
	return (double)((process * 31 + i * 7) % 23) + 1;
}

#define FOLD(op, a, b) ((op) == MPI_SUM ? (a) + (b) : (op) == MPI_MAX ? ((a) > (b) ? (a) : (b)) : \
			((a) < (b) ? (a) : (b)))

/* Fractions, so that another order of the processes would show. */
#define REDUCTIONS(ctype, mpitype, third)                                                       \
	static void reductions_##mpitype(MPI_Comm comm, int n, MPI_Op op)                       \
	{                                                                                       \
		size_t all = (size_t)n * (size_t)size;                                          \
		ctype *src = malloc((all + 1) * sizeof(ctype));                                 \
		ctype *dst = malloc((all + 1) * sizeof(ctype));                                 \
		ctype *want = malloc((all + 1) * sizeof(ctype));                                \
		int *counts = calloc((size_t)size, sizeof(int));                                \
		int before = 0;                                                                 \
                                                                                                \
		for (size_t i = 0; i < all; i++) {                                              \
			src[i] = (ctype)(element(rank, (int)i) * (third));                      \
			want[i] = (ctype)(element(0, (int)i) * (third));                        \
			for (int p = 1; p < size; p++) {                                        \
				ctype e = (ctype)(element(p, (int)i) * (third));                \
				want[i] = (ctype)FOLD(op, want[i], e);                          \
			}                                                                       \
		}                                                                               \
		MPI_Allreduce(src, dst, n, mpitype, op, comm);                                  \
		check("allreduce of " #mpitype, dst, want, (size_t)n * sizeof(ctype));          \
		memcpy(dst, src, all * sizeof(ctype));                                          \
		MPI_Allreduce(MPI_IN_PLACE, dst, n, mpitype, op, comm);                         \
		check("allreduce in place", dst, want, (size_t)n * sizeof(ctype));              \
		memset(dst, 0, all * sizeof(ctype));                                            \
		MPI_Reduce(src, dst, n, mpitype, op, size - 1, comm);                           \
		if (rank == size - 1)                                                           \
			check("reduce", dst, want, (size_t)n * sizeof(ctype));                  \
		memcpy(dst, src, all * sizeof(ctype));                                          \
		MPI_Reduce(rank ? dst : MPI_IN_PLACE, dst, n, mpitype, op, 0, comm);            \
		if (!rank)                                                                      \
			check("reduce in place", dst, want, (size_t)n * sizeof(ctype));         \
		MPI_Reduce_scatter_block(src, dst, n, mpitype, op, comm);                       \
		check("reduce_scatter_block", dst, want + (size_t)n * (size_t)rank,             \
		      (size_t)n * sizeof(ctype));                                               \
		memcpy(dst, src, all * sizeof(ctype));                                          \
		MPI_Reduce_scatter_block(MPI_IN_PLACE, dst, n, mpitype, op, comm);              \
		check("reduce_scatter_block in place", dst, want + (size_t)n * (size_t)rank,    \
		      (size_t)n * sizeof(ctype));                                               \
		for (int p = 0; p < size; p++) {                                                \
			counts[p] = p & 1 ? 0 : n;                                              \
			before += p < rank ? counts[p] : 0;                                     \
		}                                                                               \
		MPI_Reduce_scatter(src, dst, counts, mpitype, op, comm);                        \
		check("reduce_scatter", dst, want + before,                                     \
		      (size_t)counts[rank] * sizeof(ctype));                                    \
		free(src);                                                                      \
		free(dst);                                                                      \
		free(want);                                                                     \
		free(counts);                                                                   \
	}
REDUCTIONS(int, MPI_INT, 1)
REDUCTIONS(long, MPI_LONG, 3)
REDUCTIONS(unsigned char, MPI_UNSIGNED_CHAR, 1)
REDUCTIONS(short, MPI_SHORT, 1)
REDUCTIONS(float, MPI_FLOAT, 0.1)
REDUCTIONS(double, MPI_DOUBLE, 0.1)

static void moves(MPI_Comm comm, int n)
{
	int *one = calloc((size_t)n * 2 + 2, sizeof(int));
	int *all = calloc((size_t)n * (size_t)size + 1, sizeof(int));
	int *want = calloc((size_t)n * (size_t)size + 1, sizeof(int));
	MPI_Datatype row;
	int root = size / 2;

	for (int i = 0; i < n * size; i++)
		want[i] = i / n * 1000 + i % n;
	for (int i = 0; i < n; i++)
		one[i] = rank * 1000 + i;
	MPI_Allgather(one, n, MPI_INT, all, n, MPI_INT, comm);
	check("allgather", all, want, sizeof(int) * (size_t)n * (size_t)size);
	memset(all, 0, sizeof(int) * (size_t)n * (size_t)size);
	memcpy(all + rank * n, one, sizeof(int) * (size_t)n);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, n, MPI_INT, comm);
	check("allgather in place", all, want, sizeof(int) * (size_t)n * (size_t)size);
	MPI_Bcast(one, n, MPI_INT, root, comm);
	check("bcast", one, want + root * n, sizeof(int) * (size_t)n);
	/* every other word at the root, and one after the other elsewhere */
	MPI_Type_vector(n, 1, 2, MPI_INT, &row);
	MPI_Type_commit(&row);
	for (int i = 0; i < n; i++)
		one[rank == root ? 2 * i : i] = rank == root ? i * 3 : -1;
	if (rank == root)
		MPI_Bcast(one, 1, row, root, comm);
	else
		MPI_Bcast(one, n, MPI_INT, root, comm);
	for (int i = 0; i < n; i++)
		want[i] = one[rank == root ? 2 * i : i] - i * 3;
	memset(all, 0, sizeof(int) * (size_t)n);
	check("bcast of a vector", want, all, sizeof(int) * (size_t)n);
	MPI_Type_free(&row);
	free(one);
	free(all);
	free(want);
}

/* Pairs of words, the second sent first: without a gap, and yet not as they lie. */
static void swapped(MPI_Comm comm, int n)
{
	const int blocks[2] = { 1, 1 };
	const MPI_Aint places[2] = { sizeof(int), 0 };
	const MPI_Datatype types[2] = { MPI_INT, MPI_INT };
	size_t all = (size_t)n * (size_t)size * 2;
	int *one = calloc((size_t)n * 2, sizeof(int)), *got = calloc(all, sizeof(int));
	int *want = calloc(all, sizeof(int));
	MPI_Datatype pair;

	MPI_Type_create_struct(2, blocks, places, types, &pair);
	MPI_Type_commit(&pair);
	for (int i = 0; i < n * 2; i++)
		one[i] = rank * 1000 + i;
	for (size_t i = 0; i < all; i++)
		want[i] = (int)i / (n * 2) * 1000 + (int)(i % ((size_t)n * 2) ^ 1);
	MPI_Allgather(one, n * 2, MPI_INT, got, n, pair, comm);
	check("allgather to pairs", got, want, all * sizeof(int));
	if (rank)
		MPI_Bcast(one, n * 2, MPI_INT, 0, comm);
	else
		MPI_Bcast(one, n, pair, 0, comm);
	if (rank)
		check("bcast of pairs", one, want, (size_t)n * 2 * sizeof(int));
	MPI_Type_free(&pair);
	free(one);
	free(got);
	free(want);
}

static void add_one(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i] + 1;
}

/* What goes to MPI's own: an operation of the program's. */
static void own_operation(MPI_Comm comm)
{
	int one = rank, sum = 0, want = size * (size - 1) / 2 + size - 1;
	MPI_Op op;

	MPI_Op_create(add_one, 1, &op);
	MPI_Allreduce(&one, &sum, 1, MPI_INT, op, comm);
	check("allreduce by an own operation", &sum, &want, sizeof(int));
	MPI_Op_free(&op);
}

/* Types of other languages' programs, and of few. */
static void other_types(MPI_Comm comm)
{
	const double real = 0.5;
	const MPI_Count count = 1;
	const _Bool last = rank == size - 1;
	double reals = 0, want_reals = 0.5 * size;
	MPI_Count counts = 0, want_counts = size;
	int integers = 0;
	_Bool any = 0, want = 1;

	MPI_Allreduce(&size, &integers, 1, MPI_INTEGER, MPI_MAX, comm);
	check("allreduce of Fortran's integers", &integers, &size, sizeof(int));
	MPI_Allreduce(&real, &reals, 1, MPI_DOUBLE_PRECISION, MPI_SUM, comm);
	check("allreduce of Fortran's reals", &reals, &want_reals, sizeof(double));
	MPI_Allreduce(&count, &counts, 1, MPI_COUNT, MPI_SUM, comm);
	check("allreduce of counts", &counts, &want_counts, sizeof(counts));
	MPI_Allreduce(&last, &any, 1, MPI_C_BOOL, MPI_LOR, comm);
	check("allreduce of truth", &any, &want, sizeof(any));
}

/* A message that its sender has begun comes while that waits in a collective. */
static void progress(MPI_Comm comm)
{
	const int n = 1 << 20;
	char *buf = calloc(1, (size_t)n);
	int one = 1, sum = 0;
	MPI_Request request = MPI_REQUEST_NULL;

	if (rank == 0)
		MPI_Isend(buf, n, MPI_CHAR, 1, 7, comm, &request);
	if (rank == 1)
		MPI_Recv(buf, n, MPI_CHAR, 0, 7, comm, MPI_STATUS_IGNORE);
	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
	check("allreduce after a message", &sum, &size, sizeof(int));
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	free(buf);
}

/* The first element lies as many bytes off a multiple of its own as the process has ahead. */
static void *shifted(char *memory, const double *from, int n)
{
	return memcpy(memory + rank, from, sizeof(double) * (size_t)n);
}

/* Elements where they are not aligned, each process's otherwise. */
static void misaligned(MPI_Comm comm)
{
	enum { N = 100 };
	size_t all = (size_t)N * (size_t)size, one = N * sizeof(double);
	double *in = malloc(all * sizeof(double)), *want = malloc(all * sizeof(double));
	char *src = malloc((all + 16) * sizeof(double)), *dst = malloc((all + 16) * sizeof(double));
	int *counts = calloc((size_t)size, sizeof(int));

	for (size_t i = 0; i < all; i++) {
		in[i] = element(rank, (int)i) * 0.1;
		want[i] = element(0, (int)i) * 0.1;
		for (int p = 1; p < size; p++)
			want[i] += element(p, (int)i) * 0.1;
	}
	for (int p = 0; p < size; p++)
		counts[p] = N;
	MPI_Allreduce(shifted(src, in, N), dst + rank, N, MPI_DOUBLE, MPI_SUM, comm);
	check("allreduce, misaligned", dst + rank, want, one);
	MPI_Allreduce(MPI_IN_PLACE, shifted(dst, in, N), N, MPI_DOUBLE, MPI_SUM, comm);
	check("allreduce in place, misaligned", dst + rank, want, one);
	MPI_Reduce(shifted(src, in, N), dst + rank, N, MPI_DOUBLE, MPI_SUM, size - 1, comm);
	if (rank == size - 1)
		check("reduce, misaligned", dst + rank, want, one);
	MPI_Reduce_scatter(shifted(src, in, (int)all), dst + rank, counts, MPI_DOUBLE, MPI_SUM,
			   comm);
	check("reduce_scatter, misaligned", dst + rank, want + (size_t)N * (size_t)rank, one);
	MPI_Reduce_scatter_block(MPI_IN_PLACE, shifted(dst, in, (int)all), N, MPI_DOUBLE, MPI_SUM,
				 comm);
	check("reduce_scatter_block in place, misaligned", dst + rank,
	      want + (size_t)N * (size_t)rank, one);
	check("what is sent from there", src + rank, in, all * sizeof(double));
	free(in);
	free(want);
	free(src);
	free(dst);
	free(counts);
}

static void everything(MPI_Comm comm)
{
	static const int counts[] = { 1, 3, 1000, 20011 };
	const MPI_Op ops[] = { MPI_SUM, MPI_MAX, MPI_MIN };

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	for (int i = 0; i < 4; i++) {
		for (int k = 0; k < 3; k++) {
			reductions_MPI_INT(comm, counts[i], ops[k]);
			reductions_MPI_LONG(comm, counts[i], ops[k]);
			reductions_MPI_UNSIGNED_CHAR(comm, counts[i], ops[k]);
			reductions_MPI_SHORT(comm, counts[i], ops[k]);
			reductions_MPI_FLOAT(comm, counts[i], ops[k]);
			reductions_MPI_DOUBLE(comm, counts[i], ops[k]);
		}
		moves(comm, counts[i]);
		swapped(comm, counts[i]);
	}
	misaligned(comm);
	other_types(comm);
	own_operation(comm);
	if (size > 1)
		progress(comm);
}

int main(int argc, char **argv)
{
	MPI_Comm part;
	int world;

	MPI_Init(&argc, &argv);
	everything(MPI_COMM_WORLD);
	MPI_Comm_rank(MPI_COMM_WORLD, &world);
	MPI_Comm_split(MPI_COMM_WORLD, world & 1, -world, &part);
	everything(part);
	MPI_Comm_free(&part);
	MPI_Finalize();
	if (wrong)
		fprintf(stderr, "%ld results are wrong\n", wrong);
	return wrong != 0;
}
