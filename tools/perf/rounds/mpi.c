// SPDX-License-Identifier: MIT
/* Rounds between two processes of an MPI library. */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <mpi.h>

#include "tools/perf/bound.h"
#include "tools/perf/rounds/rounds.h"

static MPI_Request requests[ROUNDS_SLOTS];
static MPI_Status statuses[ROUNDS_SLOTS];

/* a file that both map; its name is the last argument */
static struct rounds_place *map_place(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *place;

	if (fd < 0 || ftruncate(fd, sizeof(struct rounds_place)))
		rounds_die("%s: not to be opened", path);
	place = mmap(NULL, sizeof(struct rounds_place), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (place == MAP_FAILED)
		rounds_die("%s: not to be mapped", path);
	close(fd);
	return place;
}

static void run(int argc, char **argv, void (*main)(struct rounds_rank *))
{
	struct rounds_rank r;
	int size, err;

	/*
	 * Where they are counted they share a core, and who polls gives it to the other one, as far
	 * as the library can: so there are few polls.
	 */
	if (RUNNING_ON_VALGRIND) {
		cpu_set_t one;

		CPU_ZERO(&one);
		CPU_SET(0, &one);
		sched_setaffinity(0, sizeof(one), &one);
		setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
	}
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size != 2)
		rounds_die("%d ranks, expected 2", size);
	err = RUNNING_ON_VALGRIND ? 0 : perf_bind(r.rank);
	if (err)
		rounds_die("rank %d cannot be bound to a CPU: %s", r.rank, strerror(err));
	r.place = map_place(argv[argc - 1]);
	main(&r);
	MPI_Finalize();
}

static void send_one(struct rounds_rank *r, void *data, size_t bytes, int tag)
{
	MPI_Send(data, (int)bytes, MPI_BYTE, !r->rank, tag, MPI_COMM_WORLD);
}

static void recv_one(struct rounds_rank *r, void *data, size_t bytes, int tag)
{
	MPI_Recv(data, (int)bytes, MPI_BYTE, !r->rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void probe(struct rounds_rank *r, int tag)
{
	MPI_Status status;

	MPI_Probe(!r->rank, tag, MPI_COMM_WORLD, &status);
}

static void isend(struct rounds_rank *r, unsigned int slot, void *data, size_t bytes, int tag)
{
	MPI_Isend(data, (int)bytes, MPI_BYTE, !r->rank, tag, MPI_COMM_WORLD, &requests[slot]);
}

static void irecv(struct rounds_rank *r, unsigned int slot, void *data, size_t bytes, int tag)
{
	MPI_Irecv(data, (int)bytes, MPI_BYTE, !r->rank, tag, MPI_COMM_WORLD, &requests[slot]);
}

static void wait_all(struct rounds_rank *r, unsigned int first, unsigned int nr)
{
	(void)r;
	MPI_Waitall((int)nr, requests + first, statuses);
}

static void cancel(struct rounds_rank *r, unsigned int first, unsigned int nr)
{
	(void)r;
	for (unsigned int i = first; i < first + nr; i++)
		MPI_Cancel(&requests[i]);
}

static void idle(struct rounds_rank *r)
{
	const struct timespec pause = { 0, 20000 };

	(void)r;
	nanosleep(&pause, NULL);
}

const struct rounds_engine rounds_engine = {
	.run = run,
	.send = send_one,
	.recv = recv_one,
	.probe = probe,
	.isend = isend,
	.irecv = irecv,
	.wait = wait_all,
	.cancel = cancel,
	.idle = idle,
	.by_call = 1,
};
