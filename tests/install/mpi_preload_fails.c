// SPDX-License-Identifier: MIT
/*
 * An MPI program that knows nothing of this project, whose calls fail: by counts that differ
 * (counts), since a process has died before its first call (death), or after it (later). MPI's
 * words are those of the library, and the next call fails likewise.
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

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";
	const int differ = !strcmp(mode, "counts"), later = !strcmp(mode, "later");
	const char *words = differ ? "allreduce" : later ? "host 1" : "PIMDIMM_TIMEOUT=3000";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (later && sum(3) != MPI_SUCCESS)
		_exit(1);
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
