// SPDX-License-Identifier: MIT
/*
 * Examples of the manual pages of <pimdimm/hosts.h>, as in pimdimm.c: two hosts, one of them
 * made by fork().
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pimdimm/hosts.h>

static void check(int ret)
{
	if (ret < 0) {
		fprintf(stderr, "%s\n", pimdimm_errmsg());
		exit(EXIT_FAILURE);
	}
}

static struct pimdimm_hosts *meet(const char *path, uint32_t host)
{
	/* example of pimdimm_hosts_join, pimdimm_hosts_options, pimdimm_hosts_leave,
	 * pimdimm_hosts_info, pimdimm_hosts_barrier, pimdimm_hosts_split,
	 * pimdimm_hosts_check: One of two hosts, that wait at most 10 seconds for each other */
	const struct pimdimm_hosts_options options = { .size = sizeof(options),
						       .timeout_ms = 10000 };
	struct pimdimm_hosts_info info = { .size = sizeof(info) };
	struct pimdimm_hosts *hosts, *alone;

	check(pimdimm_hosts_join(path, host, 2, &options, &hosts));
	check(pimdimm_hosts_info(hosts, &info));
	printf("host %u of %u\n", info.host, info.hosts);
	check(pimdimm_hosts_split(hosts, (int)info.host, 0, &alone));
	pimdimm_hosts_leave(alone);
	check(pimdimm_hosts_barrier(hosts));
	check(pimdimm_hosts_check(hosts));
	/* end of example */
	return hosts;
}

static void share(struct pimdimm_hosts *hosts)
{
	/* example of pimdimm_hosts_alloc, pimdimm_hosts_free: A buffer that the other host
	 * maps too */
	float *sums;

	check(pimdimm_hosts_alloc(hosts, 1000 * sizeof(*sums), (void **)&sums));
	for (int i = 0; i < 1000; i++)
		sums[i] = (float)i;
	check(pimdimm_hosts_allreduce(hosts, sums, sums, 1000, PIDCOMM_F32, PIDCOMM_SUM));
	pimdimm_hosts_free(hosts, sums);
	/* end of example */
}

static void add_up(struct pimdimm_hosts *hosts, uint32_t host)
{
	/* example of pimdimm_hosts_allreduce, pimdimm_hosts_reduce,
	 * pimdimm_hosts_reduce_scatter, pimdimm_hosts_broadcast, pimdimm_hosts_allgather,
	 * pimdimm_hosts_set_algorithm: Sums of vectors, and who has them; each host's number */
	const uint64_t counts[2] = { 1, 3 };
	int32_t vector[4] = { 1, 2, 3, 4 }, sum[4] = { 0 }, part[3];
	uint32_t numbers[2];

	check(pimdimm_hosts_allreduce(hosts, vector, sum, 4, PIDCOMM_I32, PIDCOMM_SUM));
	check(pimdimm_hosts_reduce_scatter(hosts, vector, part, counts, PIDCOMM_I32,
					   PIDCOMM_SUM));
	check(pimdimm_hosts_set_algorithm(hosts, "reduce", "ma:nt-copy"));
	check(pimdimm_hosts_reduce(hosts, vector, sum, 4, PIDCOMM_I32, PIDCOMM_SUM, 0));
	check(pimdimm_hosts_broadcast(hosts, sum, sizeof(sum), 0));
	check(pimdimm_hosts_allgather(hosts, &host, numbers, sizeof(host)));
	/* end of example */

	/* example of pimdimm_hosts_stats: How often a host slept in a barrier */
	struct pimdimm_hosts_stats stats = { .size = sizeof(stats) };

	check(pimdimm_hosts_barrier(hosts));
	check(pimdimm_hosts_stats(hosts, &stats));
	printf("%llu times\n", (unsigned long long)stats.waits);
	/* end of example */
}

static void span(struct pimdimm_hosts *hosts, uint32_t host)
{
	/* example of pidcomm_create_hosts, pidcomm_place, pidcomm_set_root, pidcomm_hosts_stats,
	 * PIDCOMM_HOME: Sums over the 128 PEs of two hosts, each of which has a rank; host 1
	 * gets a copy */
	struct pimdimm_hosts_stats stats = { .size = sizeof(stats) };
	uint32_t pe, owner;
	struct pimdimm *sys;
	struct pidcomm *hc;
	uint64_t total[8];
	void *bufs[8];

	check(pimdimm_open("mem:ranks=1,mram=64K", &sys));
	check(pidcomm_create_hosts(hosts, sys, 2, (const uint32_t[]){ 8, 16 }, &hc));
	check(pidcomm_place(hc, 100, &owner, &pe));	/* host 1, PE 36 of its system */
	if (owner == host)
		check(pimdimm_write(sys, pe, 0, &(uint64_t){ 25 }, 8));
	check(pidcomm_allreduce(hc, "01", 8, 0, 8, PIDCOMM_U64, PIDCOMM_SUM));
	for (int g = 0; g < 8; g++)
		bufs[g] = &total[g];
	check(pidcomm_set_root(hc, 1));
	check(pidcomm_reduce(hc, "01", 8, 0, host == 1 ? bufs : NULL, PIDCOMM_U64, PIDCOMM_SUM));
	if (host == 1)
		printf("%llu\n", (unsigned long long)total[100 % 8]);	/* 25 */
	check(pidcomm_hosts_stats(hc, &stats));
	printf("%llu ns until all came\n", (unsigned long long)stats.ns_arrive);
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	/* end of example */
}

static void work(const char *path, uint32_t host)
{
	struct pimdimm_hosts *hosts = meet(path, host);

	share(hosts);
	add_up(hosts, host);
	span(hosts, host);
	/* example of pimdimm_hosts_abort: No host is to go on */
	if (host)
		check(pimdimm_hosts_abort(hosts, "the input cannot be read"));
	/* end of example */
	pimdimm_hosts_leave(hosts);
}

int main(void)
{
	char path[64];
	int status;
	pid_t other;

	snprintf(path, sizeof(path), "/tmp/hosts-example-%d", (int)getpid());
	other = fork();
	work(path, other ? 0 : 1);
	if (!other)
		return EXIT_SUCCESS;
	waitpid(other, &status, 0);
	return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
