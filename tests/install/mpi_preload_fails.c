// SPDX-License-Identifier: MIT
/*
 * An MPI program that knows nothing of this project, whose calls fail: by counts that differ
 * (counts), since a process has died before its first call (death), or after it (later). MPI's
 * words are those of the library, and the next call fails likewise. What one process may not
 * ask for (refused) fails there by MPI's classes, and nobody hears of it; what no program may
 * do, but MPI does not look for, is done as far as it makes sense.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank;

/* The call has failed, by these words. */
static void expect(int code, const char *words)
{
	char text[MPI_MAX_ERROR_STRING + 1] = "";
	int length = 0;

	if (code != MPI_SUCCESS)
		MPI_Error_string(code, text, &length);
	if (code != MPI_SUCCESS && strstr(text, words))
		return;
	fprintf(stderr, "process %d: code %d, \"%s\", expected \"%s\"\n", rank, code, text, words);
	_exit(1);
}

static int sum(int count)
{
	int in[3] = { 1, 2, 3 }, out[3];

	return MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* into a file: launchers end in many ways when a process has, and output with them */
static void goes_on(const char *path)
{
	FILE *f = fopen(path, "a");

	if (!f || fprintf(f, "process %d goes on\n", rank) < 0 || fclose(f))
		_exit(1);
}

static void refuses(const char *what, int code, int class)
{
	int is = MPI_SUCCESS;

	MPI_Error_class(code, &is);
	if (is == class)
		return;
	fprintf(stderr, "process %d: %s: class %d, expected %d\n", rank, what, is, class);
	_exit(1);
}

static void ask_wrongly(int root, MPI_Comm comm)
{
	int in[4] = { 0 }, out[4];

	refuses("sum of NULL", MPI_Allreduce(NULL, out, 4, MPI_INT, MPI_SUM, comm),
		MPI_ERR_BUFFER);
	refuses("sum to NULL", MPI_Allreduce(in, NULL, 4, MPI_INT, MPI_SUM, comm),
		MPI_ERR_BUFFER);
	refuses("sum to itself", MPI_Reduce(in, in, 4, MPI_INT, MPI_SUM, rank, comm),
		MPI_ERR_BUFFER);
	refuses("part to NULL", MPI_Reduce_scatter_block(in, NULL, 1, MPI_INT, MPI_SUM, comm),
		MPI_ERR_BUFFER);
	refuses("bcast of NULL", MPI_Bcast(NULL, 4, MPI_INT, 0, comm), MPI_ERR_BUFFER);
	refuses("allgather of NULL", MPI_Allgather(NULL, 1, MPI_INT, out, 1, MPI_INT, comm),
		MPI_ERR_BUFFER);
	refuses("allgather of too many", MPI_Allgather(in, 4, MPI_INT, out, 1, MPI_INT, comm),
		MPI_ERR_TRUNCATE);
	refuses("allgather of no type",
		MPI_Allgather(in, 1, MPI_DATATYPE_NULL, out, 1, MPI_INT, comm), MPI_ERR_TYPE);
	refuses("bcast of nobody", MPI_Bcast(in, 4, MPI_INT, root, comm), MPI_ERR_ROOT);
	refuses("sum at nobody", MPI_Reduce(in, out, 4, MPI_INT, MPI_SUM, root, comm),
		MPI_ERR_ROOT);
}

/* Results that begin in the midst of what is sent, which MPI forbids and does not look for. */
static void overlap(int size, MPI_Comm comm)
{
	int words[3 * 4] = { 0 };

	for (int i = 0; i < size; i++)
		words[i] = i + 1;
	if (MPI_Reduce_scatter_block(words, words + 1, 1, MPI_INT, MPI_SUM, comm) != MPI_SUCCESS ||
	    words[1] != size * (rank + 1))
		_exit(1);
	words[(rank + 1) % size] = rank;
	if (MPI_Allgather(words + (rank + 1) % size, 1, MPI_INT, words, 1, MPI_INT, comm) !=
	    MPI_SUCCESS)
		_exit(1);
	for (int i = 0; i < size; i++) {
		if (words[i] != i)
			_exit(1);
	}
}

/* The right call that a process makes after all is the one that the others are in. */
static int refused(const char *path)
{
	int size;

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (sum(3) != MPI_SUCCESS)
		_exit(1);
	overlap(size, MPI_COMM_WORLD);
	if (rank == 1)
		ask_wrongly(size, MPI_COMM_WORLD);
	if (sum(3) != MPI_SUCCESS)
		_exit(1);
	goes_on(path);
	return MPI_Finalize();
}

/* Nobody is in the first call any more when process 1 dies. */
static void all_have_called(void)
{
	int size, from;

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank != 1)
		MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	for (int i = 1; rank == 1 && i < size; i++)
		MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";
	const int differ = !strcmp(mode, "counts"), later = !strcmp(mode, "later");
	const char *words = differ ? "allreduce" : later ? "host 1" : "PIMDIMM_TIMEOUT=3000";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (!strcmp(mode, "refused"))
		return refused(argv[2]);
	if (later && sum(3) != MPI_SUCCESS)
		_exit(1);
	if (later)
		all_have_called();
	if (!differ && rank == 1)
		raise(SIGKILL);
	expect(sum(differ ? 1 + rank : 3), words);
	expect(sum(3), words);
	goes_on(argv[2]);
	if (differ)
		return MPI_Finalize();
	/* MPI would wait for the dead */
	_exit(0);
}
