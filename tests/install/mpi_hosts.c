// SPDX-License-Identifier: MIT
/*
 * Hosts from the processes of an MPI program, for mpi_hosts.t: LAYOUT has a digit for each, the
 * machine that it pretends to be on. Then what happens: sums, cubes, abort, death; and
 * "threads", which may all use MPI.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pimdimm/mpi.h>
#include <pimdimm/pimdimm.h>

#define MOST	300000u

static struct pimdimm_hosts_info info = { .size = sizeof(info) };
static struct pimdimm_hosts *hosts;

static void check(int ok, const char *what)
{
	if (ok)
		return;
	printf("host %u: %s: %s\n", info.host, what, pimdimm_errmsg());
	fflush(stdout);
	_exit(1);
}

static void sums(const char *algorithm, uint64_t count)
{
	int32_t *in = calloc(count + 1, 4), *out = calloc(count + 1, 4);
	double *floats = calloc(count + 1, 8), *total = calloc(count + 1, 8);
	uint64_t counts[128] = { 0 };

	check(!pimdimm_hosts_set_algorithm(hosts, NULL, algorithm), "set_algorithm");
	for (uint64_t i = 0; i < count; i++) {
		in[i] = (int32_t)(i * (info.host + 1));
		floats[i] = 0.5 * (double)in[i];
	}
	check(!pimdimm_hosts_allreduce(hosts, in, out, count, PIDCOMM_I32, PIDCOMM_SUM),
	      "allreduce");
	check(!pimdimm_hosts_allreduce(hosts, floats, total, count, PIDCOMM_F64, PIDCOMM_SUM),
	      "allreduce");
	for (uint64_t i = 0; i < count; i++)
		check(total[i] == 0.5 * (double)(i * info.hosts * (info.hosts + 1) / 2) &&
		      out[i] == (int32_t)(i * info.hosts * (info.hosts + 1) / 2), "a sum");
	counts[info.hosts - 1] = count;
	check(!pimdimm_hosts_reduce_scatter(hosts, in, out, counts, PIDCOMM_I32, PIDCOMM_MAX),
	      "reduce_scatter");
	for (uint64_t i = 0; info.host + 1 == info.hosts && i < count; i++)
		check(out[i] == (int32_t)(i * info.hosts), "a maximum");
	check(!pimdimm_hosts_broadcast(hosts, in, 4 * count, 1), "broadcast");
	for (uint64_t i = 0; i < count; i++)
		check(in[i] == (int32_t)(i * 2), "what was sent to all");
	free(in);
	free(out);
	free(floats);
	free(total);
}

/* Every PE's vector of words, of which each tells whose it is and which. */
#define WORDS	4096u

static uint64_t word_of(uint64_t node, uint64_t i)
{
	return node << 32 | i;
}

/* A part of the words of every PE of this host, as they were or came from others. */
static void look(struct pimdimm *sys, uint64_t off, int collective)
{
	static uint64_t words[WORDS];
	const uint64_t n = 64 * info.hosts, chunk = WORDS / n;

	for (uint64_t pe = 0; pe < 64; pe++) {
		uint64_t node = 64 * info.host + pe;

		check(!pimdimm_read(sys, (uint32_t)pe, off, words, sizeof(words)), "read");
		for (uint64_t i = 0; i < n * chunk; i++) {
			uint64_t want = collective ? word_of(n * (n - 1) / 2, n * i) :
				word_of(i / chunk, node * chunk + i % chunk);

			check(words[i] == want, collective ? "a sum over PEs" : "a word of another PE");
		}
	}
}

static void cubes(void)
{
	const uint32_t dims[] = { 8, 8 * info.hosts };
	const uint64_t bytes = WORDS / (64 * info.hosts) * (64 * info.hosts) * 8;
	static uint64_t words[WORDS];
	struct pidcomm_request *request;
	struct pimdimm *sys;
	struct pidcomm *hc;
	int level, ret;

	MPI_Query_thread(&level);
	check(!pimdimm_open("mem:ranks=1,mram=128K", &sys), "open");
	check(!pidcomm_create_hosts(hosts, sys, 2, dims, &hc), "create_hosts");
	for (uint64_t pe = 0; pe < 64; pe++) {
		for (uint64_t i = 0; i < WORDS; i++)
			words[i] = word_of(64 * info.host + pe, i);
		check(!pimdimm_write(sys, (uint32_t)pe, 0, words, sizeof(words)), "write");
	}
	check(!pidcomm_alltoall(hc, "11", bytes, 0, 32768), "alltoall");
	look(sys, 32768, 0);
	check(!pidcomm_allreduce(hc, "11", bytes, 0, 65536, PIDCOMM_U64, PIDCOMM_SUM), "allreduce");
	look(sys, 65536, 1);
	ret = pidcomm_iallreduce(hc, "11", bytes, 0, 32768, PIDCOMM_U64, PIDCOMM_SUM, &request);
	check(info.machines > 1 && level < MPI_THREAD_MULTIPLE ? ret == -EOPNOTSUPP : !ret,
	      "iallreduce");
	if (!ret) {
		check(!pidcomm_wait(&request), "wait");
		look(sys, 32768, 1);
	}
	pidcomm_destroy(hc);
	pimdimm_close(sys);
}

static void expect(int err, const char *words)
{
	int ret = 0;

	for (int i = 0; !ret && i < 1000000; i++)
		ret = pimdimm_hosts_barrier(hosts);
	check(ret == err && strstr(pimdimm_errmsg(), words), words);
	check(pimdimm_hosts_barrier(hosts) == err, "the same again");
}

/* into a file: launchers end in many ways when a process has, and output with them */
static void goes_on(const char *path)
{
	FILE *f = fopen(path, "a");

	check(f && fprintf(f, "host %u goes on\n", info.host) > 0 && !fclose(f), path);
}

int main(int argc, char **argv)
{
	struct pimdimm_hosts_options options = { .size = sizeof(options) };
	char machine[2] = { 0 };
	int rank, sum = 0;
	float real = 0;

	check(pimdimm_mpi_call("allreduce", &(int){ 1 }, &sum, 1, NULL) == -EINVAL,
	      "MPI's call before MPI_Init()");
	check(pimdimm_hosts_from_mpi(MPI_COMM_WORLD, NULL, &hosts) == -EINVAL &&
	      strstr(pimdimm_errmsg(), "not initialized"), "before MPI_Init()");
	MPI_Init_thread(&argc, &argv, argc > 3 && !strcmp(argv[3], "threads") ?
			MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &rank);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc < 3 || (size_t)rank >= strlen(argv[1]))
		return 2;
	machine[0] = argv[1][rank];
	setenv("PIMDIMM_MACHINE", machine, 1);
	options.timeout_ms = 100000;
	check(!pimdimm_hosts_from_mpi(MPI_COMM_WORLD, &options, &hosts), "from_mpi");
	check(!pimdimm_hosts_info(hosts, &info), "info");
	if (!strcmp(argv[2], "sums")) {
		static const char *const names[] = { "auto", "leader", "leaders", "chain" };

		for (unsigned int i = 0; i < (info.machines > 1 ? 4 : 1); i++) {
			for (uint64_t count = 0; count <= MOST; count = count * 7 + 1)
				sums(names[i], count);
		}
	} else if (!strcmp(argv[2], "cubes")) {
		cubes();
	} else if (!strcmp(argv[2], "abort")) {
		if (!rank)
			check(!pimdimm_hosts_abort(hosts, "no more input"), "abort");
		expect(-ECANCELED, "aborts: no more input");
	} else {
		if (rank == 1)
			raise(SIGKILL);
		expect(-ECONNRESET, "a host has died: host 1 (pid");
		/* MPI itself would wait for it in MPI_Finalize() */
		goes_on(argv[3]);
		_exit(0);
	}
	check(!pimdimm_mpi_call("allreduce", &(int){ 1 }, &sum, 1, NULL) &&
	      sum == (int)info.hosts, "MPI's call");
	check(!pimdimm_mpi_call("allreduce:f32", &(float){ 0.5f }, &real, 1, NULL) &&
	      real == 0.5f * (float)info.hosts, "MPI's call, floats");
	check(pimdimm_mpi_call("allreduce:f64", &(double){ 1 }, &(double){ 0 }, 1, NULL) == -EINVAL &&
	      pimdimm_mpi_call("reduce_scatter_of_much", &sum, &sum, 1, NULL) == -EINVAL,
	      "MPI's call by other words");
	check(pimdimm_mpi_call("reduce_scatter", &(int){ 1 }, &sum, 1, NULL) == -EINVAL,
	      "MPI's call without counts");
	pimdimm_hosts_leave(hosts);
	MPI_Finalize();
	check(pimdimm_mpi_call("allreduce", &(int){ 1 }, &sum, 1, NULL) == -EINVAL,
	      "MPI's call after MPI_Finalize()");
	if (!rank)
		printf("%u hosts on %u machines\n", info.hosts, info.machines);
	return 0;
}
