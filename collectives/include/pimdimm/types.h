/* SPDX-License-Identifier: MIT */
/*
 * Derived datatypes: which bytes a transfer takes, and in which order. They are
 * MPI's, with its constructors and the arguments in its order, and need no MPI.
 *
 * A type is a sequence of basic elements, each with a byte offset: its typemap.
 * The order of that sequence is the order of the stream of bytes which a type is
 * packed to. A struct pimtype_part is `count` such types, one extent apart, from
 * byte `offset` of a buffer or of a PE's MRAM on.
 *
 * - A type is normalised as it is made: runs that touch are merged, strides stay
 *   loops, nothing is reordered. It is ready for use at once and never changes. It
 *   may be used from any thread, and freed while types that were made of it live on.
 * - Sizes, offsets and extents are 64 bits wide. What would reach 2^63 is refused.
 *   Counts of 0, negative strides and negative extents are valid.
 * - Bounds are those of MPI 4.1: the least and the largest byte of the typemap, the
 *   latter rounded up so that the extent is a multiple of the largest alignment, or
 *   what pimtype_resized(), pimtype_subarray() or pimtype_darray() has set; a type
 *   that has types with set bounds among its parts takes these alone.
 * - What receives must not have a byte twice; that is -EINVAL. What sends may.
 *   Memory that a call reads must not overlap memory that it writes.
 *
 * Every function returns 0 or a negative errno unless said otherwise: -EINVAL for a
 * wrong argument, NULL and a type that has been freed included, -ENOMEM, both with a
 * sentence in pimdimm_errmsg(). A refused call changes nothing.
 */
#ifndef PIMDIMM_TYPES_H
#define PIMDIMM_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include <pimdimm/pimdimm.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pimtype;

/**
 * enum pimtype_basic - the elements that types are made of
 * @PIMTYPE_BYTE: a byte without a meaning
 * @PIMTYPE_PACKED: a byte that pimtype_pack() made; agrees with every signature of its size
 * @PIMTYPE_I8: signed, 8 bits
 * @PIMTYPE_I16: signed, 16 bits
 * @PIMTYPE_I32: signed, 32 bits
 * @PIMTYPE_I64: signed, 64 bits
 * @PIMTYPE_U8: unsigned, 8 bits
 * @PIMTYPE_U16: unsigned, 16 bits
 * @PIMTYPE_U32: unsigned, 32 bits
 * @PIMTYPE_U64: unsigned, 64 bits
 * @PIMTYPE_F16: IEEE binary16
 * @PIMTYPE_BF16: bfloat16
 * @PIMTYPE_F32: float
 * @PIMTYPE_F64: double
 * @PIMTYPE_LONG_DOUBLE: long double of the host's compiler
 * @PIMTYPE_COMPLEX_F32: float _Complex
 * @PIMTYPE_COMPLEX_F64: double _Complex
 * @PIMTYPE_COMPLEX_LONG_DOUBLE: long double _Complex
 *
 * Each is aligned as the host's compiler aligns it.
 */
enum pimtype_basic {
	PIMTYPE_BYTE,
	PIMTYPE_PACKED,
	PIMTYPE_I8,
	PIMTYPE_I16,
	PIMTYPE_I32,
	PIMTYPE_I64,
	PIMTYPE_U8,
	PIMTYPE_U16,
	PIMTYPE_U32,
	PIMTYPE_U64,
	PIMTYPE_F16,
	PIMTYPE_BF16,
	PIMTYPE_F32,
	PIMTYPE_F64,
	PIMTYPE_LONG_DOUBLE,
	PIMTYPE_COMPLEX_F32,
	PIMTYPE_COMPLEX_F64,
	PIMTYPE_COMPLEX_LONG_DOUBLE,
};

/**
 * enum pimtype_order - which index of an array is the fastest
 * @PIMTYPE_ORDER_C: the last one
 * @PIMTYPE_ORDER_FORTRAN: the first one
 */
enum pimtype_order {
	PIMTYPE_ORDER_C,
	PIMTYPE_ORDER_FORTRAN,
};

/**
 * enum pimtype_distribution - how an axis of an array is dealt out to processes
 * @PIMTYPE_DISTRIBUTE_NONE: not at all
 * @PIMTYPE_DISTRIBUTE_BLOCK: a block for each
 * @PIMTYPE_DISTRIBUTE_CYCLIC: blocks in turn
 */
enum pimtype_distribution {
	PIMTYPE_DISTRIBUTE_NONE,
	PIMTYPE_DISTRIBUTE_BLOCK,
	PIMTYPE_DISTRIBUTE_CYCLIC,
};

/** PIMTYPE_DISTRIBUTE_DARG: the block of an axis that MPI takes when none is given */
#define PIMTYPE_DISTRIBUTE_DARG	((uint64_t)0)

/** PIMTYPE_MAX_DEPTH: how deep loops and lists may be nested once normalised */
#define PIMTYPE_MAX_DEPTH	64

/**
 * struct pimtype_part - so many of a type at a place
 * @offset: bytes from the buffer's address, or from the begin of MRAM
 * @count: how many of the type, each an extent behind the one before
 * @type: what it is made of; NULL only where @count is 0
 */
struct pimtype_part {
	int64_t offset;
	uint64_t count;
	const struct pimtype *type;
};

/**
 * struct pimtype_info - what there is to know of a type
 * @size: bytes of data
 * @lb: lower bound, bytes from where the type is placed
 * @extent: upper bound less lower bound, bytes; where the next of a count lies
 * @true_lb: the first byte of data
 * @true_extent: bytes from there to behind the last byte of data
 * @blocks: contiguous runs of bytes, at most; UINT64_MAX for more than there are numbers
 * @alignment: of the element with the largest, bytes
 * @signature: hash of the sequence of elements, wherever they lie; equal for types whose
 *   data may be exchanged
 * @elements: how many elements there are
 * @hash: hash of the normalised layout and of the bounds
 */
struct pimtype_info {
	uint64_t size;
	int64_t lb, extent;
	int64_t true_lb, true_extent;
	uint64_t blocks;
	uint64_t alignment;
	uint64_t signature;
	uint64_t elements;
	uint64_t hash;
};

/**
 * struct pimtype_piece - a contiguous run of bytes
 * @offset: bytes from the buffer's address, or from the begin of MRAM
 * @bytes: how many
 */
struct pimtype_piece {
	int64_t offset;
	uint64_t bytes;
};

/**
 * struct pimtype_stats - what datatypes have cost in this process
 * @types: types that live, the basic ones not counted
 * @layouts: merged layouts of pairs that are kept; at most PIMDIMM_LAYOUTS
 * @hits: copies that found theirs
 * @misses: copies that made theirs
 * @evictions: layouts dropped for others
 * @staged: copies of pairs that no merged layout serves, by way of the cache
 */
struct pimtype_stats {
	uint64_t types;
	uint64_t layouts;
	uint64_t hits;
	uint64_t misses;
	uint64_t evictions;
	uint64_t staged;
};

/**
 * pimtype_basic() - the type of one element
 * @which: a value of enum pimtype_basic
 *
 * Return: a type that lives for ever and that pimtype_free() leaves alone; NULL and a
 * sentence for another value.
 */
const struct pimtype *pimtype_basic(enum pimtype_basic which);

/**
 * pimtype_contiguous() - so many of a type, one behind the other
 * @count: how many
 * @old: of what
 * @type: the new type, the caller's to free
 *
 * Return: 0 or a negative errno.
 */
int pimtype_contiguous(uint64_t count, const struct pimtype *old,
		       struct pimtype **type);

/**
 * pimtype_vector() - blocks of a type, evenly spaced
 * @count: blocks
 * @blocklength: types of a block
 * @stride: from the begin of a block to that of the next, in extents of @old
 * @old: of what
 * @type: the new type, the caller's to free
 *
 * Return: 0 or a negative errno.
 */
int pimtype_vector(uint64_t count, uint64_t blocklength, int64_t stride,
		   const struct pimtype *old, struct pimtype **type);

/**
 * pimtype_hvector() - blocks of a type, so many bytes apart
 * @count: blocks
 * @blocklength: types of a block
 * @stride: from the begin of a block to that of the next, in bytes
 * @old: of what
 * @type: the new type, the caller's to free
 *
 * Return: 0 or a negative errno.
 */
int pimtype_hvector(uint64_t count, uint64_t blocklength, int64_t stride,
		    const struct pimtype *old, struct pimtype **type);

/**
 * pimtype_indexed() - blocks of a type, each of its own length at its own place
 * @count: blocks
 * @blocklengths: types of each block, @count of them
 * @displacements: where each begins, in extents of @old, @count of them
 * @old: of what
 * @type: the new type, the caller's to free
 *
 * Return: 0 or a negative errno.
 */
int pimtype_indexed(uint64_t count, const uint64_t blocklengths[],
		    const int64_t displacements[], const struct pimtype *old,
		    struct pimtype **type);

/**
 * pimtype_hindexed() - blocks of a type, each of its own length at its own byte
 * @count: blocks
 * @blocklengths: types of each block, @count of them
 * @displacements: where each begins, in bytes, @count of them
 * @old: of what
 * @type: the new type, the caller's to free
 *
 * Return: 0 or a negative errno.
 */
int pimtype_hindexed(uint64_t count, const uint64_t blocklengths[],
		     const int64_t displacements[], const struct pimtype *old,
		     struct pimtype **type);

/**
 * pimtype_indexed_block() - blocks of one length, each at its own place
 * @count: blocks
 * @blocklength: types of a block
 * @displacements: where each begins, in extents of @old, @count of them
 * @old: of what
 * @type: the new type, the caller's to free
 *
 * Return: 0 or a negative errno.
 */
int pimtype_indexed_block(uint64_t count, uint64_t blocklength,
			  const int64_t displacements[],
			  const struct pimtype *old, struct pimtype **type);

/**
 * pimtype_hindexed_block() - blocks of one length, each at its own byte
 * @count: blocks
 * @blocklength: types of a block
 * @displacements: where each begins, in bytes, @count of them
 * @old: of what
 * @type: the new type, the caller's to free
 *
 * Return: 0 or a negative errno.
 */
int pimtype_hindexed_block(uint64_t count, uint64_t blocklength,
			   const int64_t displacements[],
			   const struct pimtype *old, struct pimtype **type);

/**
 * pimtype_struct() - blocks of different types
 * @count: blocks
 * @blocklengths: types of each block, @count of them
 * @displacements: where each begins, in bytes, @count of them
 * @olds: the type of each, @count of them
 * @type: the new type, the caller's to free
 *
 * Return: 0 or a negative errno.
 */
int pimtype_struct(uint64_t count, const uint64_t blocklengths[],
		   const int64_t displacements[],
		   const struct pimtype *const olds[], struct pimtype **type);

/**
 * pimtype_subarray() - a box of an array
 * @ndims: axes, 1 to PIMTYPE_MAX_DEPTH
 * @sizes: elements of the whole array along each axis, 1 at least
 * @subsizes: elements of the box along each axis, 1 to those of the array
 * @starts: where the box begins along each axis
 * @order: a value of enum pimtype_order
 * @old: an element
 * @type: the new type, the caller's to free; its extent is the whole array's
 *
 * Return: 0 or a negative errno.
 */
int pimtype_subarray(uint32_t ndims, const uint64_t sizes[],
		     const uint64_t subsizes[], const uint64_t starts[],
		     enum pimtype_order order, const struct pimtype *old,
		     struct pimtype **type);

/**
 * pimtype_darray() - what a process has of an array that is dealt out
 * @size: processes, the product of @psizes
 * @rank: the process, below @size; the last axis of the grid of processes is the fastest
 * @ndims: axes, 1 to PIMTYPE_MAX_DEPTH
 * @gsizes: elements of the whole array along each axis, 1 at least
 * @distribs: how each axis is dealt out
 * @dargs: elements of a block along each axis, or PIMTYPE_DISTRIBUTE_DARG
 * @psizes: processes along each axis, 1 where it is not dealt out
 * @order: a value of enum pimtype_order, of the array's elements
 * @old: an element
 * @type: the new type, the caller's to free; its extent is the whole array's
 *
 * Return: 0 or a negative errno.
 */
int pimtype_darray(uint64_t size, uint64_t rank, uint32_t ndims,
		   const uint64_t gsizes[],
		   const enum pimtype_distribution distribs[],
		   const uint64_t dargs[], const uint64_t psizes[],
		   enum pimtype_order order, const struct pimtype *old,
		   struct pimtype **type);

/**
 * pimtype_resized() - a type with other bounds
 * @old: the type
 * @lb: its lower bound, bytes
 * @extent: its extent, bytes; negative for a count that goes backwards
 * @type: the new type, the caller's to free
 *
 * Return: 0 or a negative errno.
 */
int pimtype_resized(const struct pimtype *old, int64_t lb, int64_t extent,
		    struct pimtype **type);

/**
 * pimtype_dup() - the same type once more
 * @old: the type
 * @type: the new type, the caller's to free
 *
 * Return: 0 or a negative errno.
 */
int pimtype_dup(const struct pimtype *old, struct pimtype **type);

/**
 * pimtype_free() - give up a type
 * @type: a type that a constructor made; NULL and basic ones are left alone
 *
 * Types that were made of it live on, and requests that began with it keep it. A call that is
 * using it must have returned.
 */
void pimtype_free(struct pimtype *type);

/**
 * pimtype_info() - sizes, bounds and hashes of a type
 * @type: the type
 * @info: what is known of it
 *
 * Return: 0 or a negative errno.
 */
int pimtype_info(const struct pimtype *type, struct pimtype_info *info);

/**
 * pimtype_describe() - a type's normalised layout, as text
 * @type: the type
 * @text: where to write it, with a 0 behind it; may be NULL where @bytes is 0
 * @bytes: room there; what does not fit is left out
 *
 * `[8]` is a run of 8 bytes; `4*24:[8]` four of them, each 24 bytes behind the one
 * before; `{0:[8], 12:[4]}` runs at these offsets; `+16 ` before any of them where it
 * begins, if not at 0; behind it `lb` and `extent`. Lists show their first 16 runs,
 * and `...` stands for what a text of more than 4096 characters has left out.
 *
 * Return: characters of the whole text, the 0 not counted, or a negative errno.
 */
int pimtype_describe(const struct pimtype *type, char *text, size_t bytes);

/**
 * pimtype_pieces() - the contiguous runs of a part, some at a time
 * @part: the part
 * @first: byte of the stream to begin with; 0, or the sum of what was had before
 * @pieces: room for them, in the order of the stream
 * @nr: how much room; then how many there are, 0 at the end
 *
 * Runs that touch are one. A walk may stop anywhere and go on later, at no more cost
 * than the depth of the type.
 *
 * Return: 0 or a negative errno.
 */
int pimtype_pieces(struct pimtype_part part, uint64_t first,
		   struct pimtype_piece pieces[], size_t *nr);

/**
 * pimtype_pack() - bytes of a part's stream, gathered
 * @base: the buffer
 * @part: what of it
 * @position: byte of the stream to begin with
 * @out: where to put them
 * @bytes: how many are wanted; then how many there were, fewer at the end of the stream
 *
 * Return: 0 or a negative errno; -EINVAL for a @position behind the stream's end.
 */
int pimtype_pack(const void *base, struct pimtype_part part, uint64_t position,
		 void *out, size_t *bytes);

/**
 * pimtype_unpack() - bytes of a part's stream, scattered
 * @base: the buffer
 * @part: what of it
 * @position: byte of the stream to begin with
 * @in: the bytes
 * @bytes: how many there are; all must have room in the stream
 *
 * Bytes of the buffer that are not of the part keep their values.
 *
 * Return: 0 or a negative errno; -EMSGSIZE where the stream ends before the bytes do, and
 * nothing is written.
 */
int pimtype_unpack(void *base, struct pimtype_part part, uint64_t position,
		   const void *in, size_t bytes);

/**
 * pimtype_copy() - from one part to another
 * @dst: the buffer that is written
 * @to: what of it
 * @src: the buffer that is read
 * @from: what of it; the same sequence of elements as @to, or a begin of that
 *
 * How the two layouts lie to each other is worked out once and kept, for as many pairs as
 * the variable PIMDIMM_LAYOUTS says (1024).
 *
 * Return: 0 or a negative errno; -EMSGSIZE where @from is longer than @to, -EPROTO where
 * their elements differ.
 */
int pimtype_copy(void *dst, struct pimtype_part to, const void *src,
		 struct pimtype_part from);

/**
 * pimtype_push() - from host memory into the MRAM of PEs, each by its type
 * @sys: the system
 * @first_pe: the first PE
 * @nr_pes: how many PEs from there on
 * @mram: what of each PE's MRAM is written, the same for all
 * @bufs: a buffer for each PE, @nr_pes of them; PEs whose buffer is NULL take no part
 * @host: what of each buffer is read; the same sequence of elements as @mram, or a begin of it
 *
 * Any offset, stride and alignment will do. Bytes of MRAM that are not of @mram keep their
 * values. Where all eight PEs of an entangled group take part they are done together.
 *
 * Return: 0 or a negative errno; -EMSGSIZE and -EPROTO as pimtype_copy(), and what else
 * pimdimm_push() returns.
 */
int pimtype_push(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes,
		 struct pimtype_part mram, const void *const bufs[],
		 struct pimtype_part host);

/**
 * pimtype_pull() - from the MRAM of PEs into host memory, each by its type
 * @sys: the system
 * @first_pe: the first PE
 * @nr_pes: how many PEs from there on
 * @mram: what of each PE's MRAM is read; the same sequence of elements as @host, or a begin
 *   of it
 * @bufs: a buffer for each PE, @nr_pes of them; PEs whose buffer is NULL take no part
 * @host: what of each buffer is written, the same for all
 *
 * Bytes of the buffers that are not of @host keep their values.
 *
 * Return: 0 or a negative errno; -EMSGSIZE and -EPROTO as pimtype_copy(), and what else
 * pimdimm_pull() returns.
 */
int pimtype_pull(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes,
		 struct pimtype_part mram, void *const bufs[],
		 struct pimtype_part host);

/**
 * struct pimtype_move - from the MRAM of one PE to that of another
 * @from_pe: the PE that is read
 * @to_pe: the PE that is written, which may be the same
 * @from: what of its MRAM is read
 * @to: what of its MRAM is written
 */
struct pimtype_move {
	uint32_t from_pe, to_pe;
	struct pimtype_part from, to;
};

/**
 * pimtype_move() - from the MRAM of PEs to that of others, each by its type
 * @sys: the system
 * @nr: how many moves
 * @moves: the moves; none may write what another one reads or writes
 *
 * All moves are checked before the first one begins. Those to the eight PEs of an
 * entangled group that have the same parts are done together, wherever they come from.
 *
 * Return: 0 or a negative errno; -EMSGSIZE and -EPROTO as pimtype_copy(), and what else
 * pimdimm_push() returns.
 */
int pimtype_move(struct pimdimm *sys, size_t nr,
		 const struct pimtype_move moves[]);

/**
 * pimtype_stats() - what datatypes have cost in this process so far
 * @stats: the counters
 *
 * Return: 0 or a negative errno.
 */
int pimtype_stats(struct pimtype_stats *stats);

#ifdef __cplusplus
}
#endif

#endif /* PIMDIMM_TYPES_H */
