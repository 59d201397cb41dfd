/* SPDX-License-Identifier: MIT */
/*
 * What carries messages between hosts on different machines: a few functions that the
 * caller supplies. <pimdimm/mpi.h> has those of an MPI library.
 */
#ifndef PIMDIMM_TRANSPORT_H
#define PIMDIMM_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

#include <pimdimm/hosts.h>

#ifdef __cplusplus
extern "C" {
#endif

/** define PIMDIMM_ANY_HOST - of a receive: whoever sends */
#define PIMDIMM_ANY_HOST UINT32_MAX

/**
 * struct pimdimm_transport - messages between hosts
 * @size: sizeof(struct pimdimm_transport)
 * @host: this host's number
 * @hosts: how many hosts there are, 1 to 128
 * @max_bytes: the longest message, 262144 at least
 * @ctx: handed to all functions
 * @isend: begins to send memory to a host and sets *request
 * @irecv: begins to receive a message of exactly so many bytes from a host, or from
 *         PIMDIMM_ANY_HOST, and sets *request
 * @test: whether a request has ended: 1, it is no more then; 0, not yet
 * @forget: nobody asks after these requests any more. The memory, of malloc(), is the
 *          transport's from now on, which frees it once none of them can touch it
 * @mine: whether the calling thread may call these functions while another thread, which
 *        makes the hosts' calls, may be in one of them, by a lock of the transport's own: 1
 *        or 0
 * @release: nothing is called any more; frees @ctx when all that was forgotten has ended
 * @refused: NULL, or why there is no transport: what pimdimm_hosts_from_transport() then says,
 *           returning -EINVAL, and nothing else counts
 * @progress: NULL, or called, with NULL, now and then while a host waits for others, until it
 *            leaves: also where all are on one machine, and the transport is released
 * @together: not 0: all hosts leave at one point of the program, as all call MPI_Comm_free();
 *            nobody waits for one that has left, and none tells the others
 *
 * While one request is asked after, all others go on.
 *
 * No function waits: a host that waits for messages looks, between two calls of @test, for
 * the deadline, for an abort and for the other processes of its machine. Those that return
 * an int return 0, or a negative errno where the other host cannot be reached any more.
 * Messages between two hosts with one tag arrive in the order in which they were sent and
 * are received in the order in which receives began. Tags are 0 to 32767. Hypercubes and
 * parts of the hosts use the same transport, with other tags.
 */
struct pimdimm_transport {
	uint32_t size;
	uint32_t host;
	uint32_t hosts;
	uint32_t max_bytes;
	void *ctx;
	int (*isend)(void *ctx, const void *buf, size_t bytes, uint32_t to, uint32_t tag,
		     void **request);
	int (*irecv)(void *ctx, void *buf, size_t bytes, uint32_t from, uint32_t tag,
		     void **request);
	int (*test)(void *ctx, void *request);
	void (*forget)(void *ctx, void *const requests[], size_t count, void *memory);
	int (*mine)(void *ctx);
	void (*release)(void *ctx);
	const char *refused;
	void (*progress)(void *nothing);
	int together;
};

/**
 * pimdimm_hosts_from_transport() - become one of several hosts that a transport connects
 * @transport: copied; its context is the hosts' from now on, also where this fails,
 *             but for -EINVAL
 * @options: or NULL
 * @hosts: receives what the functions of <pimdimm/hosts.h> take
 *
 * Waits until all have come. Hosts that see one folder for temporary files, of one user and
 * running kernel, form a machine, and meet there through shared memory. Hosts whose
 * environment has different values of PIMDIMM_MACHINE are on different machines all the
 * same. Machines are numbered in the order of their first hosts.
 *
 * Return: 0 or a negative errno, as pimdimm_hosts_join().
 */
int pimdimm_hosts_from_transport(const struct pimdimm_transport *transport,
				 const struct pimdimm_hosts_options *options,
				 struct pimdimm_hosts **hosts);

#ifdef __cplusplus
}
#endif

#endif /* PIMDIMM_TRANSPORT_H */
