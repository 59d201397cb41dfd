/* SPDX-License-Identifier: MIT */
/*
 * Messages between PEs whose kernels are resident (<pimdimm/spmd.h>), between these
 * and the host, and between two processes: MPI's point-to-point, by travelling threads (Rodrigues and others,
 * Implications of a PIM Architectural Model for MPI, CLUSTER 2003).
 *
 * - A world is some PEs of a system, whose ranks are 0, 1 and so on, and the host, whose
 *   rank is PIMMSG_HOST. It outlives runs: what was sent to a PE waits for its next one.
 * - Matching is that of MPI 4.1: two messages of one sender that a receive matches are
 *   received in order, and of two receives that match a message the earlier one takes
 *   it. Nobody but the two kernels concerned need make a call for a message to be
 *   delivered. Without PIMMSG_ANY_SOURCE and without probes, results do not depend on
 *   the order in which threads run.
 * - A message shorter than PIMDIMM_EAGER bytes (64K; between two processes out of memory
 *   that both have mapped 8K) takes its data along; it waits in the receiver's pool of
 *   PIMDIMM_POOL bytes (16M) if its receive comes later, and the send is done at once.
 *   Longer ones, and those that have no room there, send an envelope, and are copied once,
 *   when the receive is there; copies between MRAMs are collected while kernels run, and
 *   done by entangled group.
 * - A buffer is typed (<pimdimm/types.h>): memory at ptr, or, ptr being NULL, MRAM of the
 *   own PE; the host may name any PE of the world. A send's buffer must not change, a
 *   receive's not be touched, until the request is done. Layouts of the two ends may
 *   differ; their sequences of elements must not, except that bytes of PIMTYPE_PACKED
 *   agree with everything.
 * - An end serves the thread that got it, of a kernel or of the host. As a run ends,
 *   receives into memory that have no message yet are cancelled, and sends out of memory
 *   that are not done fail at both ends; those of MRAM stay.
 * - Whoever feeds PEs while they run makes the world on another thread than the one that
 *   calls pimdimm_spmd(): PEs that wait then wait for the host, too, until it waits itself
 *   or calls pimmsg_close(). If it is the same thread, waiting for the host in vain is
 *   found to be a deadlock.
 *
 * Every function returns 0 or a negative errno unless said otherwise, with a sentence in
 * pimdimm_errmsg(): -EINVAL for a wrong argument: a rank that the end's world has not, a
 * negative tag, what lies outside of WRAM or MRAM, a type that has been freed, a receive
 * whose type has a byte twice; -ENOMEM; -EOPNOTSUPP under pimdimm_launch(), whose PEs run
 * one after another; -ENOTCONN for a PE that is in no world.
 */
#ifndef PIMDIMM_MESSAGES_H
#define PIMDIMM_MESSAGES_H

#include <stddef.h>
#include <stdint.h>

#include <pimdimm/pimdimm.h>
#include <pimdimm/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** PIMMSG_ANY_SOURCE: receives and probes: from whoever */
#define PIMMSG_ANY_SOURCE	(-1)
/** PIMMSG_ANY_TAG: receives and probes: with whatever tag */
#define PIMMSG_ANY_TAG		(-1)
/** PIMMSG_HOST: the rank of the host in a world */
#define PIMMSG_HOST		(-2)
/** PIMMSG_NONE: nobody; what is sent there or received from there is done at once */
#define PIMMSG_NONE		(-3)
/** PIMMSG_UNDEFINED: the color of who takes part in pimmsg_split() and gets no end */
#define PIMMSG_UNDEFINED	(-32766)

struct pimmsg_end;
struct pimmsg_request;
struct pimmsg_message;

/**
 * struct pimmsg_buf - data that is sent, or room for what is received
 * @ptr: memory of the host or WRAM; NULL: MRAM
 * @pe: with @ptr NULL, the PE
 * @reserved: 0
 * @part: so many of a type, from so many bytes behind @ptr or the begin of MRAM on
 */
struct pimmsg_buf {
	void *ptr;
	uint32_t pe, reserved;
	struct pimtype_part part;
};

/**
 * struct pimmsg_status - what came of a request, or what a probe has found
 * @source: the sender's rank; of a send, the receiver's; PIMMSG_NONE: nobody's
 * @tag: of the message
 * @error: 0, or a negative errno: what waiting for the request returned
 * @cancelled: 1 for a receive that pimmsg_cancel() or the end of a run has ended
 * @bytes: of the message, even if there was not so much room
 */
struct pimmsg_status {
	int32_t source, tag;
	int32_t error;
	uint32_t cancelled;
	uint64_t bytes;
};

/**
 * struct pimmsg_stats - what the messages of a world have cost so far
 * @sends: sends begun
 * @receives: receives begun
 * @eager: sends whose data travelled along: 1 hop, 2 of synchronous ones
 * @rendezvous: the others: 3 hops
 * @no_room: those of them that were short enough, but had no room in the pool
 * @posted: messages that met a receive on arrival
 * @unexpected: messages that a receive or a probe found, with their data
 * @loitered: messages that it found, without
 * @hops: how often a message went to another rank
 * @looks: how often loitering messages looked for a receive; with PIMDIMM_LOITER=poll
 * @inspected_posted: receives looked at in searches
 * @inspected_unexpected: messages looked at in searches
 * @longest_posted: the most receives that were posted to a rank
 * @longest_unexpected: the most messages that lay at a rank
 * @collected: copies between MRAMs that were collected
 * @batches: how often what was collected was done
 * @matches: a hash of who received what; equal for equal matches in whatever order
 * @packed_bytes: of long messages between two processes that were received through shared
 *   memory, packed by the sender and unpacked by the receiver
 * @mapped_bytes: of long messages between two processes that this end has copied from where
 *   they were to where they go, by memory that both map; the rest of a message, if any, is
 *   the other end's to count
 * @cma_bytes: the same, of memory that the other process does not map, by the kernel
 *   (process_vm_readv(2), process_vm_writev(2))
 * @cma_error: an errno: why this end cannot copy so; 0 where it can
 * @layouts_sent: datatypes' layouts that this end has told the other process
 * @layout_bytes: what these have taken
 * @layouts_asked: layouts of the other process's that it had to ask for, having evicted them
 */
struct pimmsg_stats {
	uint64_t sends, receives;
	uint64_t eager, rendezvous, no_room;
	uint64_t posted, unexpected, loitered;
	uint64_t hops, looks;
	uint64_t inspected_posted, inspected_unexpected;
	uint64_t longest_posted, longest_unexpected;
	uint64_t collected, batches;
	uint64_t matches;
	uint64_t packed_bytes, mapped_bytes;
	uint64_t cma_bytes;
	int64_t cma_error;
	uint64_t layouts_sent, layout_bytes, layouts_asked;
};

/**
 * pimmsg_world() - let PEs and the host exchange messages
 * @sys: the system, which has one world at a time, and no run under way
 * @first_pe: the PE of rank 0
 * @nr_pes: how many ranks, 1 at least
 * @host: the host's end
 *
 * Return: 0; -EBUSY if the system has a world; -EINVAL; -ENOMEM.
 */
int pimmsg_world(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes,
		 struct pimmsg_end **host);

/**
 * pimmsg_join() - let this process and another one exchange messages
 * @socket: a connected one of AF_UNIX, SOCK_STREAM or SOCK_SEQPACKET, whose other end the
 *   other process joins by; nothing else goes over it until both have closed their ends. It
 *   may be closed afterwards.
 * @rank: 0 in one process, 1 in the other
 * @sys: the system whose MRAM this process sends and receives, at whatever PE; NULL: none.
 *   Ranks of which long messages are sent or received are exported to the other process,
 *   as pimdimm_export() does, until that closes its end
 * @end: the end, of one thread at a time, to be closed
 *
 * Waits for the other process, PIMDIMM_TIMEOUT milliseconds at most. There are two ranks and
 * no host. What has come is looked at in every call of the end, and what needs an answer of
 * the other process waits for a call of its end. Where the other process ends, all that it
 * has not sent whole, or has not received, fails with -EPIPE; where it says what makes no
 * sense, with -EBADMSG, and nothing comes from it any more. Counters are those of this end.
 *
 * Return: 0; -EINVAL, also if both have the same rank, or not the same PIMDIMM_ZEROCOPY; -EACCES: the other process is another
 * user's; -EPROTO: its library has messages of another version; -ETIMEDOUT; -EPIPE;
 * -EBADMSG; -ENOMEM; -EMFILE or -ENFILE.
 */
int pimmsg_join(int socket, int rank, struct pimdimm *sys,
		struct pimmsg_end **end);

/**
 * pimmsg_programs() - let the host exchange messages with programs that run
 * @sys: the system
 * @first_pe: the PE of rank 0
 * @nr_pes: how many PEs
 * @host: the host's end, of one thread at a time, to be closed
 *
 * To be called before the launch of just these PEs, which run one program with <mpi.h>:
 * to them the host is rank MPIX_HOST of MPI_COMM_WORLD, and they are its ranks. Another
 * thread than that of this call launches them, by pimdimm_run(); where it is the same one,
 * what was sent before still comes, and what PEs have sent can be received afterwards. Buffers are memory of the host; elements are not
 * compared. What has come is looked at in every call of the end. PEs that wait for the host
 * are a deadlock once the end is closed, or waits as well while nothing is under way. When
 * the launch ends, what the PEs have a part in fails with -EPIPE. An end serves one launch.
 *
 * Return: 0; -EBUSY if there is an end of these PEs; -EINVAL; -ENOMEM.
 */
int pimmsg_programs(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes,
		    struct pimmsg_end **host);

/**
 * pimmsg_alloc() - memory for messages
 * @end: the end
 * @bytes: how much, 1 to 2^46
 * @ptr: the memory, all zero, at a page's begin
 *
 * Of an end of pimmsg_join() the other process maps it, too: then long messages out of such
 * memory, or into it, are copied once, from where they are to where they go, whatever the
 * datatypes at both ends. The other process can read and change it at any time. In other
 * worlds it is memory as any.
 *
 * Return: 0; -EINVAL; -ENOMEM; -EMFILE or -ENFILE.
 */
int pimmsg_alloc(struct pimmsg_end *end, size_t bytes, void **ptr);

/**
 * pimmsg_free() - give up memory for messages
 * @end: the end that it was allocated of, or one of the same world
 * @ptr: what pimmsg_alloc() returned; NULL is left alone
 *
 * No message may be under way from or to it. What is left is freed by pimmsg_close() of the
 * end of pimmsg_join() or of the host.
 *
 * Return: 0; -EINVAL where no such memory begins at @ptr.
 */
int pimmsg_free(struct pimmsg_end *end, void *ptr);

/**
 * pimmsg_self() - the end of a kernel's PE
 * @pe: the handle of the thread that will use it
 *
 * The world that was made of its system must have the PE. The end lasts as long as the
 * thread.
 *
 * Return: never NULL; where there are no messages, an end whose every call says why.
 */
struct pimmsg_end *pimmsg_self(struct pimdimm_pe *pe);

/**
 * pimmsg_close() - give up an end
 * @end: of pimmsg_join(): what was sent and is done goes to the other process if that lives,
 *   and all else is dropped; the host's: the world ends, with all messages that nobody has received, and no
 *   run may be under way that uses it; one that pimmsg_split() has made; others, and NULL,
 *   are left alone
 *
 * To be called before pimdimm_close().
 */
void pimmsg_close(struct pimmsg_end *end);

/**
 * pimmsg_rank() - who one is
 * @end: the end
 *
 * Return: its rank, PIMMSG_HOST for the host; else a negative errno of -ENOTCONN or below.
 */
int pimmsg_rank(const struct pimmsg_end *end);

/**
 * pimmsg_size() - how many there are
 * @end: the end
 *
 * Return: ranks, the host not counted, or a negative errno.
 */
int pimmsg_size(const struct pimmsg_end *end);

/**
 * pimmsg_isend() - begin to send
 * @end: the sender
 * @buf: what is sent
 * @to: the receiver's rank
 * @tag: 0 or more
 * @request: to be waited for
 *
 * Return: 0 or a negative errno; no request then.
 */
int pimmsg_isend(struct pimmsg_end *end, const struct pimmsg_buf *buf, int to,
		 int tag, struct pimmsg_request **request);

/**
 * pimmsg_issend() - begin to send, and be done only when the message is being received
 * @end: the sender
 * @buf: what is sent
 * @to: the receiver's rank
 * @tag: 0 or more
 * @request: to be waited for
 *
 * Return: 0 or a negative errno; no request then.
 */
int pimmsg_issend(struct pimmsg_end *end, const struct pimmsg_buf *buf, int to,
		  int tag, struct pimmsg_request **request);

/**
 * pimmsg_irecv() - begin to receive
 * @end: the receiver
 * @buf: room for the message
 * @from: the sender's rank, or PIMMSG_ANY_SOURCE
 * @tag: of the message, or PIMMSG_ANY_TAG
 * @request: to be waited for; that ends with -EMSGSIZE for a message that is longer than
 *   @buf, -EPROTO for one of other elements, and nothing is written then
 *
 * Return: 0 or a negative errno; no request then.
 */
int pimmsg_irecv(struct pimmsg_end *end, const struct pimmsg_buf *buf, int from,
		 int tag, struct pimmsg_request **request);

/**
 * pimmsg_send() - send, and wait until the buffer is free
 * @end: the sender
 * @buf: what is sent
 * @to: the receiver's rank
 * @tag: 0 or more
 *
 * Return: 0 or a negative errno.
 */
int pimmsg_send(struct pimmsg_end *end, const struct pimmsg_buf *buf, int to,
		int tag);

/**
 * pimmsg_ssend() - send, and wait until the message is being received
 * @end: the sender
 * @buf: what is sent
 * @to: the receiver's rank
 * @tag: 0 or more
 *
 * Return: 0 or a negative errno.
 */
int pimmsg_ssend(struct pimmsg_end *end, const struct pimmsg_buf *buf, int to,
		 int tag);

/**
 * pimmsg_recv() - receive, and wait for the message
 * @end: the receiver
 * @buf: room for the message
 * @from: the sender's rank, or PIMMSG_ANY_SOURCE
 * @tag: of the message, or PIMMSG_ANY_TAG
 * @status: what came; may be NULL
 *
 * Return: as waiting for pimmsg_irecv().
 */
int pimmsg_recv(struct pimmsg_end *end, const struct pimmsg_buf *buf, int from,
		int tag, struct pimmsg_status *status);

/**
 * pimmsg_sendrecv() - send and receive at once, and wait for both
 * @end: the end
 * @send: what is sent
 * @to: the receiver's rank
 * @send_tag: of what is sent
 * @recv: room for what is received, apart from @send
 * @from: the sender's rank, or PIMMSG_ANY_SOURCE
 * @recv_tag: of what is received, or PIMMSG_ANY_TAG
 * @status: what came; may be NULL
 *
 * Return: 0, or the first failure of the two.
 */
int pimmsg_sendrecv(struct pimmsg_end *end, const struct pimmsg_buf *send,
		    int to, int send_tag, const struct pimmsg_buf *recv,
		    int from, int recv_tag, struct pimmsg_status *status);

/**
 * pimmsg_iprobe() - whether there is a message
 * @end: the receiver
 * @from: the sender's rank, or PIMMSG_ANY_SOURCE
 * @tag: of the message, or PIMMSG_ANY_TAG
 * @found: 1 if a receive that was posted now would take one, else 0
 * @status: what it is; may be NULL
 *
 * Return: 0 or a negative errno.
 */
int pimmsg_iprobe(struct pimmsg_end *end, int from, int tag, int *found,
		  struct pimmsg_status *status);

/**
 * pimmsg_probe() - wait until there is a message
 * @end: the receiver
 * @from: the sender's rank, or PIMMSG_ANY_SOURCE
 * @tag: of the message, or PIMMSG_ANY_TAG
 * @status: what it is; may be NULL
 *
 * Return: 0 or a negative errno.
 */
int pimmsg_probe(struct pimmsg_end *end, int from, int tag,
		 struct pimmsg_status *status);

/**
 * pimmsg_mprobe() - wait until there is a message, and take it
 * @end: the receiver
 * @from: the sender's rank, or PIMMSG_ANY_SOURCE
 * @tag: of the message, or PIMMSG_ANY_TAG
 * @message: the message, to be received by pimmsg_imrecv() of an end of the same rank;
 *   nobody else receives it
 * @status: what it is; may be NULL
 *
 * Return: 0 or a negative errno.
 */
int pimmsg_mprobe(struct pimmsg_end *end, int from, int tag,
		  struct pimmsg_message **message, struct pimmsg_status *status);

/**
 * pimmsg_imrecv() - begin to receive a message that was taken
 * @end: the receiver
 * @buf: room for the message
 * @message: the message; NULL afterwards
 * @request: to be waited for, as of pimmsg_irecv()
 *
 * Return: 0 or a negative errno; no request then, and the message is still there.
 */
int pimmsg_imrecv(struct pimmsg_end *end, const struct pimmsg_buf *buf,
		  struct pimmsg_message **message,
		  struct pimmsg_request **request);

/**
 * pimmsg_test() - whether a request is done
 * @end: of the rank that began it
 * @request: the request; NULL afterwards if it is done; one that is NULL is done
 * @done: 1 or 0
 * @status: what came of it, if it is done; may be NULL
 *
 * Return: the request's error if it is done; 0; -EINVAL.
 */
int pimmsg_test(struct pimmsg_end *end, struct pimmsg_request **request,
		int *done, struct pimmsg_status *status);

/**
 * pimmsg_testall() - whether requests are done
 * @end: of the rank that began them
 * @nr: how many
 * @requests: the requests; NULL afterwards if all are done
 * @done: 1 or 0
 * @statuses: what came of each, @nr of them, if all are done; may be NULL
 *
 * Return: the first error if all are done; 0; -EINVAL.
 */
int pimmsg_testall(struct pimmsg_end *end, uint32_t nr,
		   struct pimmsg_request *requests[], int *done,
		   struct pimmsg_status statuses[]);

/**
 * pimmsg_testany() - whether one of some requests is done
 * @end: of the rank that began them
 * @nr: how many
 * @requests: the requests; the one that is done is NULL afterwards
 * @index: which one; @nr if none is, or all are NULL
 * @status: what came of it; may be NULL
 *
 * Return: the request's error; 0; -EINVAL.
 */
int pimmsg_testany(struct pimmsg_end *end, uint32_t nr,
		   struct pimmsg_request *requests[], uint32_t *index,
		   struct pimmsg_status *status);

/**
 * pimmsg_wait() - wait until a request is done
 * @end: of the rank that began it
 * @request: the request; NULL afterwards; one that is NULL is done
 * @status: what came of it; may be NULL
 *
 * Return: the request's error; -EDEADLK if the host waits for a run that has ended in a
 * deadlock, and the request goes on; -EINVAL.
 */
int pimmsg_wait(struct pimmsg_end *end, struct pimmsg_request **request,
		struct pimmsg_status *status);

/**
 * pimmsg_waitall() - wait until all of some requests are done
 * @end: of the rank that began them
 * @nr: how many
 * @requests: the requests; NULL afterwards
 * @statuses: what came of each, @nr of them; may be NULL
 *
 * Return: the first error; otherwise as pimmsg_wait().
 */
int pimmsg_waitall(struct pimmsg_end *end, uint32_t nr,
		   struct pimmsg_request *requests[],
		   struct pimmsg_status statuses[]);

/**
 * pimmsg_waitany() - wait until one of some requests is done
 * @end: of the rank that began them
 * @nr: how many
 * @requests: the requests; the one that is done is NULL afterwards
 * @index: which one; @nr if all are NULL
 * @status: what came of it; may be NULL
 *
 * Return: the request's error; otherwise as pimmsg_wait().
 */
int pimmsg_waitany(struct pimmsg_end *end, uint32_t nr,
		   struct pimmsg_request *requests[], uint32_t *index,
		   struct pimmsg_status *status);

/**
 * pimmsg_cancel() - give up a receive
 * @end: of the rank that began it
 * @request: a receive; it is to be waited for nonetheless, and its status says whether
 *   it was cancelled or had found its message
 *
 * Return: 0; -EINVAL, for sends, too.
 */
int pimmsg_cancel(struct pimmsg_end *end, struct pimmsg_request *request);

/**
 * pimmsg_barrier() - wait until all ranks have come
 * @end: the end; the host is none of those that come
 *
 * Return: 0 or a negative errno.
 */
int pimmsg_barrier(struct pimmsg_end *end);

/**
 * pimmsg_split() - groups of ranks with messages of their own
 * @end: the end; all its ranks call, a thread of each, and the host does not
 * @color: those with the same one are in the same group; PIMMSG_UNDEFINED: in none
 * @key: ranks of a group are in the order of their keys, and of their ranks in @end
 * @group: the end in the group, to be closed; NULL in none
 *
 * Return: 0 or a negative errno.
 */
int pimmsg_split(struct pimmsg_end *end, int color, int key,
		 struct pimmsg_end **group);

/**
 * pimmsg_stats() - what the messages of an end's world have cost so far
 * @end: the end
 * @stats: the counters
 *
 * Return: 0 or a negative errno.
 */
int pimmsg_stats(struct pimmsg_end *end, struct pimmsg_stats *stats);

#ifdef __cplusplus
}
#endif

#endif /* PIMDIMM_MESSAGES_H */
