/* SPDX-License-Identifier: MIT */
/*
 * Hosts of <pimdimm/hosts.h> from the processes of an MPI program: in libpimdimm-openmpi for
 * programs of Open MPI, in libpimdimm-mpich for those of MPICH.
 */
#ifndef PIMDIMM_MPI_H
#define PIMDIMM_MPI_H

/* who defines this has the functions alone that take nothing of MPI's, to be found by dlsym() */
#ifndef PIMDIMM_WITHOUT_MPI
#include <mpi.h>
#endif

#include <pimdimm/hosts.h>
#include <pimdimm/transport.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef PIMDIMM_WITHOUT_MPI
/**
 * pimdimm_hosts_from_mpi() - become one of several hosts, which are processes of MPI
 * @comm: a communicator of at most 128 processes, all of which make the call; a host's number
 *        is its rank. What hosts send each other goes through a copy of it
 * @options: or NULL
 * @hosts: receives what the functions of <pimdimm/hosts.h> take
 *
 * Hosts that can map each other's memory form a machine, and use MPI for nothing else
 * between them; see pimdimm_hosts_from_transport(). MPI is called by whatever thread makes
 * the hosts' calls, and must have been initialized so that this thread may call it. Nothing
 * waits in MPI: calls end where other processes have died or do something else.
 *
 * What MPI may still write to when hosts leave after a failure is kept until MPI_Finalize(),
 * which also frees the copy of @comm. Hosts leave before.
 *
 * Return: 0 or a negative errno, as pimdimm_hosts_join(); -EINVAL where MPI is not
 * initialized, or is finalized.
 */
int pimdimm_hosts_from_mpi(MPI_Comm comm, const struct pimdimm_hosts_options *options,
			   struct pimdimm_hosts **hosts);
#endif

/**
 * pimdimm_mpi_begin() - make hosts of MPI's processes in a program that knows no MPI
 * @transport: receives what connects all processes of MPI_COMM_WORLD, for one call of
 *             pimdimm_hosts_from_transport(); its size must be set
 *
 * For programs that are compiled without <mpi.h> and open this library by dlopen() when
 * a launcher of its MPI has started them. MPI is initialized, with MPI_THREAD_MULTIPLE where
 * it has that, unless it is already.
 *
 * Return: 0; -EINVAL for another size; -EIO where MPI cannot be initialized.
 */
int pimdimm_mpi_begin(struct pimdimm_transport *transport);

/**
 * pimdimm_mpi_end() - be a process of MPI no more
 *
 * Calls MPI_Finalize() where pimdimm_mpi_begin() has initialized MPI, and nobody else has called
 * it. All hosts leave before, and every process makes the call: it waits for the others.
 */
void pimdimm_mpi_end(void);

/**
 * pimdimm_mpi_call() - a collective by MPI itself
 * @collective: "allreduce", "reduce_scatter", "reduce_scatter_block", "reduce", "broadcast" or
 *              "allgather": sums of 32-bit integers, with process 0 as the root; behind that word
 *              may stand ":i32", or ":f32" for sums of floats. Or "stream": each process sends its
 *              vector to the next one, the last one to the first
 * @src: this process's vector
 * @dst: what it receives; of broadcast, also what process 0 sends
 * @count: elements of a vector, of allgather those of one process
 * @counts: of reduce_scatter: elements of each process's part
 *
 * To compare MPI with hosts in one process: pimdimm_mpi_begin() has been called, as
 * every process of MPI_COMM_WORLD makes the call. It waits in MPI, as MPI's calls do.
 *
 * Return: 0; -EINVAL for another word, for more elements than MPI counts, for reduce_scatter
 * without @counts or of more than 128 processes, for reduce_scatter_block of a @count that is no
 * multiple of the processes, and where MPI is not initialized, or is
 * finalized; -EIO where MPI fails and the error handler of MPI_COMM_WORLD returns: MPI's own
 * ends the program.
 */
int pimdimm_mpi_call(const char *collective, const void *src, void *dst, uint64_t count,
		     const uint64_t counts[]);

#ifdef __cplusplus
}
#endif

#endif /* PIMDIMM_MPI_H */
