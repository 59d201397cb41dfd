/* SPDX-License-Identifier: MIT */
/*
 * The eight PID-Comm collectives on virtual hypercubes of PEs, and four on derived
 * datatypes.
 * Noh et al., "PID-Comm: A Fast and Flexible Collective Communication Framework
 * for Commodity Processing-in-DIMM Devices", ISCA 2024.
 *
 * A hypercube lays axes over the first PEs of a system: dims[0..n-1], axis 0
 * fastest, node i is PE i; or by pidcomm_create_on() over others. A call names the axes that form its groups with a
 * string of n characters, '1' for a chosen axis: of (x, y, z), "010" is y. The
 * members of a group are ranked, and the groups numbered, by the mixed radix of
 * the chosen, respectively the other, coordinates, axis 0 fastest. All groups
 * take part in one call; with no axis chosen each PE is a group of its own.
 *
 * Rules of all collectives, but for sizes and overlaps of those on datatypes:
 *
 * - Offsets are bytes in each PE's MRAM, multiples of 8. With n members a group,
 *   `bytes` is a PE's bytes on the larger side and chunk = bytes / n. It is a
 *   multiple of 8n for alltoall, reduce_scatter and allgather, of 8 for the
 *   others; 0 is valid and does nothing.
 * - In place: src == dst is allowed for alltoall, reduce_scatter, allreduce and
 *   allgather. Any other intersection of the ranges read and written is -EINVAL.
 * - The host is the root of scatter, gather, reduce and broadcast; bufs[group] is
 *   each group's buffer, of any alignment. Buffers that are read may coincide.
 * - A reduction is the left fold in rank order, ((m0 op m1) op m2) ..., for every
 *   type and algorithm but ring and tree; integers wrap, F16 and BF16 fold in
 *   fp32 and round once, to nearest even. MIN is b < a ? b : a and MAX
 *   b > a ? b : a, a being the fold so far. Logical operations give 1 or 0 of the
 *   type. Results are the same bits whatever the threads, the algorithm and the
 *   instruction set, but for the payload of NaNs. With one member the data is
 *   copied unchanged.
 * - Arguments are checked first: a refused call changes nothing. PEs outside the
 *   hypercube, and MRAM outside the ranges written, keep every byte.
 * - -EIO (a transfer failed) and -ENODEV (a rank is gone), which injected faults
 *   cause, may come before the call has moved anything or after, and the sentence
 *   names the rank. The ranges that the call writes, in MRAM of every rank and in host
 *   buffers, then hold their old bytes, the results, or a mixture; all else keeps
 *   every byte, the ranges read too unless they are those written. After -EIO the
 *   call may be made again, in place once its source is made good. After -ENODEV
 *   what the rank held is lost and its window is memory without contents; every
 *   later call that concerns the rank is -ENODEV, others go on.
 *
 * Every function returns 0 or a negative errno unless said otherwise: -EINVAL
 * and a sentence in pimdimm_errmsg() for a wrong argument; -EOPNOTSUPP where the
 * algorithm set does not serve the call; -ENOMEM when an algorithm's staging
 * memory is not to be had, which leaves MRAM as it was, but see
 * pidcomm_set_algorithm(); -EBUSY, in a system opened with strict=1, while a launch
 * runs on a rank that the hypercube has PEs of, or a collective that PEs help with,
 * or, where they are to help with this one, any other. A struct pidcomm may be
 * used by one thread at a time; two of them may run at once on disjoint ranges.
 */
#ifndef PIMDIMM_PIDCOMM_H
#define PIMDIMM_PIDCOMM_H

#include <stddef.h>
#include <stdint.h>

#include <pimdimm/pimdimm.h>
#include <pimdimm/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** define PIDCOMM_MAX_DIMS - the most axes of a hypercube */
#define PIDCOMM_MAX_DIMS 16

struct pidcomm;

/**
 * enum pidcomm_type - the type of an element
 * @PIDCOMM_I8: signed, 8 bits
 * @PIDCOMM_I16: signed, 16 bits
 * @PIDCOMM_I32: signed, 32 bits
 * @PIDCOMM_I64: signed, 64 bits
 * @PIDCOMM_U8: unsigned, 8 bits
 * @PIDCOMM_U16: unsigned, 16 bits
 * @PIDCOMM_U32: unsigned, 32 bits
 * @PIDCOMM_U64: unsigned, 64 bits
 * @PIDCOMM_F16: IEEE binary16
 * @PIDCOMM_BF16: bfloat16
 * @PIDCOMM_F32: IEEE binary32
 * @PIDCOMM_F64: IEEE binary64
 */
enum pidcomm_type {
	PIDCOMM_I8,
	PIDCOMM_I16,
	PIDCOMM_I32,
	PIDCOMM_I64,
	PIDCOMM_U8,
	PIDCOMM_U16,
	PIDCOMM_U32,
	PIDCOMM_U64,
	PIDCOMM_F16,
	PIDCOMM_BF16,
	PIDCOMM_F32,
	PIDCOMM_F64,
};

/**
 * typedef pidcomm_op - what a reduction does with two elements
 *
 * One of MPI's ten, PIDCOMM_SUM, PIDCOMM_PROD, PIDCOMM_MIN, PIDCOMM_MAX, PIDCOMM_LAND,
 * PIDCOMM_BAND, PIDCOMM_LOR, PIDCOMM_BOR, PIDCOMM_LXOR and PIDCOMM_BXOR, of which those
 * on bits do not serve floating point; or one that pidcomm_op_create() has made.
 */
typedef struct pidcomm_op_s * pidcomm_op;

#define PIDCOMM_SUM	((pidcomm_op)(uintptr_t)1)
#define PIDCOMM_PROD	((pidcomm_op)(uintptr_t)2)
#define PIDCOMM_MIN	((pidcomm_op)(uintptr_t)3)
#define PIDCOMM_MAX	((pidcomm_op)(uintptr_t)4)
#define PIDCOMM_LAND	((pidcomm_op)(uintptr_t)5)
#define PIDCOMM_BAND	((pidcomm_op)(uintptr_t)6)	/* not on floats */
#define PIDCOMM_LOR	((pidcomm_op)(uintptr_t)7)
#define PIDCOMM_BOR	((pidcomm_op)(uintptr_t)8)	/* not on floats */
#define PIDCOMM_LXOR	((pidcomm_op)(uintptr_t)9)
#define PIDCOMM_BXOR	((pidcomm_op)(uintptr_t)10)	/* not on floats */

/**
 * typedef pidcomm_op_fn - a user-defined operation: inout[i] = inout[i] op in[i]
 * @inout: elements of lower ranks, in the host domain; receives the result
 * @in: elements of higher ranks, in the host domain
 * @count: how many
 * @type: their type
 * @ctx: as given to pidcomm_op_create()
 *
 * It need not commute. It may be called from several threads at once, for the
 * elements of several members together, in pieces of any size, and for the same
 * elements more than once, where they fill lanes whose result is dropped.
 */
typedef void (*pidcomm_op_fn)(void *inout, const void *in, size_t count,
			      enum pidcomm_type type, void *ctx);

/**
 * pidcomm_op_create() - make an operation of a function
 * @fn: the function
 * @ctx: handed to each of its calls
 * @op: receives the operation
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int pidcomm_op_create(pidcomm_op_fn fn, void *ctx, pidcomm_op *op);

/**
 * pidcomm_op_free() - end an operation's life
 * @op: the operation; NULL and the built-in ones are left alone
 *
 * No call may be using it. Later calls that name it are refused with -EINVAL.
 */
void pidcomm_op_free(pidcomm_op op);

/**
 * pidcomm_create() - lay a virtual hypercube over a system
 * @sys: the system, which must outlive the hypercube
 * @ndims: number of axes, 1 to 16
 * @dims: length of each axis; every one but the last a power of two (1 too);
 *        the product a multiple of 8 and at most the system's PEs
 * @hc: receives the hypercube
 *
 * PID-Comm, section IV.
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int pidcomm_create(struct pimdimm *sys, unsigned ndims, const uint32_t dims[],
		   struct pidcomm **hc);

/**
 * pidcomm_create_on() - lay a virtual hypercube over a part of a system
 * @sys: the system, which must outlive the hypercube
 * @egs: numbers of entangled groups, each once and in any order, or NULL. Entangled
 *       group e is PEs 8 * e to 8 * e + 7: bank e % 8 of rank e / 8
 * @first_eg: where @egs is NULL, the first of @nr_egs that follow each other; else 0
 * @nr_egs: how many
 * @ndims: number of axes, 1 to 16
 * @dims: length of each axis; every one but the last a power of two (1 too); the product
 *        is 8 * @nr_egs
 * @hc: receives the hypercube
 *
 * Node i is PE 8 * @egs[i / 8] + i % 8, or 8 * @first_eg + i. Everything else is as with
 * pidcomm_create(); PEs are named by their numbers in the system. Several hypercubes that
 * have no PE in common may be used at once, a thread each. What befalls a rank of which a
 * hypercube has no PEs, an injected fault or with strict=1 a launch, is nothing to it.
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int pidcomm_create_on(struct pimdimm *sys, const uint32_t egs[], uint32_t first_eg,
		      uint32_t nr_egs, unsigned ndims, const uint32_t dims[],
		      struct pidcomm **hc);

/**
 * pidcomm_destroy() - end a hypercube's life
 * @hc: the hypercube, or NULL; it waits for outstanding requests and invalidates
 *      them; its plans must have been freed
 *
 * MRAM keeps its contents.
 */
void pidcomm_destroy(struct pidcomm *hc);

/**
 * pidcomm_group_count() - how many groups a choice of axes makes
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @groups: receives the number of groups, unless NULL
 * @members: receives the members of each, unless NULL
 *
 * Return: 0 or -EINVAL.
 */
int pidcomm_group_count(const struct pidcomm *hc, const char *axes,
			uint32_t *groups, uint32_t *members);

/**
 * pidcomm_group_of() - where a PE stands
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @pe: a PE of the hypercube
 * @group: receives its group's number, unless NULL
 * @rank: receives its rank in the group, unless NULL
 *
 * Return: 0 or -EINVAL.
 */
int pidcomm_group_of(const struct pidcomm *hc, const char *axes, uint32_t pe,
		     uint32_t *group, uint32_t *rank);

/**
 * pidcomm_set_algorithm() - choose how a collective runs
 * @hc: the hypercube
 * @collective: "alltoall", "reduce_scatter", "allreduce", "allgather", "scatter",
 *              "gather", "reduce", "broadcast", or NULL for all eight
 * @algorithm: "auto", "direct", "conventional", "ring", "tree", "pr", "pr+im",
 *             "pr+im+cm", as `pimdimm info --algorithms` lists them
 *
 * "direct" moves each MRAM byte once (PID-Comm, section V, without its
 * reordering by PEs); "conventional" goes through host memory, as the paper's
 * baseline does (section III). "auto" takes "direct".
 *
 * "ring" and "tree" serve allreduce, for comparison (figure 23a). They go through
 * MRAM step by step and fold in orders of their own, rounding to the type at each
 * step, so that floats differ from the left fold, and F16 and BF16 round more than
 * once.
 *
 * "ring": a group that has members in e entangled groups, l in each, so that
 * member i * l + j is the j-th of the i-th, cuts its w words of 8 bytes into chunks
 * c = 0 to e - 1, which begin at word w * c / e, rounded down. Chunk c of members
 * with the same j is folded in the order of i = c, c + 1, ... e - 1, 0, ... c - 1;
 * then the l results in the order of j, rounding once. User-defined operations,
 * which need not commute, are -EOPNOTSUPP when called.
 *
 * "tree": for d = 1, 2, 4, ... what rank r has, a multiple of 2d, is folded with
 * what rank r + d has, if there is one. This is rank order with other brackets, so
 * user-defined operations are served; one that is not associative gives what the
 * brackets make of it.
 *
 * "pr", "pr+im" and "pr+im+cm" are the paper's steps, for its ablation (figure 16).
 * They serve alltoall, reduce_scatter, allreduce, allgather and reduce, and give
 * the same bits as "direct". PEs reorder their own MRAM through WRAM, by kernels of the
 * library that leave a program loaded on them as it is; between, "pr" moves whole
 * blocks in host memory, "pr+im" in registers, "pr+im+cm" in registers without a
 * domain transfer. No MRAM is needed beyond the ranges of the call:
 *
 * - reduce_scatter, whose dst is too short, and reduce, which has none, reorder src
 *   and put it back before they return. Nothing else may read src meanwhile. In
 *   place reduce_scatter would have nothing to put back: src == dst is -EOPNOTSUPP.
 * - "pr+im+cm" reduces I8 and U8 with built-in operations alone, as bytes are
 *   elements in either domain: another type or operation is -EOPNOTSUPP.
 *
 * Return: 0; -EINVAL for an unknown name; -EOPNOTSUPP for an algorithm that does
 * not serve the collective.
 */
int pidcomm_set_algorithm(struct pidcomm *hc, const char *collective,
			  const char *algorithm);

/**
 * pidcomm_alltoall() - chunk c of member r becomes chunk r of member c
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE: n chunks; a multiple of 8n
 * @src: MRAM offset of each member's n chunks
 * @dst: MRAM offset of the n chunks received; may equal @src
 *
 * PID-Comm, section V-A.
 *
 * Return: 0 or a negative errno.
 */
int pidcomm_alltoall(struct pidcomm *hc, const char *axes, uint64_t bytes,
		     uint64_t src, uint64_t dst);

/**
 * pidcomm_reduce_scatter() - member r gets the reduction of all chunks r
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE: n chunks; a multiple of 8n
 * @src: MRAM offset of each member's n chunks
 * @dst: MRAM offset of the chunk received; may equal @src, then the result
 *       overwrites chunk 0
 * @type: type of the elements
 * @op: the operation
 *
 * PID-Comm, section V-B.
 *
 * Return: 0 or a negative errno.
 */
int pidcomm_reduce_scatter(struct pidcomm *hc, const char *axes, uint64_t bytes,
			   uint64_t src, uint64_t dst, enum pidcomm_type type,
			   pidcomm_op op);

/**
 * pidcomm_allreduce() - every member gets the element-wise reduction
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE; a multiple of 8
 * @src: MRAM offset of each member's vector
 * @dst: MRAM offset of the result; may equal @src
 * @type: type of the elements
 * @op: the operation
 *
 * PID-Comm, section V-B.
 *
 * Return: 0 or a negative errno.
 */
int pidcomm_allreduce(struct pidcomm *hc, const char *axes, uint64_t bytes,
		      uint64_t src, uint64_t dst, enum pidcomm_type type,
		      pidcomm_op op);

/**
 * pidcomm_allgather() - every member gets all members' chunks in rank order
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE at @dst: n chunks; a multiple of 8n
 * @src: MRAM offset of each member's chunk, bytes / n long
 * @dst: MRAM offset of the n chunks; may equal @src
 *
 * PID-Comm, section V-A.
 *
 * Return: 0 or a negative errno.
 */
int pidcomm_allgather(struct pidcomm *hc, const char *axes, uint64_t bytes,
		      uint64_t src, uint64_t dst);

/**
 * pidcomm_scatter() - hand each member its piece of the group's host buffer
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE: one piece; a multiple of 8
 * @bufs: @bufs[group], n pieces each
 * @dst: MRAM offset of the piece
 *
 * PID-Comm, section V-C.
 *
 * Return: 0 or a negative errno.
 */
int pidcomm_scatter(struct pidcomm *hc, const char *axes, uint64_t bytes,
		    const void *const bufs[], uint64_t dst);

/**
 * pidcomm_gather() - collect the members' pieces in the group's host buffer
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE: one piece; a multiple of 8
 * @src: MRAM offset of the piece
 * @bufs: @bufs[group], n pieces each; they must not overlap
 *
 * PID-Comm, section V-C.
 *
 * Return: 0 or a negative errno.
 */
int pidcomm_gather(struct pidcomm *hc, const char *axes, uint64_t bytes,
		   uint64_t src, void *const bufs[]);

/**
 * pidcomm_reduce() - collect the members' reduction in the group's host buffer
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE; a multiple of 8
 * @src: MRAM offset of each member's vector
 * @bufs: @bufs[group], @bytes each; they must not overlap
 * @type: type of the elements
 * @op: the operation
 *
 * PID-Comm, section V-C.
 *
 * Return: 0 or a negative errno.
 */
int pidcomm_reduce(struct pidcomm *hc, const char *axes, uint64_t bytes,
		   uint64_t src, void *const bufs[], enum pidcomm_type type,
		   pidcomm_op op);

/**
 * pidcomm_broadcast() - hand every member the group's host buffer
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE; a multiple of 8
 * @bufs: @bufs[group], @bytes each
 * @dst: MRAM offset of the copy
 *
 * PID-Comm, section V-C.
 *
 * Return: 0 or a negative errno.
 */
int pidcomm_broadcast(struct pidcomm *hc, const char *axes, uint64_t bytes,
		      const void *const bufs[], uint64_t dst);

/*
 * Collectives on derived datatypes, see <pimdimm/types.h>: any offset and alignment will
 * do, and bytes between those of a type keep their values. Types may be freed once a plan
 * or a request has been made of them. They run as one algorithm does, which no
 * pidcomm_set_algorithm() changes. What they read and write, as other requests see it,
 * reaches from the first byte to the last, and where counts are in MRAM is all of it.
 */

/**
 * struct pidcomm_face - what is exchanged with a neighbour
 * @send: the part of MRAM that goes there
 * @recv: where what comes from there is received
 */
struct pidcomm_face {
	struct pimtype_part send, recv;
};

/**
 * pidcomm_alltoallw() - each member gets what each has for it, by types
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @send: @send[m] is the part of MRAM that every PE sends to member m of its group
 * @recv: @recv[m] is where every PE receives what member m sends to it
 *
 * Types, offsets and counts may differ from member to member, as MPI's. As all members
 * send and receive alike, what is sent to any has the elements of what is received from
 * any. No two parts of @recv, and none of them and of @send, may have a byte in common.
 * @send and @recv have a part for each member.
 *
 * Return: 0 or a negative errno; -EMSGSIZE where a part is longer than the one that receives it, -EPROTO where their
 * elements differ.
 */
int pidcomm_alltoallw(struct pidcomm *hc, const char *axes,
		      const struct pimtype_part send[],
		      const struct pimtype_part recv[]);

/**
 * pidcomm_alltoallv() - each member gets as much as each has for it
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @type: an element
 * @counts: @counts[pe * n + m]: elements that node pe sends to member m of its group; NULL:
 *          they are in MRAM
 * @counts_at: where @counts is NULL: MRAM offset of n uint64_t, those of each PE, a
 *             multiple of 8; they are read as the call, or the plan, runs
 * @src: MRAM offset of what each sends, the pieces end to end in rank order
 * @dst: MRAM offset of what each receives, in the same way
 *
 * A piece of c elements is c extents of @type long. What is sent, what is received and the
 * counts must not overlap.
 *
 * Return: 0 or a negative errno; -ENOMEM without memory to stage what is moved.
 */
int pidcomm_alltoallv(struct pidcomm *hc, const char *axes,
		      const struct pimtype *type, const uint64_t counts[],
		      uint64_t counts_at, uint64_t src, uint64_t dst);

/**
 * pidcomm_allgatherv() - every member gets all members' pieces, each as long as it is
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @type: an element
 * @counts: @counts[pe]: elements that node pe has; NULL: they are in MRAM
 * @counts_at: where @counts is NULL: MRAM offset of a uint64_t, that of each PE, a multiple
 *             of 8; it is read as the call, or the plan, runs
 * @src: MRAM offset of each member's piece
 * @dst: MRAM offset of all pieces of the group, end to end in rank order
 *
 * A piece of c elements is c extents of @type long. What is sent, what is received and the
 * counts must not overlap.
 *
 * Return: 0 or a negative errno; -ENOMEM without memory to stage what is moved.
 */
int pidcomm_allgatherv(struct pidcomm *hc, const char *axes,
		       const struct pimtype *type, const uint64_t counts[],
		       uint64_t counts_at, uint64_t src, uint64_t dst);

/**
 * pidcomm_halo() - faces are exchanged with the neighbours along each axis
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @periodic: bit d: the ends of axis d are neighbours
 * @faces: two for each chosen axis, in order: the one to -1, then the one to +1
 *
 * What @faces[2 * i].send says goes to the neighbour at -1 on the i-th chosen axis, into its
 * @faces[2 * i + 1].recv; what @faces[2 * i + 1].send says to the one at +1, into its
 * @faces[2 * i].recv. Where there is no neighbour nothing is sent, and what would be
 * received keeps its bytes. Corners go along if the axes are exchanged one after the other,
 * each with a call of its own. What is received must have no byte in common with anything
 * else that is sent or received.
 *
 * Return: 0 or a negative errno; -EMSGSIZE where a part is longer than the one that receives it, -EPROTO where their
 * elements differ.
 */
int pidcomm_halo(struct pidcomm *hc, const char *axes, uint32_t periodic,
		 const struct pidcomm_face faces[]);

/*
 * Plans: a call whose arguments are checked and prepared once and which then
 * runs often. A plan keeps copies of all that it was made of but the host
 * buffers themselves and the operation, which must live as long as it does, and
 * uses the algorithm that was set when it was made. Running it allocates
 * nothing where the algorithm needs no staging memory.
 */
struct pidcomm_plan;

/**
 * pidcomm_plan_alltoall() - prepare a call of pidcomm_alltoall()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE: n chunks; a multiple of 8n
 * @src: MRAM offset of each member's n chunks
 * @dst: MRAM offset of the n chunks received; may equal @src
 * @plan: receives the plan
 *
 * Return: 0 or a negative errno.
 */
int pidcomm_plan_alltoall(struct pidcomm *hc, const char *axes, uint64_t bytes,
			  uint64_t src, uint64_t dst,
			  struct pidcomm_plan **plan);

/**
 * pidcomm_plan_reduce_scatter() - prepare a call of pidcomm_reduce_scatter()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE: n chunks; a multiple of 8n
 * @src: MRAM offset of each member's n chunks
 * @dst: MRAM offset of the chunk received; may equal @src, then the result
 *       overwrites chunk 0
 * @type: type of the elements
 * @op: the operation
 * @plan: receives the plan
 *
 * Return: 0 or a negative errno.
 */
int pidcomm_plan_reduce_scatter(struct pidcomm *hc, const char *axes,
				uint64_t bytes, uint64_t src, uint64_t dst,
				enum pidcomm_type type, pidcomm_op op,
				struct pidcomm_plan **plan);

/**
 * pidcomm_plan_allreduce() - prepare a call of pidcomm_allreduce()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE; a multiple of 8
 * @src: MRAM offset of each member's vector
 * @dst: MRAM offset of the result; may equal @src
 * @type: type of the elements
 * @op: the operation
 * @plan: receives the plan
 *
 * Return: 0 or a negative errno.
 */
int pidcomm_plan_allreduce(struct pidcomm *hc, const char *axes, uint64_t bytes,
			   uint64_t src, uint64_t dst, enum pidcomm_type type,
			   pidcomm_op op, struct pidcomm_plan **plan);

/**
 * pidcomm_plan_allgather() - prepare a call of pidcomm_allgather()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE at @dst: n chunks; a multiple of 8n
 * @src: MRAM offset of each member's chunk, bytes / n long
 * @dst: MRAM offset of the n chunks; may equal @src
 * @plan: receives the plan
 *
 * Return: 0 or a negative errno.
 */
int pidcomm_plan_allgather(struct pidcomm *hc, const char *axes, uint64_t bytes,
			   uint64_t src, uint64_t dst,
			   struct pidcomm_plan **plan);

/**
 * pidcomm_plan_scatter() - prepare a call of pidcomm_scatter()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE: one piece; a multiple of 8
 * @bufs: @bufs[group], n pieces each
 * @dst: MRAM offset of the piece
 * @plan: receives the plan
 *
 * Return: 0 or a negative errno.
 */
int pidcomm_plan_scatter(struct pidcomm *hc, const char *axes, uint64_t bytes,
			 const void *const bufs[], uint64_t dst,
			 struct pidcomm_plan **plan);

/**
 * pidcomm_plan_gather() - prepare a call of pidcomm_gather()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE: one piece; a multiple of 8
 * @src: MRAM offset of the piece
 * @bufs: @bufs[group], n pieces each; they must not overlap
 * @plan: receives the plan
 *
 * Return: 0 or a negative errno.
 */
int pidcomm_plan_gather(struct pidcomm *hc, const char *axes, uint64_t bytes,
			uint64_t src, void *const bufs[],
			struct pidcomm_plan **plan);

/**
 * pidcomm_plan_reduce() - prepare a call of pidcomm_reduce()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE; a multiple of 8
 * @src: MRAM offset of each member's vector
 * @bufs: @bufs[group], @bytes each; they must not overlap
 * @type: type of the elements
 * @op: the operation
 * @plan: receives the plan
 *
 * Return: 0 or a negative errno.
 */
int pidcomm_plan_reduce(struct pidcomm *hc, const char *axes, uint64_t bytes,
			uint64_t src, void *const bufs[],
			enum pidcomm_type type, pidcomm_op op,
			struct pidcomm_plan **plan);

/**
 * pidcomm_plan_broadcast() - prepare a call of pidcomm_broadcast()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE; a multiple of 8
 * @bufs: @bufs[group], @bytes each
 * @dst: MRAM offset of the copy
 * @plan: receives the plan
 *
 * Return: 0 or a negative errno.
 */
int pidcomm_plan_broadcast(struct pidcomm *hc, const char *axes, uint64_t bytes,
			   const void *const bufs[], uint64_t dst,
			   struct pidcomm_plan **plan);

/**
 * pidcomm_plan_alltoallw() - prepare a call of pidcomm_alltoallw()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @send: @send[m] is the part of MRAM that every PE sends to member m of its group
 * @recv: @recv[m] is where every PE receives what member m sends to it
 * @plan: receives the plan
 *
 * Return: 0 or a negative errno.
 */
int pidcomm_plan_alltoallw(struct pidcomm *hc, const char *axes,
			   const struct pimtype_part send[],
			   const struct pimtype_part recv[],
			   struct pidcomm_plan **plan);

/**
 * pidcomm_plan_alltoallv() - prepare a call of pidcomm_alltoallv()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @type: an element
 * @counts: @counts[pe * n + m]: elements that node pe sends to member m of its group; NULL:
 *          they are in MRAM
 * @counts_at: where @counts is NULL: MRAM offset of n uint64_t, those of each PE, a
 *             multiple of 8; they are read as the call, or the plan, runs
 * @src: MRAM offset of what each sends, the pieces end to end in rank order
 * @dst: MRAM offset of what each receives, in the same way
 * @plan: receives the plan
 *
 * Return: 0 or a negative errno.
 */
int pidcomm_plan_alltoallv(struct pidcomm *hc, const char *axes,
			   const struct pimtype *type, const uint64_t counts[],
			   uint64_t counts_at, uint64_t src, uint64_t dst,
			   struct pidcomm_plan **plan);

/**
 * pidcomm_plan_allgatherv() - prepare a call of pidcomm_allgatherv()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @type: an element
 * @counts: @counts[pe]: elements that node pe has; NULL: they are in MRAM
 * @counts_at: where @counts is NULL: MRAM offset of a uint64_t, that of each PE, a multiple
 *             of 8; it is read as the call, or the plan, runs
 * @src: MRAM offset of each member's piece
 * @dst: MRAM offset of all pieces of the group, end to end in rank order
 * @plan: receives the plan
 *
 * Return: 0 or a negative errno.
 */
int pidcomm_plan_allgatherv(struct pidcomm *hc, const char *axes,
			    const struct pimtype *type, const uint64_t counts[],
			    uint64_t counts_at, uint64_t src, uint64_t dst,
			    struct pidcomm_plan **plan);

/**
 * pidcomm_plan_halo() - prepare a call of pidcomm_halo()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @periodic: bit d: the ends of axis d are neighbours
 * @faces: two for each chosen axis, in order: the one to -1, then the one to +1
 * @plan: receives the plan
 *
 * Return: 0 or a negative errno.
 */
int pidcomm_plan_halo(struct pidcomm *hc, const char *axes, uint32_t periodic,
		      const struct pidcomm_face faces[],
		      struct pidcomm_plan **plan);

/**
 * pidcomm_plan_run() - do what the plan says, and wait
 * @plan: the plan
 *
 * Return: 0; -EBUSY as pidcomm_ialltoall(); what the call itself returns.
 */
int pidcomm_plan_run(struct pidcomm_plan *plan);

/**
 * pidcomm_plan_free() - end a plan's life
 * @plan: the plan, or NULL; if it has been started, waits for it to end and
 *        invalidates its request
 */
void pidcomm_plan_free(struct pidcomm_plan *plan);

/*
 * Requests: calls that return at once and run in the background. The requests of one
 * hypercube run in the order in which they were made, each with all threads. A
 * request is outstanding until pidcomm_test() or pidcomm_wait() has returned its
 * result. Until then nothing else may touch what it reads or writes: a call on the
 * same hypercube, blocking or not, that would write MRAM that an outstanding request
 * reads or writes, or read what one writes, is refused with -EBUSY. Other ranges may
 * overlap nothing but reads. Host buffers, other hypercubes and transfers are the
 * caller's to keep apart. A child after fork() may make requests of its own; those of
 * its parent continue there, and waiting for them in the child is -EINVAL.
 */
struct pidcomm_request;

/**
 * pidcomm_ialltoall() - begin a call of pidcomm_alltoall()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE: n chunks; a multiple of 8n
 * @src: MRAM offset of each member's n chunks
 * @dst: MRAM offset of the n chunks received; may equal @src
 * @request: receives the request
 *
 * Return: 0; -EBUSY for ranges in use by an outstanding request; -EAGAIN when no
 * thread can be had; else as the blocking call.
 */
int pidcomm_ialltoall(struct pidcomm *hc, const char *axes, uint64_t bytes,
		      uint64_t src, uint64_t dst,
		      struct pidcomm_request **request);

/**
 * pidcomm_ireduce_scatter() - begin a call of pidcomm_reduce_scatter()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE: n chunks; a multiple of 8n
 * @src: MRAM offset of each member's n chunks
 * @dst: MRAM offset of the chunk received; may equal @src, then the result
 *       overwrites chunk 0
 * @type: type of the elements
 * @op: the operation
 * @request: receives the request
 *
 * Return: 0; -EBUSY for ranges in use by an outstanding request; -EAGAIN when no
 * thread can be had; else as the blocking call.
 */
int pidcomm_ireduce_scatter(struct pidcomm *hc, const char *axes,
			    uint64_t bytes, uint64_t src, uint64_t dst,
			    enum pidcomm_type type, pidcomm_op op,
			    struct pidcomm_request **request);

/**
 * pidcomm_iallreduce() - begin a call of pidcomm_allreduce()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE; a multiple of 8
 * @src: MRAM offset of each member's vector
 * @dst: MRAM offset of the result; may equal @src
 * @type: type of the elements
 * @op: the operation
 * @request: receives the request
 *
 * Return: 0; -EBUSY for ranges in use by an outstanding request; -EAGAIN when no
 * thread can be had; else as the blocking call.
 */
int pidcomm_iallreduce(struct pidcomm *hc, const char *axes, uint64_t bytes,
		       uint64_t src, uint64_t dst, enum pidcomm_type type,
		       pidcomm_op op, struct pidcomm_request **request);

/**
 * pidcomm_iallgather() - begin a call of pidcomm_allgather()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE at @dst: n chunks; a multiple of 8n
 * @src: MRAM offset of each member's chunk, bytes / n long
 * @dst: MRAM offset of the n chunks; may equal @src
 * @request: receives the request
 *
 * Return: 0; -EBUSY for ranges in use by an outstanding request; -EAGAIN when no
 * thread can be had; else as the blocking call.
 */
int pidcomm_iallgather(struct pidcomm *hc, const char *axes, uint64_t bytes,
		       uint64_t src, uint64_t dst,
		       struct pidcomm_request **request);

/**
 * pidcomm_iscatter() - begin a call of pidcomm_scatter()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE: one piece; a multiple of 8
 * @bufs: @bufs[group], n pieces each
 * @dst: MRAM offset of the piece
 * @request: receives the request
 *
 * Return: 0; -EBUSY for ranges in use by an outstanding request; -EAGAIN when no
 * thread can be had; else as the blocking call.
 */
int pidcomm_iscatter(struct pidcomm *hc, const char *axes, uint64_t bytes,
		     const void *const bufs[], uint64_t dst,
		     struct pidcomm_request **request);

/**
 * pidcomm_igather() - begin a call of pidcomm_gather()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE: one piece; a multiple of 8
 * @src: MRAM offset of the piece
 * @bufs: @bufs[group], n pieces each; they must not overlap
 * @request: receives the request
 *
 * Return: 0; -EBUSY for ranges in use by an outstanding request; -EAGAIN when no
 * thread can be had; else as the blocking call.
 */
int pidcomm_igather(struct pidcomm *hc, const char *axes, uint64_t bytes,
		    uint64_t src, void *const bufs[],
		    struct pidcomm_request **request);

/**
 * pidcomm_ireduce() - begin a call of pidcomm_reduce()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE; a multiple of 8
 * @src: MRAM offset of each member's vector
 * @bufs: @bufs[group], @bytes each; they must not overlap
 * @type: type of the elements
 * @op: the operation
 * @request: receives the request
 *
 * Return: 0; -EBUSY for ranges in use by an outstanding request; -EAGAIN when no
 * thread can be had; else as the blocking call.
 */
int pidcomm_ireduce(struct pidcomm *hc, const char *axes, uint64_t bytes,
		    uint64_t src, void *const bufs[], enum pidcomm_type type,
		    pidcomm_op op, struct pidcomm_request **request);

/**
 * pidcomm_ibroadcast() - begin a call of pidcomm_broadcast()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @bytes: of a PE; a multiple of 8
 * @bufs: @bufs[group], @bytes each
 * @dst: MRAM offset of the copy
 * @request: receives the request
 *
 * Return: 0; -EBUSY for ranges in use by an outstanding request; -EAGAIN when no
 * thread can be had; else as the blocking call.
 */
int pidcomm_ibroadcast(struct pidcomm *hc, const char *axes, uint64_t bytes,
		       const void *const bufs[], uint64_t dst,
		       struct pidcomm_request **request);

/**
 * pidcomm_ialltoallw() - begin a call of pidcomm_alltoallw()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @send: @send[m] is the part of MRAM that every PE sends to member m of its group
 * @recv: @recv[m] is where every PE receives what member m sends to it
 * @request: receives the request
 *
 * Return: 0; -EBUSY for ranges in use by an outstanding request; -EAGAIN when no
 * thread can be had; else as the blocking call.
 */
int pidcomm_ialltoallw(struct pidcomm *hc, const char *axes,
		       const struct pimtype_part send[],
		       const struct pimtype_part recv[],
		       struct pidcomm_request **request);

/**
 * pidcomm_ialltoallv() - begin a call of pidcomm_alltoallv()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @type: an element
 * @counts: @counts[pe * n + m]: elements that node pe sends to member m of its group; NULL:
 *          they are in MRAM
 * @counts_at: where @counts is NULL: MRAM offset of n uint64_t, those of each PE, a
 *             multiple of 8; they are read as the call, or the plan, runs
 * @src: MRAM offset of what each sends, the pieces end to end in rank order
 * @dst: MRAM offset of what each receives, in the same way
 * @request: receives the request
 *
 * Return: 0; -EBUSY for ranges in use by an outstanding request; -EAGAIN when no
 * thread can be had; else as the blocking call.
 */
int pidcomm_ialltoallv(struct pidcomm *hc, const char *axes,
		       const struct pimtype *type, const uint64_t counts[],
		       uint64_t counts_at, uint64_t src, uint64_t dst,
		       struct pidcomm_request **request);

/**
 * pidcomm_iallgatherv() - begin a call of pidcomm_allgatherv()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @type: an element
 * @counts: @counts[pe]: elements that node pe has; NULL: they are in MRAM
 * @counts_at: where @counts is NULL: MRAM offset of a uint64_t, that of each PE, a multiple
 *             of 8; it is read as the call, or the plan, runs
 * @src: MRAM offset of each member's piece
 * @dst: MRAM offset of all pieces of the group, end to end in rank order
 * @request: receives the request
 *
 * Return: 0; -EBUSY for ranges in use by an outstanding request; -EAGAIN when no
 * thread can be had; else as the blocking call.
 */
int pidcomm_iallgatherv(struct pidcomm *hc, const char *axes,
			const struct pimtype *type, const uint64_t counts[],
			uint64_t counts_at, uint64_t src, uint64_t dst,
			struct pidcomm_request **request);

/**
 * pidcomm_ihalo() - begin a call of pidcomm_halo()
 * @hc: the hypercube
 * @axes: a character an axis: '1' for those that form the groups, else '0'
 * @periodic: bit d: the ends of axis d are neighbours
 * @faces: two for each chosen axis, in order: the one to -1, then the one to +1
 * @request: receives the request
 *
 * Return: 0; -EBUSY for ranges in use by an outstanding request; -EAGAIN when no
 * thread can be had; else as the blocking call.
 */
int pidcomm_ihalo(struct pidcomm *hc, const char *axes, uint32_t periodic,
		  const struct pidcomm_face faces[],
		  struct pidcomm_request **request);

/**
 * pidcomm_plan_start() - begin what the plan says
 * @plan: the plan; it may be started again once the request has ended
 * @request: receives the request
 *
 * Return: 0; -EBUSY for ranges in use by an outstanding request, this plan's own
 * one included; -EAGAIN when no thread can be had.
 */
int pidcomm_plan_start(struct pidcomm_plan *plan,
		       struct pidcomm_request **request);

/**
 * pidcomm_test() - ask whether a request has ended
 * @request: the request, set to NULL if it has; NULL itself has ended
 * @done: receives 1 if it has ended, else 0
 *
 * Return: the request's result if it has ended, else 0.
 */
int pidcomm_test(struct pidcomm_request **request, int *done);

/**
 * pidcomm_wait() - wait until a request has ended
 * @request: the request, set to NULL; NULL itself has ended
 *
 * pidcomm_stats() is then about this request.
 *
 * Return: the request's result.
 */
int pidcomm_wait(struct pidcomm_request **request);

/**
 * pidcomm_waitall() - wait until all of several requests have ended
 * @count: how many
 * @requests: the requests, set to NULL; of any hypercubes, NULL among them too
 *
 * Return: 0, or the result of the first of them that failed.
 */
int pidcomm_waitall(size_t count, struct pidcomm_request *requests[]);

/**
 * struct pidcomm_stats - what the last call moved, over all its groups
 * @mram_blocks_read: 64-byte blocks loaded from MRAM by the host, repeats counted
 * @mram_blocks_written: 64-byte blocks stored to MRAM by the host
 * @domain_transfers: blocks transposed
 * @host_bytes_read: bytes read of the caller's buffers and of staging in host
 *                   memory; accumulators that stay in cache are not counted
 * @host_bytes_written: bytes written to them
 * @pe_bytes_moved: bytes between MRAM and WRAM in PE-assisted steps
 * @ns: wall time of the call, nanoseconds
 */
struct pidcomm_stats {
	uint64_t mram_blocks_read;
	uint64_t mram_blocks_written;
	uint64_t domain_transfers;
	uint64_t host_bytes_read;
	uint64_t host_bytes_written;
	uint64_t pe_bytes_moved;
	uint64_t ns;
};

/**
 * pidcomm_stats() - what the last call moved
 * @hc: the hypercube
 * @last_call: receives the counters; all 0 before any successful call
 *
 * They are computed from the shape of the call. With PIMDIMM_ISA=count in the
 * environment of pimdimm_open(), which is slow and meant for tests, every access is
 * counted, and one of the eight collectives whose reported counters differ fails with
 * -EIO. Host buffers must then lie outside of the system's MRAM. Of calls on datatypes
 * blocks are their bytes of MRAM, an entangled group's eight lanes together, by 64.
 *
 * Return: 0 or -EINVAL.
 */
int pidcomm_stats(const struct pidcomm *hc, struct pidcomm_stats *last_call);

#ifdef __cplusplus
}
#endif

#endif /* PIMDIMM_PIDCOMM_H */
