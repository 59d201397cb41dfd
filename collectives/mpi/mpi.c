// SPDX-License-Identifier: MIT
/* The public functions: hosts from a program's communicator, or from MPI's processes. */
#include <errno.h>
#include <stdbool.h>

#include "collectives/mpi/mpi_transport.h"

#define EXPORT __attribute__((visibility("default")))

/* whether pimdimm_mpi_begin() has initialized MPI */
static bool initialized_here;

EXPORT int pimdimm_hosts_from_mpi(MPI_Comm comm, const struct pimdimm_hosts_options *options,
				  struct pimdimm_hosts **hosts)
{
	struct pimdimm_transport t;

	mpi_transport(comm, &t);
	return pimdimm_hosts_from_transport(&t, options, hosts);
}

EXPORT int pimdimm_mpi_begin(struct pimdimm_transport *transport)
{
	int begun = 0, level;

	if (!transport || transport->size != sizeof(*transport))
		return -EINVAL;
	PMPI_Initialized(&begun);
	if (!begun) {
		if (PMPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS)
			return -EIO;
		initialized_here = true;
	}
	mpi_transport(MPI_COMM_WORLD, transport);
	return 0;
}

EXPORT void pimdimm_mpi_end(void)
{
	int ended = 0;

	PMPI_Finalized(&ended);
	if (initialized_here && !ended)
		PMPI_Finalize();
	initialized_here = false;
}
