/* SPDX-License-Identifier: MIT */
/*
 * Hosts: processes that work together, those of one machine in shared memory. They meet at a
 * path, or are connected by MPI (<pimdimm/mpi.h>) or what else carries messages between
 * machines (<pimdimm/transport.h>), and make collective calls on buffers of their own. The reductions are those of
 * Peng et al., "Optimizing MPI Collectives on Shared Memory Multi-Cores", SC 2023.
 *
 * Every host of a `struct pimdimm_hosts` makes the same calls in the same order, with
 * equal arguments but for pointers. One thread at a time uses it, but for
 * pimdimm_hosts_abort() and pimdimm_hosts_check(), which any may call at any time.
 * On return a host's buffers are final, and nobody reads its sources any more.
 *
 * A reduction is the left fold in the order of the hosts' numbers, as those of
 * <pimdimm/pidcomm.h>, with the same bits for every algorithm but "leader" and "leaders",
 * which bracket by machine and go where they are asked for.
 *
 * Every function that returns an int returns 0 or a negative errno, with a sentence in
 * pimdimm_errmsg():
 *
 * - -ECONNRESET: a host has died, by whatever signal; the sentence names it, its process
 *   and what it was doing. Others learn of it within a second, on other machines where
 *   another host of its machine is left to tell them.
 * - -ETIMEDOUT: a host did not come within the time allowed; it is named with what it did
 *   last.
 * - -ECANCELED: a host has called pimdimm_hosts_abort(), with these words.
 * - -EPROTO: hosts make different calls, or one call with different arguments; nothing
 *   has been moved.
 * - -EIO: what other hosts have written into the memory that is shared makes no sense.
 *
 * After these five every later call of every host returns the same error at once;
 * pimdimm_hosts_leave() goes as ever. Destinations then hold their old bytes, the results
 * or a mixture. Further:
 *
 * - -EINVAL: this host refuses its arguments. The others get -EPROTO with its sentence,
 *   nothing has been moved, and later calls go on.
 * - -EBUSY: a host that the call waits for has left; or a child of fork() calls, which has
 *   not joined.
 */
#ifndef PIMDIMM_HOSTS_H
#define PIMDIMM_HOSTS_H

#include <stddef.h>
#include <stdint.h>

#include <pimdimm/pidcomm.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pimdimm_hosts;

/**
 * struct pimdimm_hosts_options - how hosts join
 * @size: sizeof(struct pimdimm_hosts_options)
 * @timeout_ms: milliseconds that a host waits for others in any call; 0: PIMDIMM_TIMEOUT,
 *              without that 600,000
 * @sockets: processor sockets that hosts are dealt out over in blocks, for algorithms that
 *           are aware of them; 0: as many as the machine has, as host 0 sees it
 * @reserved: 0
 */
struct pimdimm_hosts_options {
	uint32_t size;
	uint32_t timeout_ms;
	uint32_t sockets;
	uint32_t reserved;
};

/**
 * struct pimdimm_hosts_info - who is where
 * @size: sizeof(struct pimdimm_hosts_info), filled in by the caller
 * @host: this host's number
 * @hosts: how many there are
 * @machine: number of this host's machine
 * @machines: how many there are
 * @local: this host's number on its machine
 * @locals: hosts of its machine
 * @reserved: 0
 */
struct pimdimm_hosts_info {
	uint32_t size;
	uint32_t host;
	uint32_t hosts;
	uint32_t machine;
	uint32_t machines;
	uint32_t local;
	uint32_t locals;
	uint32_t reserved;
};

/**
 * struct pimdimm_hosts_stats - what this host did in its last call
 * @size: sizeof(struct pimdimm_hosts_stats), filled in by the caller
 * @reserved: 0
 * @loaded: bytes loaded from buffers and shared memory, of hypercubes from MRAM and host memory;
 *          accumulators that stay in the first cache are not counted
 * @stored: bytes stored to them
 * @stored_around: of these, bytes stored around the caches
 * @copied_in: bytes copied into shared memory
 * @copied_out: bytes copied out of it
 * @peer_bytes: bytes loaded from and stored to other hosts' buffers, which lie in memory of
 *              pimdimm_hosts_alloc(), by "direct"; of hypercubes over several machines, bytes sent
 *              to hosts of this one, and of other hypercubes 0
 * @sent_bytes: bytes sent to other machines
 * @messages: messages for them
 * @waits: times that the host slept
 * @handles_made: descriptors made for others
 * @handles_mapped: descriptors of others mapped
 * @ns_arrive: nanoseconds until all had arrived
 * @ns_handles: handing descriptors over
 * @ns_fold: copying in and folding, in host memory
 * @ns_to_host: of hypercubes, from MRAM to host memory, folding on the way
 * @ns_network: of hypercubes over several machines, sending and waiting for messages; of
 *              buffers, waiting for other machines; after the arrival
 * @ns_to_mram: of hypercubes, from host memory to MRAM
 * @ns_spread: copying results; 0 of reductions by "direct", and of reduce_scatter by algorithms
 *             that store what they fold where it is received
 * @ns_leave: until all were done
 *
 * What goes from MRAM to MRAM in registers ("direct") is in none of these times. Who waits
 * for other hosts between the steps of a fold waits within it. What a host is doing when it
 * dies, as the others are told, is named in the same way: arriving, handing descriptors over,
 * folding, copying from MRAM, exchanging messages, copying to MRAM, copying results, leaving the
 * call; and copying from MRAM to MRAM.
 *
 * A barrier, and a call whose vector comes with the arrival ("flat"), has no times: reading
 * a clock would be a good part of it.
 *
 * Bytes loaded and stored, added up over the hosts, are the data access volume that the
 * paper's tables give. Of calls on hypercubes @loaded is 64 times the blocks read and the host
 * bytes read of pidcomm_stats(), @stored the same of those written. There @stored_around,
 * @copied_in, @copied_out and @ns_spread are 0: how blocks are stored may be tried anew in each
 * call, and host memory that passes a call's data on is counted as any other.
 */
struct pimdimm_hosts_stats {
	uint32_t size;
	uint32_t reserved;
	uint64_t loaded;
	uint64_t stored;
	uint64_t stored_around;
	uint64_t copied_in;
	uint64_t copied_out;
	uint64_t peer_bytes;
	uint64_t sent_bytes;
	uint64_t messages;
	uint64_t waits;
	uint64_t handles_made;
	uint64_t handles_mapped;
	uint64_t ns_arrive;
	uint64_t ns_handles;
	uint64_t ns_fold;
	uint64_t ns_to_host;
	uint64_t ns_network;
	uint64_t ns_to_mram;
	uint64_t ns_spread;
	uint64_t ns_leave;
};

/**
 * pimdimm_hosts_join() - become one of several hosts
 * @meeting: a path that all hosts name, at most 107 bytes long, where no file is; the
 *           first to come makes a socket there, and removes it when all have come. What a
 *           host that was killed has left there is replaced. NULL: @host, @count and the
 *           path are what the launcher's environment says, of Open MPI's mpirun
 *           (OMPI_COMM_WORLD_RANK), MPICH's (PMI_RANK) or srun (SLURM_PROCID), all of whose
 *           processes are on this machine
 * @host: this host's number, below @count
 * @count: how many hosts there are, 1 to 128
 * @options: or NULL
 * @hosts: receives what the other functions take
 *
 * Waits until all have come. Hosts that may run on the same processors, by their affinity
 * masks, share them out where there are enough: until the host leaves, systems that its process
 * opens have threads on its own alone, and no more of them unless PIMDIMM_THREADS says so. With
 * PIMDIMM_LOG=hosts a host that has waited 10 s, here or in any call, says on standard error
 * for whom.
 *
 * Return: 0; -EINVAL for a number that is taken, or without a launcher; -EOPNOTSUPP for one whose
 * processes are on several machines; -EPROTO for hosts of another version of
 * the library, or that have another @count; -EACCES for hosts of another user; -ETIMEDOUT
 * with the numbers of those that did not come; -ECONNRESET when a host died meanwhile;
 * -EMFILE where the host that listens has no descriptor left for another one; -ENOMEM.
 */
int pimdimm_hosts_join(const char *meeting, uint32_t host, uint32_t count,
		       const struct pimdimm_hosts_options *options,
		       struct pimdimm_hosts **hosts);

/**
 * pimdimm_hosts_split() - make groups of hosts that work on their own
 * @hosts: all of them
 * @color: hosts that give the same number form a group; of a negative one, none
 * @key: hosts of a group are numbered in this order, equal ones as in @hosts
 * @part: receives the group, to be left by pimdimm_hosts_leave(); NULL without one
 *
 * Hosts on several machines may be grouped as they like; those of a group on one machine use
 * shared memory alone. Groups that have hosts on several machines send by the same transport,
 * by tags of their own: 4095 such groups may exist at a time, hypercubes included.
 *
 * Return: 0; -ENOSPC for a group too many; or another negative errno.
 */
int pimdimm_hosts_split(struct pimdimm_hosts *hosts, int color, int key,
			struct pimdimm_hosts **part);

/**
 * pimdimm_hosts_info() - who is where
 * @hosts: the hosts
 * @info: receives it; its size must be set
 *
 * Return: 0 or -EINVAL.
 */
int pimdimm_hosts_info(const struct pimdimm_hosts *hosts, struct pimdimm_hosts_info *info);

/**
 * pimdimm_hosts_check() - whether the hosts still stand
 * @hosts: the hosts
 *
 * It never waits. Other machines are heard of by the thread that made the last call, or by any
 * where the transport allows it (MPI_THREAD_MULTIPLE). Hosts that have left break nothing.
 *
 * Return: 0, or the error that the next call would return: -ECONNRESET for a host that has
 * died, -ECANCELED, -ETIMEDOUT, -EPROTO or -EIO; -EBUSY in a child of fork().
 */
int pimdimm_hosts_check(const struct pimdimm_hosts *hosts);

/**
 * pimdimm_hosts_abort() - have all calls of all hosts end
 * @hosts: the hosts
 * @why: what the others are told, at most 400 bytes of it
 *
 * Calls that wait, of any host, return -ECANCELED with these words, and so do all later
 * ones. It never waits.
 *
 * Return: 0, also where something else has broken before; -EINVAL or -EBUSY.
 */
int pimdimm_hosts_abort(struct pimdimm_hosts *hosts, const char *why);

/**
 * pimdimm_hosts_leave() - be a host no longer
 * @hosts: the hosts, or NULL
 *
 * It never waits. Buffers of pimdimm_hosts_alloc() are freed. Calls of others that wait
 * for this host are -EBUSY.
 */
void pimdimm_hosts_leave(struct pimdimm_hosts *hosts);

/**
 * pimdimm_hosts_alloc() - memory that all hosts of the machine map
 * @hosts: the hosts, which all make the call
 * @bytes: what each of them gets; more than 0
 * @buf: receives this host's part, filled with zeros
 *
 * Collectives whose buffers all lie in such memory copy nothing on the way.
 *
 * Return: 0, -EINVAL, -ENOMEM, or what broke.
 */
int pimdimm_hosts_alloc(struct pimdimm_hosts *hosts, size_t bytes, void **buf);

/**
 * pimdimm_hosts_free() - give memory back
 * @hosts: the hosts
 * @buf: of pimdimm_hosts_alloc(), or NULL
 *
 * No call may be using it, of any host. Hosts whose buffers are alike free them in the
 * order in which they were made; addresses come back when all have freed theirs.
 */
void pimdimm_hosts_free(struct pimdimm_hosts *hosts, void *buf);

/**
 * pimdimm_hosts_barrier() - wait until all hosts have come here
 * @hosts: the hosts
 *
 * Return: 0 or a negative errno.
 */
int pimdimm_hosts_barrier(struct pimdimm_hosts *hosts);

/*
 * Collectives on buffers, which are multiples of an element's bytes in memory. src == dst
 * is allowed for allreduce and reduce, in allgather where src lies at this host's place of
 * dst; any other overlap is -EINVAL. Vectors of 0 elements are valid.
 */

/**
 * pimdimm_hosts_allreduce() - every host gets the element-wise reduction
 * @hosts: the hosts
 * @src: this host's vector
 * @dst: receives the result; may equal @src
 * @count: elements
 * @type: their type
 * @op: the operation
 *
 * Return: 0 or a negative errno.
 */
int pimdimm_hosts_allreduce(struct pimdimm_hosts *hosts, const void *src, void *dst,
			    uint64_t count, enum pidcomm_type type, pidcomm_op op);

/**
 * pimdimm_hosts_reduce_scatter() - every host gets its part of the reduction
 * @hosts: the hosts
 * @src: this host's vector, the parts of all hosts one after the other
 * @dst: receives this host's part
 * @counts: elements of each host's part, the same at all hosts
 * @type: type of the elements
 * @op: the operation
 *
 * Return: 0 or a negative errno.
 */
int pimdimm_hosts_reduce_scatter(struct pimdimm_hosts *hosts, const void *src, void *dst,
				 const uint64_t counts[], enum pidcomm_type type, pidcomm_op op);

/**
 * pimdimm_hosts_reduce() - one host gets the element-wise reduction
 * @hosts: the hosts
 * @src: this host's vector
 * @dst: receives the result at the root, where it may equal @src; elsewhere it may be NULL
 * @count: elements
 * @type: their type
 * @op: the operation
 * @root: the host that gets it
 *
 * Return: 0 or a negative errno.
 */
int pimdimm_hosts_reduce(struct pimdimm_hosts *hosts, const void *src, void *dst,
			 uint64_t count, enum pidcomm_type type, pidcomm_op op, uint32_t root);

/**
 * pimdimm_hosts_broadcast() - every host gets what one has
 * @hosts: the hosts
 * @buf: the root's is read, the others' are written
 * @bytes: of each
 * @root: the host that has it
 *
 * Return: 0 or a negative errno.
 */
int pimdimm_hosts_broadcast(struct pimdimm_hosts *hosts, void *buf, uint64_t bytes,
			    uint32_t root);

/**
 * pimdimm_hosts_allgather() - every host gets what all have, in the order of the hosts
 * @hosts: the hosts
 * @src: what this host has
 * @dst: receives the bytes of all; this host's place in it may be @src
 * @bytes: of each host
 *
 * Return: 0 or a negative errno.
 */
int pimdimm_hosts_allgather(struct pimdimm_hosts *hosts, const void *src, void *dst,
			    uint64_t bytes);

/**
 * pimdimm_hosts_set_algorithm() - choose how a collective runs
 * @hosts: the hosts, all of which choose the same
 * @collective: "allreduce", "reduce_scatter", "reduce", "broadcast", "allgather", or NULL
 *              for all five, of which those that the algorithm does not serve become "auto"
 * @algorithm: a name, or a name, a colon and how results are stored
 *
 * With s bytes of a vector, p hosts and m sockets, all hosts together load and store so
 * many bytes, of elements that are not folded in a wider type:
 *
 * - "flat": at most 4096 bytes, which come with the arrival.
 * - "direct": all buffers are of pimdimm_hosts_alloc(), else -EINVAL. allreduce 2sp, reduce
 *   and reduce_scatter s(p + 1), broadcast sp, allgather sp(1 + p).
 * - "ma": movement-avoiding (section III of the paper): allreduce s(5p - 1), reduce
 *   s(3p + 1), reduce_scatter s(3p - 1). Its order is another one for each part of the
 *   vector: floating-point numbers and users' operations go by "wave".
 * - "wave": the same in the order of the hosts: reduce_scatter s(3p + 1).
 * - "pipelined": broadcast 2sp, allgather 2sp(1 + p).
 * - "dpml": all hosts copy in all that they have: allreduce s(7p - 1), reduce s(5p + 1),
 *   reduce_scatter s(5p - 1).
 * - "ma+socket": the hosts of each socket fold among themselves, where m divides p, else
 *   "ma": allreduce s(5p + 2m - 3), reduce s(3p + 2m - 1), reduce_scatter s(3p + 2m - 3).
 *   Floating-point sums and users' operations are -EOPNOTSUPP.
 * - "dpml2": so do they, then those of each socket fold its copies, where m divides p, and all
 *   combine the sockets' results: allreduce s(7p - 3), reduce s(5p - 1); -EOPNOTSUPP as above.
 * - "rg": a tree in which a host folds what two others have: with p a power of 3, reduce
 *   3s(p - 1) + 4sp / 3, allreduce 2sp more; -EOPNOTSUPP as above.
 * - "rabenseifner": messages as of "ring", between halves of the hosts, of halves and so on: the
 *   same volume.
 * - "ring": messages that are copied in and out: allreduce 11s(p - 1), reduce_scatter
 *   7s(p - 1); -EOPNOTSUPP as above.
 *
 * Hosts on several machines have these instead, with M machines and r hosts of the machine
 * that has the fewest; bytes are those that a host sends to other machines:
 *
 * - "leaders": a machine's hosts fold among themselves, r of them exchange a part each with
 *   their like in a ring, and the machine shares the results: allreduce 2s(M - 1)/(Mr),
 *   reduce_scatter and reduce about half of that, broadcast s/r, allgather the bytes of M - 1
 *   machines by r. Reductions are bracketed by machine, and folded in other orders.
 * - "leader": the same with r = 1.
 * - "chain": accumulators go from host to host in their order, over the network where the
 *   next one is on another machine: reductions s for each such step, results of allreduce s
 *   for each further machine.
 *
 * - "auto": the first of these that serves the call; "chain" rather than "leaders" for
 *   floating-point numbers and users' operations.
 *
 * Stores of results: "t-copy" go through the caches, "nt-copy" around them, "memmove" are
 * the C library's; "adaptive", without a colon too, goes around them where the call touches
 * more than they hold (section IV), or as PIMDIMM_NT says; those of "flat" on one machine go
 * through them all the same. What is copied into shared memory goes through the caches; with
 * "adaptive" each host tries both in some of its calls of a collective and size, more and
 * more rarely, and goes on by the faster one, since it depends on how far apart the hosts'
 * cores are.
 *
 * Return: 0; -EINVAL for an unknown name; -EOPNOTSUPP for an algorithm that does not serve
 * the collective. Calls of an algorithm that does not serve their type or size are
 * -EOPNOTSUPP.
 */
int pimdimm_hosts_set_algorithm(struct pimdimm_hosts *hosts, const char *collective,
				const char *algorithm);

/**
 * pimdimm_hosts_stats() - what this host did in its last call
 * @hosts: the hosts
 * @last_call: receives it; its size must be set
 *
 * Return: 0 or -EINVAL.
 */
int pimdimm_hosts_stats(const struct pimdimm_hosts *hosts,
			struct pimdimm_hosts_stats *last_call);

struct pidcomm;
struct pimdimm;

/** define PIDCOMM_HOME - of a group: the host that has its member 0 */
#define PIDCOMM_HOME UINT32_MAX

/**
 * pidcomm_create_hosts() - make a hypercube over the PEs of several hosts
 * @hosts: the hosts, which all make the call
 * @sys: this host's system; as long as the hypercube lives. Hosts may have different numbers
 *       of ranks, of one MRAM size and layout
 * @ndims: how many axes there are
 * @dims: their lengths, as in pidcomm_create(), the same at all hosts
 * @hc: receives the hypercube, for pidcomm_destroy(), which never waits
 *
 * Node i is PE i, counted through all hosts' systems in the order of the hosts' numbers.
 * The hypercube is used as one of pidcomm_create(), with the same bits as results: every
 * host makes the same calls with equal arguments, but for operations of users, which each
 * has its own, and host buffers. Of these, bufs[g] counts at the root of group g alone,
 * see pidcomm_set_root(); elsewhere it may be NULL. On return a host's MRAM and buffers are
 * final, and nobody reads its sources any more. Plans and requests are started in the same
 * order by all hosts. Calls fail as <pimdimm/hosts.h> says; where a host fails by itself, by
 * an injected fault say, the others return -EIO with its sentence, and later calls go on.
 *
 * Algorithms are "direct", "staged", "conventional" and "auto". "direct" works on all hosts'
 * MRAM, mapped by descriptors of pimdimm_export(): it moves what one process would, each
 * byte once, whichever host does so first. In "staged" every host works on its own MRAM: it
 * folds its own members in registers, going on with what the hosts before it have folded in
 * memory that all map; what is not folded passes through such memory. "auto" is "direct" for
 * small calls. Of larger ones host 0 has each kind go every way a few times, "direct", "staged"
 * of what is folded and of broadcast, and where few hosts have the buffers of reduce and broadcast
 * vectors in such memory that all work on, with results stored through the caches and around
 * them; it keeps to the fastest, and all hosts do the same, as they do with the stores of any
 * call. Where a host hands no descriptors over, of mem:file= or of
 * dev: with strict=1 say, "staged", and "direct" is -EOPNOTSUPP. Groups' buffers are touched by
 * the hosts that have them alone, unless all groups' lie in memory of pimdimm_hosts_alloc(@hosts):
 * then "direct" has all hosts work on them. Others are -EOPNOTSUPP, and so are collectives on
 * datatypes. Transfers, launches and messages stay those of each system.
 *
 * Hosts on several machines may have a hypercube, too (section IX-A of the PID-Comm paper), with
 * groups over all of them and any axes. They have "staged", "auto", which is the same, and
 * "conventional". Hosts share no memory then, and what they have for each other goes in messages.
 * Memory for these is taken before a call begins: a host that has none refuses the call, -ENOMEM
 * there and -EPROTO with its sentence elsewhere, and later calls go on. Accumulators of reductions
 * go from host to host in the order of ranks, so that the bits are those of one process, also of
 * floating-point numbers. Of alltoall the lanes are exchanged before blocks are sent. What all
 * hosts of a group get is sent to one host of each machine, which hands it on.
 * With s bytes of a member's vector on the larger side, a group over H hosts of L members each on
 * as many machines sends: alltoall L s (H - 1) / H from each host, allgather s (H - 1) / H,
 * reductions s to each next host, and of allreduce and broadcast s to each further machine.
 * pidcomm_hosts_stats() has what was sent. Requests need a transport that any thread may use
 * (MPI_THREAD_MULTIPLE), else they are -EOPNOTSUPP; plans do not.
 *
 * Return: 0; -EINVAL, with both values, where axes, layouts, MRAM sizes or PIMDIMM_ISA
 * differ; -EIO for a descriptor that is not what it should be; -ENOMEM, or what broke.
 */
int pidcomm_create_hosts(struct pimdimm_hosts *hosts, struct pimdimm *sys, unsigned ndims,
			 const uint32_t dims[], struct pidcomm **hc);

/**
 * pidcomm_place() - where a PE of a hypercube is
 * @hc: the hypercube
 * @pe: the node's number; of a hypercube of one process, a PE of its system
 * @host: receives whose it is, 0 in one process; or NULL
 * @local_pe: receives its number in that host's system; or NULL
 *
 * Return: 0 or -EINVAL.
 */
int pidcomm_place(const struct pidcomm *hc, uint32_t pe, uint32_t *host, uint32_t *local_pe);

/**
 * pidcomm_set_root() - which host has the groups' buffers
 * @hc: a hypercube of pidcomm_create_hosts(), the same at all hosts
 * @host: the root of all groups, or PIDCOMM_HOME, as at first: each group's is its home,
 *        the host that has its member 0
 *
 * Plans keep no root: what is set counts when they run.
 *
 * Return: 0 or -EINVAL.
 */
int pidcomm_set_root(struct pidcomm *hc, uint32_t host);

/**
 * pidcomm_hosts_stats() - what this host did and waited for in the hypercube's last call
 * @hc: a hypercube of pidcomm_create_hosts()
 * @last_call: receives it; its size must be set
 *
 * Before the first call it is what making the hypercube took. Blocks, and bytes of host memory
 * apart from these, are in pidcomm_stats(), a host's own share: with "direct" those of all hosts
 * add up to what one process counts.
 *
 * Return: 0 or -EINVAL.
 */
int pidcomm_hosts_stats(const struct pidcomm *hc, struct pimdimm_hosts_stats *last_call);

#ifdef __cplusplus
}
#endif

#endif /* PIMDIMM_HOSTS_H */
