// SPDX-License-Identifier: MIT
/*
 * Examples of the manual pages of <pimdimm/mpi.h>, as in pimdimm.c: the processes of an MPI
 * program, started by mpirun.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <pimdimm/mpi.h>

static void check(int ret)
{
	if (ret < 0) {
		fprintf(stderr, "%s\n", pimdimm_errmsg());
		exit(EXIT_FAILURE);
	}
}

/* Of a program that is compiled without <mpi.h>, under mpirun of Open MPI. */
void meet(struct pimdimm_hosts **hosts, void (**end)(void));
void meet(struct pimdimm_hosts **hosts, void (**end)(void))
{
	/* example of pimdimm_mpi_begin, pimdimm_mpi_end: Hosts by a library that is opened */
	struct pimdimm_transport transport = { .size = sizeof(transport) };
	void *library = dlopen("libpimdimm-openmpi.so.0", RTLD_NOW);
	int (*begin)(struct pimdimm_transport *transport);

	if (!library)
		exit(EXIT_FAILURE);
	*(void **)&begin = dlsym(library, "pimdimm_mpi_begin");
	*(void **)end = dlsym(library, "pimdimm_mpi_end");
	check(begin(&transport));
	check(pimdimm_hosts_from_transport(&transport, NULL, hosts));
	/* ... then pimdimm_hosts_leave(), and (*end)() at last */
	/* end of example */
}

/* The same program, after pimdimm_mpi_begin(). */
int compare(void *library, const int *numbers, int *sums);
int compare(void *library, const int *numbers, int *sums)
{
	/* example of pimdimm_mpi_call: MPI's own sum of 1,000 numbers */
	int (*call)(const char *collective, const void *src, void *dst, uint64_t count,
		    const uint64_t counts[]);

	*(void **)&call = dlsym(library, "pimdimm_mpi_call");
	return call("allreduce", numbers, sums, 1000, NULL);
	/* end of example */
}

int main(int argc, char **argv)
{
	/* example of pimdimm_hosts_from_mpi: The sum of all hosts' numbers */
	struct pimdimm_hosts_info info = { .size = sizeof(info) };
	struct pimdimm_hosts *hosts;
	uint32_t sum;

	MPI_Init(&argc, &argv);
	check(pimdimm_hosts_from_mpi(MPI_COMM_WORLD, NULL, &hosts));
	check(pimdimm_hosts_info(hosts, &info));
	check(pimdimm_hosts_allreduce(hosts, &info.host, &sum, 1, PIDCOMM_U32, PIDCOMM_SUM));
	printf("host %u of %u, machine %u of %u: %u\n", info.host, info.hosts, info.machine,
	       info.machines, sum);
	pimdimm_hosts_leave(hosts);
	MPI_Finalize();
	/* end of example */
	return EXIT_SUCCESS;
}
